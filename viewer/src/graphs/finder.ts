// A search field with a short list of finds below it: for samples and for nodes.
//
// The list never holds more than a few entries, so what is searched may have a million. Arrow keys choose, Enter takes,
// Escape closes.
import { html } from "../dom";

export const SHOWN = 8;

export interface Find {
  key: number;
  /** Set apart at the left; may be empty. */
  lead: string;
  text: string;
  /** At the right; may be empty. */
  more: string;
}

export interface FinderOptions {
  id: string;
  label: string;
  placeholder: string;
  /** What is said where nothing is found. */
  none: string;
  find: (query: string) => Find[];
  take: (key: number) => void;
}

export function makeFinder(options: FinderOptions): HTMLElement {
  const { id } = options;
  let finds: Find[] = [];
  let active = -1;
  const list = html("ul", { class: "finds", role: "listbox", id: `${id}-finds`, "aria-label": "Finds" });
  list.hidden = true;
  const field = html("input", {
    type: "text", class: "search", role: "combobox", autocomplete: "off", spellcheck: "false",
    placeholder: options.placeholder, "aria-label": options.label, "aria-expanded": "false",
    "aria-controls": `${id}-finds`, "aria-autocomplete": "list",
  });
  const close = () => {
    list.hidden = true;
    active = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const take = (find: Find) => {
    close();
    field.value = "";
    options.take(find.key);
  };
  const mark = () => {
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === active)));
    if (active >= 0) {
      field.setAttribute("aria-activedescendant", `${id}-find-${active}`);
      list.children[active]?.scrollIntoView({ block: "nearest" });
    }
  };
  const search = () => {
    finds = options.find(field.value);
    active = finds.length > 0 ? 0 : -1;
    list.replaceChildren(...(finds.length === 0
      ? [html("li", { class: "none", role: "option", "aria-disabled": "true" }, options.none)]
      : finds.map((find, at) => {
        const item = html("li", { role: "option", id: `${id}-find-${at}` },
                          find.lead === "" ? null : html("span", { class: "find-id" }, find.lead),
                          html("span", { class: "find-text" }, find.text),
                          find.more === "" ? null : html("span", { class: "find-more" }, find.more));
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
  return html("div", { class: "search-place" }, field, list);
}
