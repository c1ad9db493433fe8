// The controls around the drawings: what is shown and how, the search for nodes, zooming, files to take away.
import type { FactorGraphs } from "../data";
import { html } from "../dom";
import { formatCount, formatFixed } from "../numbers";
import { makeButton, makeCheck, makeSegments, makeSelect, type Segments } from "./controls";
import { type Find, makeFinder, SHOWN } from "./finder";
import type { Graph } from "./graph";
import { MOST, STEP } from "./neighbourhood";
import type { Picture } from "./picture";
import { makeSlider } from "./slider";
import type { NodeColours, State } from "./state";
import type { EdgeColours, Mode } from "./strokes";

export interface Acts {
  /** Something was chosen: draw again. */
  changed: () => void;
  layerChanged: () => void;
  zoom: (factor: number) => void;
  whole: () => void;
  findNode: (query: string, limit: number) => Find[];
  takeNode: (node: number) => void;
  grow: () => void;
  restart: () => void;
  download: (kind: "svg" | "png" | "csv") => void;
}

const SEARCHED = 12;  // nodes from which a search is offered
const COUNTED = 20_000;  // coefficients in the histogram

export class Controls {
  readonly top: HTMLElement;
  /** Search and growth. */
  readonly hoods: HTMLElement;
  readonly zooms: HTMLElement;
  readonly bottom: HTMLElement;
  private readonly slider;
  private readonly modes: Segments;
  private readonly edgeChoice: HTMLElement;
  private readonly compare: HTMLElement;
  private readonly isolated;
  private readonly names;
  private readonly growth: HTMLElement;
  private readonly growButton: HTMLButtonElement;
  private readonly shown = html("p", { class: "hint", "aria-live": "polite" });
  private readonly alongPlace = html("span", {});

  constructor(private readonly part: FactorGraphs, private readonly state: State, hasTruth: boolean,
              private readonly acts: Acts) {
    const { id, word } = part;
    const scored = part.samples.some((sample) => sample.layers.some((layer) => layer.matches.length > 0));
    const views = makeSegments(`${id}-view`, "Drawings", [["one", "all in one"], ["many", `one per ${word}`]],
                               state.view, (view) => {
      state.view = view as "one" | "many";
      acts.changed();
    });
    const edges: [string, string][] = [["strongest", `strongest ${word}`], ...(hasTruth ? [["truth", "true relation"] as
      [string, string]] : []), ["none", "no colour"]];
    this.edgeChoice = makeSelect("Edges by", edges, state.edges, (value) => {
      state.edges = value as EdgeColours;
      acts.changed();
    }).element;
    this.modes = makeSegments(`${id}-mode`, `Edges of a ${word}`,
                              [["coefficient", "above threshold"], ["share", "strongest share"],
                               ...(scored ? [["scored", `as ${part.score_label} counts`] as [string, string]] : [])],
                              state.mode, (mode) => {
      state.setMode(mode as Mode);
      acts.changed();
    });
    this.slider = makeSlider(id, part.value ?? "coefficient", (level) => {
      state.setLevel(level);
      acts.changed();
    });
    this.compare = makeCheck("compare with the truth", state.compare, (on) => {
      state.compare = on;
      acts.changed();
    }).element;
    this.isolated = makeCheck("isolated nodes", state.isolated, (on) => {
      state.isolated = on;
      acts.changed();
      acts.whole();
    });
    this.names = makeCheck("names", state.names, (on) => {
      state.setNames(on);
      acts.changed();
    });
    const more = html(
      "details", { class: "more" }, html("summary", {}, "Settings"),
      html("div", { class: "graph-controls" }, this.layerChoice(), this.edgeChoice, this.nodeChoice(),
           this.modes.element, this.slider.element,
           html("div", { class: "checks" }, hasTruth ? this.compare : null, this.names.element,
                this.isolated.element)));
    more.open = !matchMedia("(max-width: 760px)").matches;
    this.top = html("div", { class: "graph-top" }, views.element, more);
    this.growButton = makeButton(`Grow by ${STEP}`, `Show ${STEP} more nodes around those shown`, () => acts.grow());
    this.growth = html("div", { class: "growth" }, this.growButton,
                       makeButton("Start again", "Show the first neighbourhood again", () => acts.restart()),
                       this.alongPlace);
    this.hoods = html("div", { class: "hoods" }, this.finder(), this.growth, this.shown);
    this.zooms = html("div", { class: "zooms", role: "group", "aria-label": "Zoom" },
                      makeButton("+", "Zoom in", () => acts.zoom(1.5)),
                      makeButton("\u2212", "Zoom out", () => acts.zoom(1 / 1.5)),
                      makeButton("Fit", "Show the whole drawing", () => acts.whole()));
    this.bottom = html("div", { class: "graph-foot" }, this.keys(), html(
      "div", { class: "downloads", role: "group", "aria-label": "Download" }, html("span", {}, "Download"),
      makeButton("SVG", "Download the drawing as SVG", () => acts.download("svg")),
      makeButton("PNG", "Download the drawing as PNG", () => acts.download("png")),
      makeButton("CSV", "Download the edges drawn as CSV", () => acts.download("csv"))));
    this.fillAlong();
  }

  private layerChoice(): HTMLElement | null {
    const { part, state } = this;
    return part.layers.length < 2 ? null
      : makeSelect("Layer", part.layers.map((layer, index) =>
        [String(index), `${layer.name} (${layer.factors.length} ${part.word}s)`]), String(state.layer), (value) => {
        state.setLayer(Number(value));
        this.fillAlong();
        this.acts.layerChanged();
      }).element;
  }

  private nodeChoice(): HTMLElement | null {
    const { part, state } = this;
    const own = part.layers.some((layer) => layer.own_colouring?.some((index) => index >= 0));
    const options: [string, string][] = [
      ...part.colourings.map(({ name }, index): [string, string] => [String(index), name]),
      ...(own ? [["own", `groups of each ${part.word}`] as [string, string]] : []), ["none", "no colour"]];
    return options.length < 2 ? null
      : makeSelect("Nodes by", options, String(state.nodes), (value) => {
        state.nodes = (value === "own" || value === "none" ? value : Number(value)) as NodeColours;
        this.acts.changed();
      }).element;
  }

  private finder(): HTMLElement | null {
    const { part } = this;
    return part.samples.every((sample) => sample.nodes < SEARCHED) ? null : makeFinder({
      id: `${part.id}-node`, label: "Search a node", none: "no node matches",
      placeholder: part.samples.some((sample) => sample.node_labels) ? "Find a node by name" : "Find a node by number",
      find: (query) => this.acts.findNode(query, SHOWN),
      take: (node) => this.acts.takeNode(node),
    });
  }

  private fillAlong(): void {
    const { part, state } = this;
    this.alongPlace.replaceChildren(makeSelect(
      "along", [["", "all edges"], ...part.layers[state.layer].factors.map((name, factor): [string, string] =>
        [String(factor), `the strongest of ${name}`])], "", (value) => {
        state.along = value === "" ? null : Number(value);
      }).element);
  }

  private keys(): HTMLElement {
    const key = (name: string) => html("kbd", {}, name);
    const several = this.part.samples.length > 1;
    return html("p", { class: "keys" }, key("\u2190"), " ", key("\u2192"),
                several ? " graph before and after, " : " move, ", key("\u2191"), " ", key("\u2193"),
                " edges from the strongest, ", key("N"), " nodes, ", key("+"), " ", key("\u2212"), " ", key("0"),
                " zoom, ", key("Shift"), " with arrows moves. Drag nodes or the ground; the wheel zooms " +
                "once a drawing has been clicked.");
  }

  /** Follows the state, and what is drawn. */
  update(graph: Graph, picture: Picture): void {
    const { state } = this;
    const one = state.view === "one";
    this.edgeChoice.hidden = !one;
    this.compare.hidden = one;
    this.modes.element.hidden = one && state.edges !== "strongest";
    this.slider.element.hidden = this.modes.element.hidden;
    this.modes.allow(one ? ["coefficient", "share"] : ["coefficient", "share", "scored"]);
    this.modes.set(one && state.mode === "scored" ? state.scale : state.mode);
    this.slider.setScale(state.scale);
    this.slider.setIdle(!one && state.mode === "scored");
    this.isolated.set(state.isolated);
    this.isolated.element.hidden = !picture.isolated.some((alone) => alone);
    this.names.set(state.names);
    this.growth.hidden = picture.isWhole;
    this.growButton.disabled = picture.nodes.length >= MOST;
    this.shown.hidden = picture.isWhole;
    this.shown.textContent = picture.isWhole ? ""
      : `${formatCount(picture.nodes.length)} of ${formatCount(graph.nodes)} nodes and ` +
        `${formatCount(picture.edges.length)} of ${formatCount(graph.edges)} edges are drawn: the whole graph is too ` +
        `large to be read at once. Search a node, or double-click one to bring its neighbours` +
        `${picture.nodes.length >= MOST ? `; more than ${MOST} nodes are not drawn` : ""}.`;
    this.slider.setValues(this.sampleOf(graph, picture));
  }

  /** Coefficients for the histogram: of the edges drawn, or of some of them where they are many. */
  private sampleOf(graph: Graph, picture: Picture): number[] {
    const { layer } = this.state;
    const factors = this.part.layers[layer].factors.length;
    const step = Math.max(1, Math.ceil(picture.edges.length * factors / COUNTED));
    const some = step === 1 ? picture.edges : picture.edges.filter((_, index) => index % step === 0);
    return this.part.layers[layer].factors.flatMap((_, factor) => graph.coefficients(layer, factor, some));
  }

  sayDrawn(counts: number[]): void {
    this.slider.setText(`${formatFixed(this.state.level, 2)}: ${counts.join(", ")} edges drawn`);
  }
}
