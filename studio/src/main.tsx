/** Opens the page, wherever it comes from. */

import { render } from "preact";
import "./style.css";
import { App } from "./view/app";
import { start } from "./model/actions";
import type { Home } from "./model/home";
import { listen } from "./view/keyboard";

export function open(home: Home): void {
  const root = document.getElementById("app");
  if (!root) return;
  render(<App />, root);
  listen();
  void start(home);
}
