// The row that chooses a sample: previous, a search field, next, and the order.
import type { Sample } from "../data";
import { html } from "../dom";
import { formatCount, formatFixed, isNumber } from "../numbers";
import { makeFinder, SHOWN } from "./finder";
import { type Order, ordered, SampleIndex } from "./search";

export interface Picker {
  element: HTMLElement;
  /** Moves along the chosen order; stays inside. */
  move: (by: number) => void;
  jump: (end: "first" | "last") => void;
}

/** `score`: of a sample, by which they can be ordered. */
export function makePicker(id: string, samples: Sample[], scoreLabel: string,
                           score: (sample: Sample) => number | null | undefined,
                           choose: (index: number) => void): Picker {
  const index = new SampleIndex(samples);
  let order = ordered(samples, "data", score);
  let position = 0;
  const place = html("span", { class: "place", "aria-live": "polite" });
  const previous = html("button", { type: "button", class: "step", "aria-label": "Previous graph",
                                    onclick: () => move(-1) }, "\u2190");
  const next = html("button", { type: "button", class: "step", "aria-label": "Next graph",
                                onclick: () => move(1) }, "\u2192");
  const go = (to: number) => {
    position = to;
    place.textContent = `${formatCount(position + 1)} of ${formatCount(samples.length)}`;
    previous.disabled = position === 0;
    next.disabled = position === order.length - 1;
    choose(order[position]);
  };
  const move = (by: number) => {
    const to = Math.min(order.length - 1, Math.max(0, position + by));
    if (to !== position) {
      go(to);
    }
  };
  const finder = makeFinder({
    id: `${id}-sample`, label: "Search a graph by id or label", placeholder: "Search id or label",
    none: "no graph matches",
    find: (query) => index.find(query, SHOWN).map((key) => {
      const value = score(samples[key]);
      return { key, lead: samples[key].id, text: samples[key].label,
               more: isNumber(value) ? formatFixed(value, 1) : "" };
    }),
    take: (key) => go(order.indexOf(key)),
  });
  const scored = samples.some((sample) => isNumber(score(sample)));
  const select = html("select", { "aria-label": "Order of the graphs", onchange: () => {
    const sample = order[position];
    order = ordered(samples, select.value as Order, score);
    // Another order starts at its own beginning; the data's order stays with the sample at hand.
    go(select.value === "data" ? order.indexOf(sample) : 0);
  } }, html("option", { value: "data" }, "in the order of the data"),
  html("option", { value: "best" }, `lowest ${scoreLabel} first`),
  html("option", { value: "worst" }, `highest ${scoreLabel} first`));
  const element = html(
    "div", { class: "picker", role: "group", "aria-label": "Choose a graph" },
    html("div", { class: "steps" }, previous, place, next), finder, scored ? select : null);
  queueMicrotask(() => go(0));
  return { element, move, jump: (end) => go(end === "first" ? 0 : order.length - 1) };
}
