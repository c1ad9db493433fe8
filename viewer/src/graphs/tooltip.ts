// What is known of the edge or node under the pointer: its coefficients, certainty, true parts; its label in every
// colouring, its edges.
import { html } from "../dom";
import { formatCount, formatFixed, formatShare } from "../numbers";
import type { Graph } from "./graph";
import type { Target } from "./paint";

/** Text at the left, and at the right of a line. */
type Line = [string, string];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function nodeLines(graph: Graph, node: number, hidden: number): Line[] {
  const edges = graph.degree(node);
  const lines: Line[] = graph.part.colourings.flatMap(({ name, labels }, index): Line[] => {
    const label = graph.colours[index][node];
    return label < 0 ? [] : [[name, labels[label]]];
  });
  lines.push(["edges", formatCount(edges)]);
  if (hidden > 0) {
    lines.push(["not shown", formatCount(hidden)]);
  }
  return lines;
}

function endsOf(graph: Graph, edge: number): { from: number; to: number; sign: string } {
  const [s, t] = [graph.sources[edge], graph.targets[edge]];
  const direction = graph.directions?.[edge] ?? 0;
  return direction === 2 ? { from: t, to: s, sign: "\u2192" }
    : { from: s, to: t, sign: direction === 1 ? "\u2192" : "\u2013" };
}

function known(graph: Graph, edge: number): string {
  if (graph.truth.length === 0) {
    return "";
  }
  const parts = graph.typesOf(edge).map((type) => graph.part.types[type]);
  return parts.length === 0 ? "in no true part" : `in ${parts.join(" and ")}`;
}

/** One sentence, for screen readers. */
export function describeTarget(graph: Graph, layer: number, target: Exclude<Target, null>, hidden = 0): string {
  if ("node" in target) {
    return `node ${graph.fullName(target.node)}: ` +
           nodeLines(graph, target.node, hidden).map(([label, value]) => `${label} ${value}`).join(", ");
  }
  const { from, to } = endsOf(graph, target.edge);
  const values = graph.part.layers[layer].factors.map((name, factor) =>
    `${name} ${formatShare(graph.coefficient(layer, target.edge, factor))}`);
  const sure = graph.sureness(target.edge);
  const parts = known(graph, target.edge);
  return `edge ${graph.fullName(from)} to ${graph.fullName(to)}: ${values.join(", ")}` +
         (sure === null ? "" : `, certainty ${formatFixed(sure, 2)}`) + (parts === "" ? "" : `; ${parts}`);
}

export class Tooltip {
  readonly element = html("div", { class: "tooltip", role: "tooltip" });
  readonly live = html("p", { class: "spoken", "aria-live": "polite" });

  constructor() {
    this.element.hidden = true;
  }

  hide(): void {
    this.element.hidden = true;
  }

  show(graph: Graph, layer: number, target: Exclude<Target, null>, hidden: number, at: { x: number; y: number },
       speak: boolean): void {
    if ("node" in target) {
      this.element.replaceChildren(
        html("strong", {}, graph.fullName(target.node)),
        html("table", {}, html("tbody", {}, nodeLines(graph, target.node, hidden).map(
          ([label, value]) => html("tr", {}, html("th", { scope: "row" }, label), html("td", {}, value))))));
    } else {
      this.element.replaceChildren(...this.edge(graph, layer, target.edge));
    }
    this.element.hidden = false;
    const box = this.element.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.x + 14), document.documentElement.clientWidth - box.width - 8);
    const below = at.y + 16 + box.height < window.innerHeight;
    this.element.style.left = `${Math.max(8, left)}px`;
    this.element.style.top = `${below ? at.y + 16 : Math.max(8, at.y - box.height - 12)}px`;
    if (speak) {
      this.live.textContent = describeTarget(graph, layer, target, hidden);
    }
  }

  private edge(graph: Graph, layer: number, edge: number): (Node | string)[] {
    const { from, to, sign } = endsOf(graph, edge);
    const best = graph.strongest(layer, edge);
    const rows = graph.part.layers[layer].factors.map((name, factor) => {
      const value = graph.coefficient(layer, edge, factor);
      const bar = html("span", { class: "tip-bar" });
      bar.style.setProperty("--value", String(value));
      return html("tr", { class: factor === best ? "best" : "" },
                  html("th", { scope: "row" }, html("span", { class: `chip s${factor % 6 + 1}` }), name),
                  html("td", {}, bar), html("td", { class: "number" }, formatShare(value)));
    });
    const sure = graph.sureness(edge);
    const parts = known(graph, edge);
    return [
      html("strong", {}, `${graph.fullName(from)} ${sign} ${graph.fullName(to)}`),
      html("table", {}, html("tbody", {}, rows)),
      ...(sure === null ? [] : [html("span", { class: "tip-parts" }, `certainty ${formatFixed(sure, 2)}`)]),
      ...(parts === "" ? [] : [html("span", { class: "tip-parts" }, capital(parts))]),
    ];
  }
}
