// What colours, dashes and shapes mean in the drawings above. Factors can be switched off in the drawing of all.
import { type Child, html, svg } from "../dom";
import { formatCount } from "../numbers";
import { hueDash, labelColour, labelShape } from "./paint";
import type { Shape } from "./pens";

const MOST_LABELS = 14;

function lineSign(hue: number): SVGSVGElement {
  return svg("svg", { class: "swatch", width: 26, height: 10, "aria-hidden": "true" },
             svg("line", { class: `series s${hue % 6 + 1}`, x1: 1, x2: 25, y1: 5, y2: 5, "stroke-width": 3,
                           "stroke-dasharray": hueDash(hue).join(" ") }));
}

const OUTLINES: Record<Shape, string> = {
  circle: "M6,1.5a4.5,4.5 0 1 0 0.01,0z", square: "M2,2h8v8h-8z", triangle: "M6,1L11.2,10.6H0.8z",
  diamond: "M6,0.4L11.6,6L6,11.6L0.4,6z",
};

function nodeSign(label: number): SVGSVGElement {
  return svg("svg", { class: `swatch s${labelColour(label) + 1}`, width: 12, height: 12, "aria-hidden": "true" },
             svg("path", { class: label < 0 ? "node-sign none" : "node-sign", d: OUTLINES[labelShape(label)] }));
}

/** Factors with the edges that each has as its strongest; a press switches one off or on. */
export function factorLegend(names: string[], counts: number[], off: ReadonlySet<number>,
                             toggle: (factor: number) => void): HTMLElement {
  return html("ul", { class: "graph-legend factor-legend", "aria-label": "Factors" }, names.map((name, factor) =>
    html("li", {}, html("button", {
      type: "button", class: "toggle", "aria-pressed": String(!off.has(factor)), title: "show or hide these edges",
      onclick: () => toggle(factor),
    }, lineSign(factor), html("span", {}, name), html("span", { class: "count" }, formatCount(counts[factor]))))));
}

export function typeLegend(types: string[]): HTMLElement {
  return html("ul", { class: "graph-legend", "aria-label": "True relations" },
              types.map((name, type) => html("li", {}, lineSign(type), name)));
}

/** Labels in use, the most frequent first; what has none is named too. */
export function nodeLegend(name: string, labels: string[], used: Map<number, number>): HTMLElement {
  const order = [...used].filter(([label]) => label >= 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const items: Child[] = order.slice(0, MOST_LABELS).map(([label, count]) =>
    html("li", {}, nodeSign(label), html("span", {}, labels[label]),
         html("span", { class: "count" }, formatCount(count))));
  if (order.length > MOST_LABELS) {
    items.push(html("li", {}, `and ${order.length - MOST_LABELS} more`));
  }
  if (used.has(-1)) {
    items.push(html("li", {}, nodeSign(-1), "not known",
                    html("span", { class: "count" }, formatCount(used.get(-1) ?? 0))));
  }
  return html("div", { class: "node-legend" }, html("span", { class: "legend-name" }, `Nodes: ${name}`),
              html("ul", { class: "graph-legend", "aria-label": `Nodes: ${name}` }, items));
}

/** How a factor's own drawing is to be read. */
export function signLegend(word: string, compared: boolean, certainty: boolean, rings: boolean): HTMLElement {
  const line = (kind: string, text: string) =>
    html("li", {}, html("span", { class: `sign ${kind}`, "aria-hidden": "true" }), text);
  return html("ul", { class: "graph-legend" },
              compared && [line("hit", "drawn and true"), line("extra", "drawn, not true"),
                           line("missing", "true, not drawn")],
              line("strength", `thicker: larger ${word}`),
              certainty && line("pale", "paler: less certain"),
              rings && line("ring", "has more neighbours than are shown"));
}
