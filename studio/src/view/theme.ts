/** Light or dark: as the system has it, until the reader switches. */

import { computed, effect, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const KEY = "penstock-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const ofSystem = signal<Theme>(system.matches ? "dark" : "light");
const own = signal<Theme | null>(stored());
export const theme = computed<Theme>(() => own.value ?? ofSystem.value);

system.addEventListener("change", () => {
  ofSystem.value = system.matches ? "dark" : "light";
});
effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

export function switchTheme(): void {
  own.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, own.value);
  } catch {
    // A browser may refuse storage: then the switch holds for this visit.
  }
}

function stored(): Theme | null {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null;
  }
}
