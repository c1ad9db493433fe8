// The part of a graph that is drawn: some of its nodes, the edges among them, and where the nodes stand.
//
// Graphs of up to WHOLE_NODES nodes and WHOLE_EDGES edges are drawn whole; of larger ones a neighbourhood.
import type { Graph } from "./graph";
import { layoutGraph, seedOf } from "./layout";

export const WHOLE_NODES = 1200;
export const WHOLE_EDGES = 6000;

export function isDrawnWhole(graph: { nodes: number; edges: number }): boolean {
  return graph.nodes <= WHOLE_NODES && graph.edges <= WHOLE_EDGES;
}

export class Picture {
  /** Of the graph: ascending, or in the order in which they came. */
  readonly nodes: number[];
  /** Of the graph, ascending. */
  readonly edges: number[];
  x: Float64Array;
  y: Float64Array;
  readonly isolated: boolean[];
  private readonly places = new Map<number, number>();
  private readonly hiddenAt = new Map<number, number>();  // asked for in every frame

  /** `former`: nodes that it shows keep their places, more or less. */
  constructor(readonly graph: Graph, nodes: number[], former: Picture | null = null) {
    this.nodes = nodes;
    nodes.forEach((node, index) => this.places.set(node, index));
    this.edges = nodes.length === graph.nodes ? Array.from({ length: graph.edges }, (_, edge) => edge)
      : this.edgesAmong();
    const ends = this.edges.flatMap((edge) => this.ends(edge));
    const before = former === null ? null : {
      x: Float64Array.from(nodes, (node) => former.x[former.placeOf(node)] ?? NaN),
      y: Float64Array.from(nodes, (node) => former.y[former.placeOf(node)] ?? NaN),
    };
    const layout = layoutGraph(nodes.length, ends, seedOf(graph.sample.id), before);
    this.x = layout.x;
    this.y = layout.y;
    this.isolated = layout.isolated;
  }

  static whole(graph: Graph): Picture {
    return new Picture(graph, Array.from({ length: graph.nodes }, (_, node) => node));
  }

  private edgesAmong(): number[] {
    const found: number[] = [];
    for (const node of this.nodes) {
      for (const edge of this.graph.edgesAt(node)) {
        if (this.graph.sources[edge] === node && this.places.has(this.graph.targets[edge])) {
          found.push(edge);
        }
      }
    }
    return found.sort((a, b) => a - b);
  }

  get isWhole(): boolean {
    return this.nodes.length === this.graph.nodes;
  }

  /** Index of a node of the graph in this picture; -1 where it is not shown. */
  placeOf(node: number): number {
    return this.places.get(node) ?? -1;
  }

  /** Indices of an edge's ends in this picture. */
  ends(edge: number): [number, number] {
    return [this.placeOf(this.graph.sources[edge]), this.placeOf(this.graph.targets[edge])];
  }

  /** How many edges of a node lead out of the picture. */
  hidden(node: number): number {
    if (this.isWhole) {
      return 0;
    }
    const counted = this.hiddenAt.get(node);
    if (counted !== undefined) {
      return counted;
    }
    let count = 0;
    for (const edge of this.graph.edgesAt(node)) {
      count += this.places.has(this.graph.otherEnd(edge, node)) ? 0 : 1;
    }
    this.hiddenAt.set(node, count);
    return count;
  }
}
