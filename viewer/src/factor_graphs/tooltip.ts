// What is known of the edge or node under the pointer: its coefficient in every factor, the true parts it belongs to.
import type { FactorGraphs, Sample } from "../data";
import { html } from "../dom";
import { formatShare } from "../numbers";
import type { Target } from "./panel";

export function nodeName(sample: Sample, node: number): string {
  const label = sample.node_labels?.[node];
  return label ? `${label} (${node})` : String(node);
}

/** One sentence, for screen readers. */
export function describeTarget(part: FactorGraphs, sample: Sample,
                               target: { edge: number } | { node: number }): string {
  if ("node" in target) {
    const degree = sample.edges.filter((end) => end === target.node).length;
    return `node ${nodeName(sample, target.node)}, ${degree} edges in the input graph`;
  }
  const [s, t] = [sample.edges[2 * target.edge], sample.edges[2 * target.edge + 1]];
  const values = Array.from({ length: part.factors }, (_, factor) =>
    `factor ${factor + 1} ${formatShare(sample.coefficients[target.edge * part.factors + factor])}`);
  const parts = sample.truth.filter((truth) => truth.edges.includes(target.edge))
    .map((truth) => part.types[truth.type]);
  return `edge ${nodeName(sample, s)} to ${nodeName(sample, t)}: ${values.join(", ")}` +
         (sample.truth.length === 0 ? "" : parts.length === 0 ? "; in no true part" : `; in ${parts.join(" and ")}`);
}

export class Tooltip {
  readonly element = html("div", { class: "tooltip", role: "tooltip" });
  readonly live = html("p", { class: "spoken", "aria-live": "polite" });

  constructor(private readonly part: FactorGraphs) {
    this.element.hidden = true;
  }

  hide(): void {
    this.element.hidden = true;
  }

  show(sample: Sample, target: Exclude<Target, null>, at: { x: number; y: number }, speak: boolean): void {
    const { part } = this;
    if ("node" in target) {
      const degree = sample.edges.filter((end) => end === target.node).length;
      this.element.replaceChildren(html("strong", {}, `node ${nodeName(sample, target.node)}`),
                                   html("span", { class: "tip-parts" }, `${degree} edges in the input graph`));
    } else {
      const [s, t] = [sample.edges[2 * target.edge], sample.edges[2 * target.edge + 1]];
      const rows = Array.from({ length: part.factors }, (_, factor) => {
        const value = sample.coefficients[target.edge * part.factors + factor];
        const bar = html("span", { class: "tip-bar" });
        bar.style.setProperty("--value", String(value));
        return html("tr", {}, html("th", { scope: "row" }, `factor ${factor + 1}`), html("td", {}, bar),
                    html("td", { class: "number" }, formatShare(value)));
      });
      const parts = sample.truth.filter((truth) => truth.edges.includes(target.edge));
      this.element.replaceChildren(
        html("strong", {}, `edge ${nodeName(sample, s)} \u2013 ${nodeName(sample, t)}`),
        html("table", {}, html("tbody", {}, rows)),
        sample.truth.length === 0 ? ""
          : html("span", { class: "tip-parts" },
                 parts.length === 0 ? "in no true part"
                                    : parts.map((truth) => [html("span", { class: `chip t${truth.type % 6 + 1}` }),
                                                            part.types[truth.type], " "])));
    }
    this.element.hidden = false;
    const box = this.element.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.x + 14), document.documentElement.clientWidth - box.width - 8);
    const below = at.y + 16 + box.height < window.innerHeight;
    this.element.style.left = `${Math.max(8, left)}px`;
    this.element.style.top = `${below ? at.y + 16 : Math.max(8, at.y - box.height - 12)}px`;
    if (speak) {
      this.live.textContent = describeTarget(part, sample, target);
    }
  }
}
