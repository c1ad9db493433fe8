// What a person has chosen in the graph section, and what is chosen at first.
import type { FactorGraphs } from "../data";
import type { Graph } from "./graph";
import { isDrawnWhole } from "./picture";
import type { Choice, EdgeColours, Mode } from "./strokes";

/** How nodes are coloured: not at all, by a colouring of the page, or in each factor by its own groups. */
export type NodeColours = "none" | "own" | number;

const MOST_NAMES = 130;  // nodes whose names are shown at first
const FEW_NODES = 40;
const MOST_COLUMNS = 12;  // factors that get a drawing each at first

export class State implements Choice {
  view: "one" | "many";
  layer: number;
  level = 0.5;
  mode: Mode;
  scale: "coefficient" | "share" = "coefficient";
  compare: boolean;
  isolated = false;
  names = false;
  edges: EdgeColours = "strongest";
  nodes: NodeColours;
  /** Where a neighbourhood grows: along all edges, or the strongest of one factor. */
  along: number | null = null;
  readonly off = new Set<number>();
  private namesChosen = false;

  constructor(private readonly part: FactorGraphs) {
    const hasTruth = part.samples.some((sample) => sample.truth.length > 0);
    const scored = part.samples.some((sample) => sample.layers.some((layer) => layer.matches.length > 0));
    this.layer = part.shown_layer;
    this.compare = hasTruth;
    this.mode = scored ? "scored" : "coefficient";
    this.view = part.samples.length > 1 && hasTruth && part.layers[this.layer].factors.length <= MOST_COLUMNS
      ? "many" : "one";
    const own = part.layers[this.layer].own_colouring?.some((index) => index >= 0);
    this.nodes = own ? "own" : part.colourings.length > 0 ? 0 : "none";
  }

  /** Which colouring a drawing of one factor, or of all, uses; -1: none. */
  colouringOf(factor: number | null): number {
    if (this.nodes === "own") {
      return factor === null ? -1 : this.part.layers[this.layer].own_colouring?.[factor] ?? -1;
    }
    return this.nodes === "none" ? -1 : this.nodes;
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    if (mode !== "scored") {
      this.scale = mode;
    }
  }

  /** Moving the slider leaves what was scored. */
  setLevel(level: number): void {
    this.level = level;
    this.mode = this.scale;
  }

  setLayer(layer: number): void {
    this.layer = layer;
    this.off.clear();
    this.along = null;
  }

  toggle(factor: number): void {
    if (!this.off.delete(factor)) {
      this.off.add(factor);
    }
  }

  setNames(on: boolean): void {
    this.names = on;
    this.namesChosen = true;
  }

  /** Small drawings of many nodes have no room for names, unless they were asked for. */
  namesIn(graph: Graph): boolean {
    return this.names && (this.view === "one" || this.namesChosen || graph.nodes <= FEW_NODES);
  }

  /** Names are shown at first where there are names and room for them. */
  namesFit(graph: Graph): void {
    if (!this.namesChosen) {
      this.names = graph.sample.node_labels !== undefined && (graph.nodes <= MOST_NAMES || !isDrawnWhole(graph));
    }
  }
}
