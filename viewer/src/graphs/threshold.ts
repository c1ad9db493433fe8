// Which edges a factor graph has at a threshold, and how they differ from the truth. Nothing here draws.

/** Those of `edges` whose value is at or above the threshold; `values` stand beside them. */
export function edgesAbove(edges: readonly number[], values: readonly number[], threshold: number): number[] {
  return edges.filter((_, index) => values[index] >= threshold);
}

/** The strongest of `edges`, a share of all (rounded up), in their order. Equal ones: the earlier first. */
export function strongestShare(edges: readonly number[], values: readonly number[], share: number): number[] {
  const count = Math.ceil(share * edges.length - 1e-9);
  return edges.map((_, index) => index)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, count)
    .sort((a, b) => a - b)
    .map((index) => edges[index]);
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

/** How many coefficients fall into each of `bins` equal parts of 0 .. 1; 1 belongs to the last. */
export function histogram(values: readonly number[], bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    ++counts[Math.min(bins - 1, Math.max(0, Math.floor(value * bins)))];
  }
  return counts;
}
