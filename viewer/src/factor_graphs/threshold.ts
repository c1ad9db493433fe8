// Which edges a factor graph has at a threshold, and how they differ from the truth. Nothing here draws.
import type { Match, Sample } from "../data";

/** Coefficient of every edge in one factor. */
export function coefficientsOf(sample: Sample, factors: number, factor: number): number[] {
  return Array.from({ length: sample.edges.length / 2 }, (_, edge) => sample.coefficients[edge * factors + factor]);
}

/** Edges at or above the threshold, ascending. */
export function edgesAbove(coefficients: readonly number[], threshold: number): number[] {
  const found: number[] = [];
  coefficients.forEach((value, edge) => {
    if (value >= threshold) {
      found.push(edge);
    }
  });
  return found;
}

/** The strongest edges of a factor, a share of all (rounded up), ascending. Equal ones: the earlier first. */
export function strongestShare(coefficients: readonly number[], share: number): number[] {
  const count = Math.ceil(share * coefficients.length - 1e-9);
  return coefficients.map((_, edge) => edge)
    .sort((a, b) => coefficients[b] - coefficients[a] || a - b)
    .slice(0, count)
    .sort((a, b) => a - b);
}

export interface Overlap {
  hits: number[];
  extra: number[];
  missing: number[];
}

/** Drawn edges split into true ones and others, and the true ones that are not drawn. */
export function overlap(drawn: readonly number[], truth: readonly number[]): Overlap {
  const isDrawn = new Set(drawn);
  const isTrue = new Set(truth);
  return {
    hits: drawn.filter((edge) => isTrue.has(edge)),
    extra: drawn.filter((edge) => !isTrue.has(edge)),
    missing: truth.filter((edge) => !isDrawn.has(edge)),
  };
}

/** Directed entries that differ, as GED_E counts them: each undirected edge twice. */
export function differingEntries(drawn: readonly number[], truth: readonly number[], missing = 0): number {
  const found = overlap(drawn, truth);
  return 2 * (found.extra.length + found.missing.length + missing);
}

/** Nodes that have an edge among those drawn. */
export function touchedNodes(sample: Sample, edges: Iterable<number>): Set<number> {
  const nodes = new Set<number>();
  for (const edge of edges) {
    nodes.add(sample.edges[2 * edge]);
    nodes.add(sample.edges[2 * edge + 1]);
  }
  return nodes;
}

export function matchOfFactor(sample: Sample, factor: number): Match | undefined {
  return sample.matches.find((match) => match.factor === factor);
}

/** How many coefficients fall into each of `bins` equal parts of 0 .. 1; 1 belongs to the last. */
export function histogram(values: readonly number[], bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    ++counts[Math.min(bins - 1, Math.max(0, Math.floor(value * bins)))];
  }
  return counts;
}
