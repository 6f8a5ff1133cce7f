import { render } from "preact";
import "./style.css";
import { App } from "./view/app";
import { start } from "./model/actions";
import { listen } from "./view/keyboard";

const root = document.getElementById("app");
if (root) {
  render(<App />, root);
  listen();
  void start();
}
