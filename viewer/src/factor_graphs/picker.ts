// The row that chooses a sample: previous, a search field with a list of finds, next, and the order.
//
// The list never holds more than a few entries, so a page of thousands of samples stays light.
import type { Sample } from "../data";
import { html } from "../dom";
import { formatCount, formatFixed, isNumber } from "../numbers";
import { type Order, ordered, SampleIndex } from "./search";

const SHOWN = 8;

export interface Picker {
  element: HTMLElement;
  /** Moves along the chosen order; stays inside. */
  move: (by: number) => void;
  jump: (end: "first" | "last") => void;
}

export function makePicker(id: string, samples: Sample[], scoreLabel: string, choose: (index: number) => void): Picker {
  const index = new SampleIndex(samples);
  let order = ordered(samples, "data");
  let position = 0;
  let finds: number[] = [];
  let active = -1;

  const place = html("span", { class: "place", "aria-live": "polite" });
  const previous = html("button", { type: "button", class: "step", "aria-label": "Previous sample",
                                    onclick: () => move(-1) }, "\u2190");
  const next = html("button", { type: "button", class: "step", "aria-label": "Next sample",
                                onclick: () => move(1) }, "\u2192");
  const list = html("ul", { class: "finds", role: "listbox", id: `${id}-finds`, "aria-label": "Samples found" });
  list.hidden = true;
  const field = html("input", {
    type: "text", class: "search", role: "combobox", autocomplete: "off", spellcheck: "false",
    placeholder: "Search id or label", "aria-label": "Search a sample by id or label", "aria-expanded": "false",
    "aria-controls": `${id}-finds`, "aria-autocomplete": "list",
  });

  const go = (to: number) => {
    position = to;
    const sample = order[position];
    place.textContent = `${formatCount(position + 1)} of ${formatCount(samples.length)}`;
    previous.disabled = position === 0;
    next.disabled = position === order.length - 1;
    choose(sample);
  };
  const move = (by: number) => {
    const to = Math.min(order.length - 1, Math.max(0, position + by));
    if (to !== position) {
      go(to);
    }
  };
  const close = () => {
    list.hidden = true;
    active = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const take = (sample: number) => {
    close();
    field.value = "";
    go(order.indexOf(sample));
  };
  const mark = () => {
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === active)));
    if (active >= 0) {
      field.setAttribute("aria-activedescendant", `${id}-find-${active}`);
      list.children[active]?.scrollIntoView({ block: "nearest" });
    }
  };
  const search = () => {
    finds = index.find(field.value, SHOWN);
    active = finds.length > 0 ? 0 : -1;
    list.replaceChildren(...(finds.length === 0
      ? [html("li", { class: "none", role: "option", "aria-disabled": "true" }, "no sample matches")]
      : finds.map((find, at) => {
        const sample = samples[find];
        const item = html("li", { role: "option", id: `${id}-find-${at}` },
                          html("span", { class: "find-id" }, sample.id), html("span", {}, sample.label),
                          isNumber(sample.ged)
                            ? html("span", { class: "find-ged" }, formatFixed(sample.ged, 1)) : null);
        // pointerdown: the field would lose its focus, and the list close, before a click arrives.
        item.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          take(find);
        });
        return item;
      })));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    mark();
  };
  field.addEventListener("input", search);
  field.addEventListener("focus", search);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (list.hidden) {
        search();
      } else if (finds.length > 0) {
        active = (active + (event.key === "ArrowDown" ? 1 : finds.length - 1)) % finds.length;
        mark();
      }
      event.preventDefault();
    } else if (event.key === "Enter" && active >= 0) {
      take(finds[active]);
      event.preventDefault();
    } else if (event.key === "Escape") {
      close();
      field.value = "";
    }
  });

  const scored = samples.some((sample) => isNumber(sample.ged));
  const select = html("select", { "aria-label": "Order of the samples", onchange: () => {
    const sample = order[position];
    order = ordered(samples, select.value as Order);
    // Another order starts at its own beginning; the data's order stays with the sample at hand.
    go(select.value === "data" ? order.indexOf(sample) : 0);
  } }, html("option", { value: "data" }, "in the order of the data"),
  html("option", { value: "best" }, `lowest ${scoreLabel} first`),
  html("option", { value: "worst" }, `highest ${scoreLabel} first`));

  const element = html(
    "div", { class: "picker", role: "group", "aria-label": "Choose a sample" },
    html("div", { class: "steps" }, previous, place, next),
    html("div", { class: "search-place" }, field, list),
    scored ? select : null);
  queueMicrotask(() => go(0));
  return { element, move, jump: (end) => go(end === "first" ? 0 : order.length - 1) };
}
