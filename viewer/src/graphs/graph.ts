// One graph of a page, unpacked: ends, coefficients, names, colours, neighbours. Nothing here draws.
//
// Cost: linear in nodes and edges when made; neighbours are listed when they are first asked for.
import type { FactorGraphs, Match, Sample } from "../data";
import { type Shares, unpackEdges, unpackIndices, unpackRaw, unpackShares, unpackWords } from "./unpack";

/** A relation or a match with its edges as a list. */
export interface KnownTruth {
  type: number;
  edges: number[];
  missing: number;
}

export interface KnownMatch extends Omit<Match, "kept"> {
  kept: number[];
}

export class Graph {
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  readonly directions: Uint8Array | null;
  readonly certainty: Shares | null;
  readonly truth: KnownTruth[];
  readonly colours: Int32Array[];
  private readonly readings: (Shares | null)[];
  private readonly matched: (KnownMatch[] | null)[];
  private offsets: Int32Array | null = null;
  private near: Int32Array = new Int32Array();  // edge numbers, node by node

  constructor(readonly sample: Sample, readonly part: FactorGraphs) {
    const where = `graph ${sample.id}`;
    const edges = sample.edge_count;
    [this.sources, this.targets] = unpackEdges(sample.edges, sample.nodes, edges, `${where}, edges`);
    this.directions = sample.directions === undefined ? null
      : unpackRaw(sample.directions, edges, `${where}, directions`);
    this.certainty = sample.certainty === undefined ? null
      : unpackShares(sample.certainty, edges, `${where}, certainty`);
    this.truth = sample.truth.map((truth) => ({
      type: truth.type, missing: truth.missing ?? 0, edges: unpackIndices(truth.edges, edges, `${where}, truth`),
    }));
    this.colours = sample.colours.map((colours, index) =>
      unpackWords(colours, sample.nodes, part.colourings[index].labels.length, `${where}, colours`));
    this.readings = part.layers.map(() => null);
    this.matched = part.layers.map(() => null);
  }

  get nodes(): number {
    return this.sample.nodes;
  }

  get edges(): number {
    return this.sample.edge_count;
  }

  private reading(layer: number): Shares {
    const found = this.readings[layer] ??= unpackShares(
      this.sample.layers[layer].coefficients, this.edges * this.part.layers[layer].factors.length,
      `graph ${this.sample.id}, coefficients`);
    return found;
  }

  coefficient(layer: number, edge: number, factor: number): number {
    const { values, unit } = this.reading(layer);
    return values[edge * this.part.layers[layer].factors.length + factor] / unit;
  }

  /** Of the given edges, in one factor. */
  coefficients(layer: number, factor: number, edges: readonly number[]): number[] {
    const { values, unit } = this.reading(layer);
    const factors = this.part.layers[layer].factors.length;
    return edges.map((edge) => values[edge * factors + factor] / unit);
  }

  /** The factor with the largest coefficient; the first of equals. */
  strongest(layer: number, edge: number): number {
    const { values } = this.reading(layer);
    const factors = this.part.layers[layer].factors.length;
    let best = 0;
    for (let factor = 1; factor < factors; ++factor) {
      if (values[edge * factors + factor] > values[edge * factors + best]) {
        best = factor;
      }
    }
    return best;
  }

  matches(layer: number): KnownMatch[] {
    const found = this.matched[layer] ??= this.sample.layers[layer].matches.map((match) => ({
      ...match, kept: unpackIndices(match.kept, this.edges, `graph ${this.sample.id}, matches`),
    }));
    return found;
  }

  sureness(edge: number): number | null {
    return this.certainty === null ? null : this.certainty.values[edge] / this.certainty.unit;
  }

  /** The true relations that have the edge. */
  typesOf(edge: number): number[] {
    return this.truth.filter((truth) => holds(truth.edges, edge)).map((truth) => truth.type);
  }

  /** Its own name, or its number. */
  name(node: number): string {
    return this.sample.node_labels?.[node] || String(node);
  }

  /** The name, and the number where the two differ. */
  fullName(node: number): string {
    const name = this.name(node);
    return name === String(node) ? name : `${name} (${node})`;
  }

  otherEnd(edge: number, node: number): number {
    return this.sources[edge] === node ? this.targets[edge] : this.sources[edge];
  }

  /** Numbers of the edges at a node, ascending. */
  edgesAt(node: number): Int32Array {
    const offsets = this.offsets ??= this.listNeighbours();
    return this.near.subarray(offsets[node], offsets[node + 1]);
  }

  degree(node: number): number {
    const offsets = this.offsets ??= this.listNeighbours();
    return offsets[node + 1] - offsets[node];
  }

  private listNeighbours(): Int32Array {
    const offsets = new Int32Array(this.nodes + 1);
    for (const ends of [this.sources, this.targets]) {
      ends.forEach((node) => { ++offsets[node + 1]; });
    }
    for (let node = 0; node < this.nodes; ++node) {
      offsets[node + 1] += offsets[node];
    }
    const next = offsets.slice(0, -1);
    this.near = new Int32Array(2 * this.edges);
    for (let edge = 0; edge < this.edges; ++edge) {
      this.near[next[this.sources[edge]]++] = edge;
      this.near[next[this.targets[edge]]++] = edge;
    }
    return offsets;
  }
}

/** Whether an ascending list holds a number. */
export function holds(ascending: readonly number[], number: number): boolean {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return ascending[low] === number;
}
