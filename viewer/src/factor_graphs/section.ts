// Factor graphs of one sample at a time: the input graph, and below each true part the factor that stands for it.
//
// Factors keep their columns from sample to sample, so walking through samples shows whether a kind of part is always
// found by the same factor: that is the C-Score. Only the sample at hand is laid out and drawn.
import type { FactorGraphs, Sample } from "../data";
import { html, rich } from "../dom";
import { onSteps } from "../keyboard";
import { formatFixed, isNumber } from "../numbers";
import { section } from "../section";
import { layoutGraph, type Layout, seedOf } from "./layout";
import { Panel, type Stroke, type Target } from "./panel";
import { makePicker } from "./picker";
import { makeSlider, type Scale } from "./slider";
import { coefficientsOf, differingEntries, edgesAbove, matchOfFactor, overlap, strongestShare,
         touchedNodes } from "./threshold";
import { Tooltip } from "./tooltip";

/** Which edges a factor shows: above the threshold, its strongest share, or those that its GED_E was computed from. */
type Mode = "coefficient" | "share" | "scored";

interface State {
  level: number;
  mode: Mode;
  /** What moving the slider returns to. */
  scale: Scale;
  overlay: boolean;
  isolated: boolean;
}

function typeClass(type: number): string {
  return `t${(type % 6) + 1}`;
}

function strength(coefficient: number): number {
  return 1 + 2.8 * Math.min(Math.max(coefficient, 0), 1);
}

class View {
  readonly element: HTMLElement;
  private readonly state: State = { level: 0.5, mode: "coefficient", scale: "coefficient", overlay: true,
                                    isolated: false };
  private readonly tooltip: Tooltip;
  private readonly input: Panel;
  private readonly truths: Panel[] = [];
  private readonly factors: Panel[] = [];
  private readonly heading = html("h3", { class: "sample-title" });
  private readonly facts = html("dl", { class: "sample-facts" });
  private readonly layouts = new Map<Sample, Layout>();
  private readonly slider;
  private sample: Sample;
  private readonly hasTruth: boolean;
  private readonly rest: HTMLElement[] = [];  // columns of true parts without a factor

  constructor(private readonly part: FactorGraphs) {
    this.sample = part.samples[0];
    this.hasTruth = part.samples.some((sample) => sample.truth.length > 0);
    this.state.overlay = this.hasTruth;
    this.tooltip = new Tooltip(part);
    const target = (found: Target, panel: Panel, event: PointerEvent | null) => this.point(found, panel, event);
    this.input = new Panel("input", 200, true, target);
    const columns: HTMLElement[] = [];
    for (let factor = 0; factor < part.factors; ++factor) {
      const panel = new Panel("factor", 160, false, target);
      this.factors.push(panel);
      columns.push(this.column(panel, target));
    }
    const unmatched = Math.max(0, ...part.samples.map((sample) =>
      sample.truth.filter((_, index) => !sample.matches.some(
        (match) => match.truth === index && match.factor >= 0)).length));
    for (let extra = 0; extra < unmatched; ++extra) {
      const column = this.column(null, target);
      this.rest.push(column);
      columns.push(column);
    }
    const picker = makePicker(part.id, part.samples, part.score_label, (index) => this.choose(part.samples[index]));
    this.slider = makeSlider(part.id, (level) => {
      this.state.level = level;
      this.setMode(this.state.scale);
    });
    const grid = html("div", { class: "panel-grid" }, this.input.element, html("div", { class: "columns" }, columns));
    this.element = html(
      "div", { class: "factor-view" },
      picker.element,
      html("div", { class: "sample-head" }, this.heading, this.facts),
      html("div", { class: "graph-controls" }, this.modeChoice(), this.slider.element, this.checks()),
      grid, this.legend(), this.keys(), this.tooltip.element, this.tooltip.live);
    // With a truth to compare with, the first look is at what was scored.
    this.state.mode = this.hasTruth ? "scored" : "coefficient";
    this.modes.forEach((input) => { input.checked = input.value === this.state.mode; });
    this.slider.setIdle(this.hasTruth);
    document.addEventListener("pointerdown", (event) => {
      if (!(event.target as Element | null)?.closest(".panel-graph")) {
        this.point(null, this.input, null);
      }
    });
    onSteps(this.element, (step) => {
      switch (step) {
        case "left": picker.move(-1); return true;
        case "right": picker.move(1); return true;
        case "first": picker.jump("first"); return true;
        case "last": picker.jump("last"); return true;
        case "up": return this.walk(-1);
        case "down": return this.walk(1);
        case "escape":
          this.point(null, this.input, null);
          return true;
      }
    });
  }

  private column(factor: Panel | null,
                 target: (found: Target, panel: Panel, event: PointerEvent | null) => void): HTMLElement {
    const column = html("div", { class: factor === null ? "column unmatched" : "column" });
    if (this.hasTruth) {
      const truth = new Panel("truth", 160, false, target);
      this.truths.push(truth);
      column.append(truth.element);
    }
    if (factor !== null) {
      column.append(factor.element);
    }
    return column;
  }

  private readonly modes: HTMLInputElement[] = [];

  private setMode(mode: Mode): void {
    this.state.mode = mode;
    if (mode !== "scored") {
      this.state.scale = mode;
      this.slider.setScale(mode);
    }
    this.slider.setIdle(mode === "scored");
    this.modes.forEach((input) => { input.checked = input.value === mode; });
    this.drawFactors();
  }

  private checks(): HTMLElement {
    const box = (label: string, key: "overlay" | "isolated") => {
      const input = html("input", { type: "checkbox", "data-switch": key, onchange: () => {
        this.state[key] = input.checked;
        this.drawAll();
      } });
      input.checked = this.state[key];
      return html("label", { class: "check" }, input, label);
    };
    return html("div", { class: "checks" }, this.hasTruth ? box("compare with the truth", "overlay") : null,
                box("isolated nodes", "isolated"));
  }

  private modeChoice(): HTMLElement {
    const mode = (label: string, value: Mode) => {
      const input = html("input", { type: "radio", name: `${this.part.id}-mode`, value,
                                    onchange: () => this.setMode(value) });
      this.modes.push(input);
      return html("label", {}, input, html("span", {}, rich(label)));
    };
    return html("fieldset", { class: "segments modes" }, html("legend", {}, "Edges of a factor"),
                mode("above threshold", "coefficient"),
                mode("strongest share", "share"),
                this.hasTruth ? mode(`as ${this.part.score_label} counts`, "scored") : null);
  }

  private legend(): HTMLElement {
    const line = (kind: string, text: string) => {
      const sign = html("span", { class: `sign ${kind}`, "aria-hidden": "true" });
      return html("li", {}, sign, text);
    };
    return html("ul", { class: "graph-legend" },
                this.hasTruth && [line("hit", "drawn and true"), line("extra", "drawn, not true"),
                                  line("missing", "true, not drawn")],
                line("strength", "thicker: larger coefficient"));
  }

  private keys(): HTMLElement {
    const key = (name: string) => html("kbd", {}, name);
    return html("p", { class: "keys" }, key("\u2190"), " ", key("\u2192"), " previous and next sample, ", key("\u2191"),
                " ", key("\u2193"), " edges of the panel in focus, from the strongest");
  }

  private choose(sample: Sample): void {
    this.sample = sample;
    this.point(null, this.input, null);
    if (!this.layouts.has(sample)) {
      if (this.layouts.size > 64) {
        this.layouts.clear();
      }
      this.layouts.set(sample, layoutGraph(sample.nodes, sample.edges, seedOf(sample.id)));
    }
    this.heading.replaceChildren(html("span", { class: "sample-id" }, `Sample ${sample.id}`), " ", sample.label);
    const score = isNumber(sample.ged) ? [{ label: this.part.score_label, value: formatFixed(sample.ged, 2) }] : [];
    const facts = [...score,
                   { label: "nodes", value: String(sample.nodes) },
                   { label: "edges", value: String(sample.edges.length / 2) }, ...(sample.facts ?? [])];
    this.facts.replaceChildren(...facts.map((fact) => html("div", {}, html("dt", {}, rich(fact.label)),
                                                           html("dd", {}, fact.value))));
    this.slider.setValues(sample.coefficients);
    this.drawAll();
  }

  private drawAll(): void {
    const layout = this.layouts.get(this.sample) as Layout;
    [this.input, ...this.truths, ...this.factors].forEach(
      (panel) => panel.setSample(this.sample, layout, this.state.isolated));
    this.drawInput();
    this.drawTruths();
    this.drawFactors();
  }

  private drawInput(): void {
    const { sample, state } = this;
    const all = sample.edges.map((_, index) => index).slice(0, sample.edges.length / 2);
    const typesOf = new Map<number, number[]>();
    for (const truth of state.overlay ? sample.truth : []) {
      truth.edges.forEach((edge) => typesOf.set(edge, [...(typesOf.get(edge) ?? []), truth.type]));
    }
    const strokes: Stroke[] = all.flatMap((edge): Stroke[] => {
      const types = typesOf.get(edge) ?? [];
      return types.length === 0 ? [{ edge, kind: "plain", width: 1.6 }]
        : types.map((type, index) => ({ edge, kind: `true ${typeClass(type)}`, width: 2.1,
                                        shift: 1.05 * (index - (types.length - 1) / 2) }));
    });
    this.input.draw({ strokes, nodes: touchedNodes(sample, all), faint: state.isolated });
    this.input.setCaption(["Input graph"], "", state.overlay ? "coloured by true part" : "",
                          `Input graph, ${sample.nodes} nodes, ${all.length} edges`);
  }

  private drawTruths(): void {
    if (!this.hasTruth) {
      return;
    }
    const { sample, part } = this;
    const slots = new Array<number>(this.truths.length).fill(-1);
    let next = part.factors;
    sample.truth.forEach((_, index) => {
      const match = sample.matches.find((item) => item.truth === index && item.factor >= 0);
      slots[match === undefined ? next++ : match.factor] = index;
    });
    this.truths.forEach((panel, slot) => {
      const truth = sample.truth[slots[slot]];
      if (truth === undefined) {
        panel.setEmpty(slot < part.factors ? "no true part" : "");
        return;
      }
      const name = part.types[truth.type];
      panel.draw({ strokes: truth.edges.map((edge) => ({ edge, kind: `true ${typeClass(truth.type)}`, width: 2.2 })),
                   nodes: touchedNodes(sample, truth.edges), faint: this.state.isolated });
      const detail = slot < part.factors ? "" : "no factor left for it";
      panel.setCaption([html("span", { class: `chip ${typeClass(truth.type)}` }), name], "", detail,
                       `True part ${name}, ${truth.edges.length} edges`);
    });
    this.rest.forEach((column, index) => { column.hidden = slots[part.factors + index] < 0; });
  }

  private drawFactors(): void {
    const { sample, part, state } = this;
    const counts: number[] = [];
    this.factors.forEach((panel, factor) => {
      const values = coefficientsOf(sample, part.factors, factor);
      const match = matchOfFactor(sample, factor);
      const truth = match === undefined ? undefined : sample.truth[match.truth];
      const drawn = state.mode === "scored" && match !== undefined ? match.kept
        : state.scale === "share" ? strongestShare(values, state.level) : edgesAbove(values, state.level);
      counts.push(drawn.length);
      let strokes: Stroke[];
      if (state.overlay && truth !== undefined) {
        const found = overlap(drawn, truth.edges);
        const kind = typeClass(truth.type);
        strokes = [
          ...found.missing.map((edge): Stroke => ({ edge, kind: `missing ${kind}`, width: 1.8 })),
          ...found.extra.map((edge): Stroke => ({ edge, kind: "extra", width: strength(values[edge]) })),
          ...found.hits.map((edge): Stroke => ({ edge, kind: `hit ${kind}`, width: strength(values[edge]) })),
        ];
      } else {
        strokes = drawn.map((edge) => ({ edge, kind: "plain", width: strength(values[edge]),
                                         opacity: 0.4 + 0.6 * values[edge] }));
      }
      panel.draw({ strokes, nodes: touchedNodes(sample, strokes.map((stroke) => stroke.edge)), faint: state.isolated });
      const differ = truth === undefined ? "" : `, ${differingEntries(drawn, truth.edges, truth.missing ?? 0)} differ`;
      const edges = `${drawn.length} ${drawn.length === 1 ? "edge" : "edges"}${differ}`;
      const score = match === undefined ? "" : `${part.score_label} ${formatFixed(match.ged, 0)}`;
      const stands = truth === undefined ? "" : `, stands for ${part.types[truth.type]}, ${score}`;
      panel.setCaption([`Factor ${factor + 1}`], rich(score), edges,
                       `Factor ${factor + 1}${stands}; ${edges} at this setting`);
      panel.element.dataset.drawn = String(drawn.length);
    });
    this.slider.setText(`${formatFixed(state.level, 2)}: ${counts.join(", ")} edges drawn`);
  }

  private point(target: Target, panel: Panel, event: PointerEvent | null): void {
    [this.input, ...this.truths, ...this.factors].forEach((item) => item.mark(target));
    if (target === null) {
      this.tooltip.hide();
    } else if (event !== null) {
      this.tooltip.show(this.sample, target, { x: event.clientX, y: event.clientY }, false);
    } else {
      this.tooltip.show(this.sample, target, panel.screenPlace(), true);
    }
  }

  private focused = -1;
  private focusedPanel: Panel | null = null;

  /** From edge to edge of the panel that has the focus. */
  private walk(by: number): boolean {
    const panel = [this.input, ...this.truths, ...this.factors].find((item) => item.root === document.activeElement);
    if (panel === undefined || panel.drawn.length === 0) {
      return false;
    }
    if (panel !== this.focusedPanel || this.tooltip.element.hidden) {
      this.focusedPanel = panel;
      this.focused = by > 0 ? -1 : panel.drawn.length;
    }
    this.focused = Math.min(panel.drawn.length - 1, Math.max(0, this.focused + by));
    this.point({ edge: panel.drawn[this.focused] }, panel, null);
    return true;
  }
}

export function factorGraphsSection(part: FactorGraphs): HTMLElement {
  if (part.samples.length === 0) {
    return section(part, "factor-graphs", html("p", { class: "hint" }, "There are no samples to show."));
  }
  const beside = html("span", { class: "badge" }, `layer ${part.layer}, ${part.factors} factors`);
  return section(part, "factor-graphs", new View(part).element, beside);
}
