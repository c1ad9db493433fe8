// Light, dark, or as the system says. The choice is kept where the browser lets a local file keep something.
//
// All colours are CSS variables; only what is painted on a canvas has to be told (onThemeChange).
import { html } from "./dom";

export type Theme = "system" | "light" | "dark";

const KEY = "factorgcn-theme";
const NAMES: Record<Theme, string> = { system: "Auto", light: "Light", dark: "Dark" };
const listeners: (() => void)[] = [];

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

function show(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  listeners.forEach((listener) => listener());
}

export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

/** The value of a CSS variable as it is now. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Sets the stored theme and returns the switch. */
export function themeSwitch(): HTMLElement {
  const now = stored();
  show(now);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => listeners.forEach((f) => f()));
  const choose = (theme: Theme) => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Kept for this visit only.
    }
    show(theme);
  };
  return html(
    "fieldset", { class: "segments", id: "theme" },
    html("legend", { class: "spoken" }, "Colours"),
    (Object.keys(NAMES) as Theme[]).map((theme) => {
      const input = html("input", { type: "radio", name: "theme", value: theme, onchange: () => choose(theme) });
      input.checked = theme === now;
      return html("label", {}, input, html("span", {}, NAMES[theme]));
    }));
}
