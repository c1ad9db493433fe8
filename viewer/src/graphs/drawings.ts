// The drawings of the graph section, and the legend below them: one of all factors, or one of the input graph and, for
// each factor, one of the true part that it stands for above one of its own.
import type { FactorGraphs } from "../data";
import { html, rich } from "../dom";
import { formatCount, formatFixed } from "../numbers";
import { Board, type Owner } from "./board";
import type { Graph } from "./graph";
import { factorLegend, nodeLegend, signLegend, typeLegend } from "./legend";
import type { Drawing, Stroke } from "./paint";
import type { Picture } from "./picture";
import type { State } from "./state";
import { allStrokes, factorStrokes, inputStrokes, touched, truthStrokes } from "./strokes";

export class Drawings {
  /** What of it is in sight follows the state's view. */
  readonly element: HTMLElement;
  readonly legend = html("div", { class: "legends" });
  private readonly all: Board;
  private readonly input: Board;
  private readonly truths: Board[] = [];
  private readonly factors: Board[] = [];
  private readonly single: HTMLElement;
  private readonly columns = html("div", { class: "columns" });

  /** `changed`: something was chosen in the legend. `sayDrawn`: how many edges each factor has now. */
  constructor(private readonly part: FactorGraphs, private readonly state: State, private readonly hasTruth: boolean,
              private readonly owner: Owner, private readonly changed: () => void,
              private readonly sayDrawn: (counts: number[]) => void) {
    this.all = new Board("all", (width) => Math.round(Math.min(720, Math.max(320, 0.62 * width))), owner);
    this.input = new Board("input", (width) => Math.round(0.85 * width), owner);
    this.single = html("div", { class: "single" }, this.all.element);
    this.element = html("div", {}, this.single, this.columns);
    this.build();
  }

  /** Those that are in sight. */
  get boards(): Board[] {
    return this.state.view === "one" ? [this.all] : [this.input, ...this.truths, ...this.factors];
  }

  get focused(): Board | undefined {
    return this.boards.find((board) => board.canvas === document.activeElement);
  }

  /** One column per factor of the layer. */
  build(): void {
    const { part } = this;
    this.truths.length = 0;
    this.factors.length = 0;
    const height = (width: number) => Math.round(0.85 * width);
    const columns = [html("div", { class: "column" }, this.input.element)];
    const names = part.layers[this.state.layer].factors;
    const unmatched = Math.max(0, ...part.samples.map((sample) => {
      const { matches } = sample.layers[this.state.layer];
      return sample.truth.filter((_, index) =>
        !matches.some((match) => match.truth === index && match.factor >= 0)).length;
    }));
    for (let slot = 0; slot < names.length + (this.hasTruth ? unmatched : 0); ++slot) {
      const column = html("div", { class: slot < names.length ? "column" : "column unmatched" });
      if (this.hasTruth) {
        const truth = new Board("truth", height, this.owner);
        this.truths.push(truth);
        column.append(truth.element);
      }
      if (slot < names.length) {
        const factor = new Board("factor", height, this.owner);
        this.factors.push(factor);
        column.append(factor.element);
      }
      columns.push(column);
    }
    this.columns.replaceChildren(...columns);
  }

  draw(graph: Graph, picture: Picture): void {
    const one = this.state.view === "one";
    this.single.hidden = !one;
    this.columns.hidden = one;
    this.columns.classList.toggle("roomy", picture.nodes.length > 40);
    if (one) {
      this.drawAll(picture);
    } else {
      this.drawInput(picture);
      this.drawTruths(graph, picture);
      this.drawFactors(graph, picture);
    }
    this.drawLegend(graph, picture);
  }

  private drawing(picture: Picture, strokes: Stroke[], factor: number | null, everyNode: boolean): Drawing {
    const { graph } = picture;
    const { state } = this;
    const nodes = touched(picture, strokes);
    if (everyNode) {
      picture.nodes.forEach((_, place) => {
        if (!picture.isolated[place] || state.isolated) {
          nodes.add(place);
        }
      });
    }
    const index = state.colouringOf(factor);
    const colours = index < 0 ? null : graph.colours[index];
    return { strokes, nodes, faint: state.isolated, names: state.namesIn(graph), arrows: true,
             colours: colours === null ? null : (place) => colours[picture.nodes[place]] };
  }

  private drawAll(picture: Picture): void {
    const strokes = allStrokes(picture, this.state);
    this.all.show(picture, this.drawing(picture, strokes, null, true));
    this.all.setCaption([], "", "", `All ${this.part.word}s in one drawing: ${picture.nodes.length} nodes, ` +
                                       `${picture.edges.length} edges`);
  }

  private drawInput(picture: Picture): void {
    const withTruth = this.state.compare && this.hasTruth;
    this.input.show(picture, this.drawing(picture, inputStrokes(picture, withTruth), null, true));
    const edges = `${formatCount(picture.edges.length)} edges`;
    this.input.setCaption(["Input graph"], "", withTruth ? `${edges}, coloured by true part` : edges,
                          `Input graph, ${picture.nodes.length} nodes, ${edges}`);
  }

  private drawTruths(graph: Graph, picture: Picture): void {
    const factors = this.factors.length;
    const slots = new Array<number>(this.truths.length).fill(-1);
    let next = factors;
    const matches = graph.matches(this.state.layer);
    graph.truth.forEach((_, index) => {
      const match = matches.find((item) => item.truth === index && item.factor >= 0);
      slots[match === undefined ? next++ : match.factor] = index;
    });
    this.truths.forEach((board, slot) => {
      const truth = graph.truth[slots[slot]];
      if (truth === undefined) {
        board.setEmpty(slot < factors ? "no true part" : "");
        return;
      }
      const name = this.part.types[truth.type];
      const strokes = truthStrokes(picture, truth);
      board.show(picture, this.drawing(picture, strokes, null, false));
      const detail = `${formatCount(strokes.length)} edges${slot < factors ? "" : ", no factor left for it"}`;
      board.setCaption([html("span", { class: `chip s${truth.type % 6 + 1}` }), name], "", detail,
                       `True part ${name}, ${strokes.length} edges`);
    });
    this.columns.querySelectorAll<HTMLElement>(".column.unmatched").forEach((column, index) => {
      column.hidden = (slots[factors + index] ?? -1) < 0;
    });
  }

  private drawFactors(graph: Graph, picture: Picture): void {
    const counts: number[] = [];
    const names = this.part.layers[this.state.layer].factors;
    this.factors.forEach((board, factor) => {
      const { strokes, drawn, differ } = factorStrokes(picture, this.state, factor);
      counts.push(drawn.length);
      board.show(picture, this.drawing(picture, strokes, factor, false));
      const match = graph.matches(this.state.layer).find((item) => item.factor === factor);
      const edges = `${formatCount(drawn.length)} ${drawn.length === 1 ? "edge" : "edges"}` +
                    (differ === null ? "" : `, ${formatCount(differ)} differ`);
      const score = match === undefined ? "" : `${this.part.score_label} ${formatFixed(match.ged, 0)}`;
      const stands = match === undefined ? ""
        : `, stands for ${this.part.types[graph.truth[match.truth].type]}, ${score}`;
      const name = names[factor].charAt(0).toUpperCase() + names[factor].slice(1);
      board.setCaption([name], rich(score), edges, `${name}${stands}; ${edges} at this setting`);
    });
    this.sayDrawn(counts);
  }

  private drawLegend(graph: Graph, picture: Picture): void {
    const { state, part } = this;
    const items: HTMLElement[] = [];
    if (state.view === "one" && state.edges === "strongest") {
      const counts = part.layers[state.layer].factors.map(() => 0);
      picture.edges.forEach((edge) => { ++counts[graph.strongest(state.layer, edge)]; });
      items.push(factorLegend(part.layers[state.layer].factors, counts, state.off, (factor) => {
        state.toggle(factor);
        this.changed();
        this.legend.querySelectorAll<HTMLElement>(".toggle")[factor]?.focus();
      }));
    } else if (this.hasTruth && (state.view === "one" ? state.edges === "truth" : state.compare)) {
      const used = part.types.length > 12 ? [] : part.types;
      items.push(typeLegend(used));
    }
    const index = state.colouringOf(null);
    if (index >= 0) {
      const used = new Map<number, number>();
      picture.nodes.forEach((node) => {
        const label = graph.colours[index][node];
        used.set(label, (used.get(label) ?? 0) + 1);
      });
      items.push(nodeLegend(part.colourings[index].name, part.colourings[index].labels, used));
    }
    const compared = this.hasTruth && state.view === "many" && state.compare;
    items.push(signLegend(part.value ?? "coefficient", compared, graph.certainty !== null,
                          !picture.isWhole));
    this.legend.replaceChildren(...items);
  }
}
