// Form controls of the graph section, each with its label. They tell of a change and can be set without telling.
import { type Child, html, rich } from "../dom";

export interface Select {
  element: HTMLElement;
  set: (value: string) => void;
}

/** `options`: values and their texts. */
export function makeSelect(label: string, options: [string, string][], value: string,
                           onChange: (value: string) => void): Select {
  const select = html("select", { "aria-label": label, onchange: () => onChange(select.value) },
                      options.map(([key, text]) => html("option", { value: key }, text)));
  select.value = value;
  return { element: html("label", { class: "choice" }, html("span", {}, label), select),
           set: (to) => { select.value = to; } };
}

export interface Segments {
  element: HTMLElement;
  set: (value: string) => void;
  /** Only these can be chosen. */
  allow: (values: string[]) => void;
}

export function makeSegments(name: string, label: string, options: [string, string][], value: string,
                             onChange: (value: string) => void): Segments {
  const inputs = options.map(([key]) => {
    const input = html("input", { type: "radio", name, value: key, onchange: () => onChange(key) });
    input.checked = key === value;
    return input;
  });
  const labels = options.map(([, text], index) => html("label", {}, inputs[index], html("span", {}, rich(text))));
  return {
    element: html("fieldset", { class: "segments modes" }, html("legend", {}, label), labels),
    set: (to) => inputs.forEach((input) => { input.checked = input.value === to; }),
    allow: (values) => inputs.forEach((input, index) => { labels[index].hidden = !values.includes(input.value); }),
  };
}

export interface Check {
  element: HTMLElement;
  set: (on: boolean) => void;
}

export function makeCheck(label: string, on: boolean, onChange: (on: boolean) => void): Check {
  const input = html("input", { type: "checkbox", onchange: () => onChange(input.checked) });
  input.checked = on;
  return { element: html("label", { class: "check" }, input, label), set: (to) => { input.checked = to; } };
}

export function makeButton(text: Child, name: string, act: () => void): HTMLButtonElement {
  return html("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
}
