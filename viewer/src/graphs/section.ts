// The graph section of a page. Parts of one title that are variants of each other (the folds of a cross-validation)
// share a section; only the one that is looked at is made.
import { type FactorGraphs, PageDataError } from "../data";
import { html, rich } from "../dom";
import { section } from "../section";
import { makeSelect } from "./controls";
import { View } from "./view";

/** Neighbours that are variants of each other, together. */
export function grouped(parts: readonly FactorGraphs[]): FactorGraphs[][] {
  const groups: FactorGraphs[][] = [];
  for (const part of parts) {
    const last = groups[groups.length - 1];
    if (last !== undefined && part.variant && last[0].variant && last[0].title === part.title) {
      last.push(part);
    } else {
      groups.push([part]);
    }
  }
  return groups;
}

function content(part: FactorGraphs): HTMLElement {
  if (part.samples.length === 0) {
    return html("p", { class: "hint" }, "There are no graphs to show.");
  }
  try {
    return new View(part).element;
  } catch (error) {
    if (error instanceof PageDataError) {
      return html("p", { class: "failure", role: "alert" }, error.message);
    }
    throw error;
  }
}

export function graphsSection(parts: FactorGraphs[]): HTMLElement {
  const first = parts[0];
  if (parts.length === 1) {
    return section(first, "factor-graphs", content(first));
  }
  const place = html("div", {});
  const caption = html("p", { class: "caption" });
  const show = (index: number) => {
    place.replaceChildren(content(parts[index]));
    caption.replaceChildren(...(rich(parts[index].caption ?? "") as (Node | string)[]));
  };
  const choice = makeSelect("Show", parts.map((part, index) => [String(index), part.variant ?? part.id]), "0",
                            (value) => show(Number(value)));
  show(0);
  return section({ id: first.id, title: first.title }, "factor-graphs", [place, caption], choice.element);
}
