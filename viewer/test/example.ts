// A page with one of everything, of any number of samples; the same on every machine.
import type { Match, Page, Sample } from "../src/data";
import { randomSource } from "../src/graphs/layout";

const TYPES = ["Turan(5,2)", "house-X", "balanced tree", "3x3 grid"];

/** Small true graphs on nodes 0 .. n - 1. */
const SHAPES: [number, number][][] = [
  [[0, 3], [0, 4], [1, 3], [1, 4], [2, 3], [2, 4]],
  [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3], [2, 4], [3, 4]],
  [[0, 1], [0, 2], [0, 3], [1, 4], [1, 5], [1, 6], [2, 7], [2, 8], [2, 9], [3, 10], [3, 11], [3, 12]],
  [[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [7, 8], [0, 3], [3, 6], [1, 4], [4, 7], [2, 5], [5, 8]],
];

function makeSample(id: number, factors: number): Sample {
  const random = randomSource(id + 1);
  const nodes = 15;
  const first = id % 4;
  const second = (first + 1 + Math.floor(random() * 3)) % 4;
  const chosen = [Math.min(first, second), Math.max(first, second)];
  const keys = new Map<string, number>();
  const edges: number[] = [];
  const truth = chosen.map((type) => {
    const order = Array.from({ length: nodes }, (_, node) => node);
    for (let index = nodes - 1; index > 0; --index) {
      const other = Math.floor(random() * (index + 1));
      [order[index], order[other]] = [order[other], order[index]];
    }
    const own = SHAPES[type].map(([a, b]) => {
      const [s, t] = [Math.min(order[a], order[b]), Math.max(order[a], order[b])];
      const key = `${s} ${t}`;
      if (!keys.has(key)) {
        keys.set(key, edges.length / 2);
        edges.push(s, t);
      }
      return keys.get(key) as number;
    });
    return { type, edges: own.sort((a, b) => a - b) };
  });
  const count = edges.length / 2;
  const home = (type: number) => random() < 0.7 ? type % factors : Math.floor(random() * factors);
  const homes = truth.map((part) => home(part.type));
  if (homes[0] === homes[1]) {
    homes[1] = (homes[1] + 1) % factors;
  }
  const coefficients: number[] = [];
  for (let edge = 0; edge < count; ++edge) {
    for (let factor = 0; factor < factors; ++factor) {
      const part = truth[homes.indexOf(factor)];
      const mean = part === undefined ? 0.35 : part.edges.includes(edge) ? 0.8 : 0.3;
      coefficients.push(Math.round(1e5 * Math.min(1, Math.max(0, mean + (random() - 0.5) * 0.6))) / 1e5);
    }
  }
  const matches: Match[] = truth.map((part, index) => {
    const factor = homes[index];
    const ranked = Array.from({ length: count }, (_, edge) => edge)
      .sort((a, b) => coefficients[b * factors + factor] - coefficients[a * factors + factor] || a - b);
    const kept = ranked.slice(0, part.edges.length).sort((a, b) => a - b);
    return { truth: index, factor, kept, ged: 4 * kept.filter((edge) => !part.edges.includes(edge)).length };
  });
  return {
    id: String(16000 + id), label: chosen.map((type) => TYPES[type]).join(" + "), nodes, edge_count: count, edges,
    layers: [{ coefficients, matches, ged: matches.reduce((sum, match) => sum + match.ged, 0) / matches.length }],
    truth, colours: [],
    facts: [{ label: "predicted", value: "correctly" }],
  };
}

export function examplePage(samples = 40, factors = 4): Page {
  const random = randomSource(7);
  const curve = (from: number, to: number, rate: number, noise: number) => Array.from({ length: 80 }, (_, epoch) =>
    to + (from - to) * Math.exp(-epoch / rate) * (1 + noise * (random() - 0.5)));
  const heat = (label: string, inside: number, outside: number, score: number) => ({
    label, size: 32, blocks: [8, 8, 8, 8], score_name: "micro-F1", score,
    values: Array.from({ length: 1024 }, (_, index) => {
      const [row, column] = [Math.floor(index / 32), index % 32];
      const level = Math.floor(row / 8) === Math.floor(column / 8) ? inside : outside;
      return row === column ? 1 : Math.min(1, Math.max(0, level + 0.25 * (random() - 0.5)));
    }),
  });
  return {
    format: "factorgcn-page", version: 2, title: "Factorizable graph convolution, reproduced",
    subtitle: "Five runs per system beside the values of the paper", program: "factorgcn 0.1.0",
    created: "2026-11-15 15:04 UTC",
    facts: [{ label: "data set", value: "synthetic" }, { label: "runs", value: "5" },
            { label: "protocol", value: "corrected" }],
    notes: ["The model with the best validation score is scored on the test split, which training never saw."],
    tables: [{
      id: "table-1", title: "Synthetic data, four factor graphs",
      caption: "The deviation of GED_E is over samples, the others over runs.",
      protocol: "corrected",
      columns: [{ key: "f1", label: "micro-F1", better: "higher", digits: 3 },
                { key: "ged", label: "GED_E", better: "lower", digits: 2 },
                { key: "c", label: "C-Score", better: "higher", digits: 3 }],
      rows: [
        { label: "GCN",
          cells: { f1: { value: 0.949, deviation: 0.002, count: 5, paper: 0.947, paper_deviation: 0.003 } } },
        { label: "GAT", cells: { f1: { value: 0.931, deviation: 0.006, count: 5, paper: 0.923, paper_deviation: 0.009 },
                                 ged: { value: 12.4, deviation: 3.1, paper: 12.59, paper_deviation: 3 },
                                 c: { value: 0.21, deviation: 0.03, paper: 0.288, paper_deviation: 0.064,
                                      note: "read from the attention heads" } } },
        { label: "FactorGCN", emphasis: true,
          cells: { f1: { value: 0.995, deviation: 0.003, count: 5, paper: 0.995, paper_deviation: 0.004 },
                   ged: { value: 11.27, deviation: 4.6, paper: 10.59, paper_deviation: 4.37 },
                   c: { value: 0.602, deviation: 0.04, paper: 0.532, paper_deviation: 0.044 } } },
      ],
    }],
    curves: [{
      id: "curves", title: "Training curves", x_label: "epoch",
      runs: [0, 1, 2].map((seed) => ({
        label: `seed ${seed}`, best: 72 - seed,
        series: [{ name: "training, total", panel: "loss", values: curve(1.3, 0.02, 14, 0.2) },
                 { name: "validation, task", panel: "loss", values: curve(0.7, 0.015, 12, 0.3) },
                 { name: "validation", panel: "micro-F1", values: curve(0.5, 0.995, 10, 0.1) }],
      })),
    }],
    heatmaps: [{ id: "correlation", title: "Correlation of features", value_label: "absolute correlation",
                 panels: [heat("MLP", 0.5, 0.45, 0.94), heat("GCN", 0.6, 0.5, 0.947),
                          heat("FactorGCN", 0.7, 0.15, 0.995)] }],
    lines: [{ id: "lambda", title: "Weight of the discriminator", x_label: "lambda", y_label: "GED_E", log_x: true,
              x: [0, 0.05, 0.1, 0.2, 0.5, 1],
              series: [{ label: "GED_E", y: [13.2, 12.1, 11.6, 11.2, 11.4, 12],
                         deviation: [0.6, 0.5, 0.4, 0.3, 0.4, 0.5],
                         paper: [13, null, 11.5, 10.6, 10.9, 11.8] }] }],
    confusions: [{ id: "confusion", title: "Which class is taken for which", names: ["house", "grid", "tree"],
                   counts: [40, 3, 0, 5, 30, 2, 1, 0, 19] }],
    reliabilities: [{ id: "reliability", title: "Do probabilities mean what they say?", error: 0.05, chance: 0.03,
                      bins: [{ from: 0.5, to: 0.6, count: 12, said: 0.55, came: 0.5, low: 0.25, high: 0.75 },
                             { from: 0.9, to: 1, count: 88, said: 0.97, came: 0.92, low: 0.84, high: 0.96 }] }],
    factor_graphs: [{ id: "factor-graphs", title: "Factor graphs", word: "factor", shown_layer: 0, types: TYPES,
                      layers: [{ name: "layer 1",
                                 factors: Array.from({ length: factors }, (_, k) => `factor ${k + 1}`) }],
                      colourings: [], left_out: [], score_label: "GED_E",
                      caption: "Every factor has its own column; the true part that it stands for is drawn above it.",
                      samples: Array.from({ length: samples }, (_, id) => makeSample(id, factors)) }],
  };
}

/** 7 bits a byte, the lowest first. */
function varint(number: number, bytes: number[]): void {
  for (; number >= 128; number = Math.floor(number / 128)) {
    bytes.push(number % 128 + 128);
  }
  bytes.push(number);
}

const base64 = (bytes: number[]) => Buffer.from(bytes).toString("base64");

/** As src/report/packed_numbers.h packs them. */
export function packEdges(edges: number[], nodes: number): { edges: string } {
  const bytes: number[] = [];
  for (let node = 0, at = 0; node < nodes; ++node) {
    let end = at;
    while (end < edges.length && edges[end] === node) {
      end += 2;
    }
    varint((end - at) / 2, bytes);
    for (let before = node; at < end; at += 2) {
      varint(edges[at + 1] - before, bytes);
      before = edges[at + 1];
    }
  }
  return { edges: base64(bytes) };
}

export const packBytes = (shares: number[]) => ({ bytes: base64(shares.map((share) => Math.round(255 * share))) });

/**
 * One graph with names and groups, drawn whole or (many nodes) by neighbourhoods. A ring with chords; the relation of
 * an edge is 0 along the ring and 1 across it.
 */
export function networkPage(nodes: number, options: { names?: (node: number) => string; packed?: boolean } = {}): Page {
  const pairs: [number, number, number][] = [];
  for (let node = 0; node < nodes; ++node) {
    pairs.push([Math.min(node, (node + 1) % nodes), Math.max(node, (node + 1) % nodes), 0]);
    const other = (node * 7 + 3) % nodes;
    if (Math.abs(other - node) > 1 && Math.abs(other - node) < nodes - 1) {
      pairs.push([Math.min(node, other), Math.max(node, other), 1]);
    }
  }
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const kept = pairs.filter(([s, t], at) => at === 0 || s !== pairs[at - 1][0] || t !== pairs[at - 1][1]);
  const edges = kept.flatMap(([s, t]) => [s, t]);
  const coefficients = kept.flatMap(([, , type]) => type === 0 ? [0.8, 0.2] : [0.4, 0.6]);
  const name = options.names ?? ((node: number) => `node ${node}`);
  return {
    ...examplePage(0), title: "A network", tables: [], curves: [], heatmaps: [], lines: [], confusions: [],
    reliabilities: [],
    factor_graphs: [{
      id: "relations", title: "Relations", word: "relation", shown_layer: 0, types: [], score_label: "GED_E",
      layers: [{ name: "", factors: ["family", "work"], own_colouring: [0, 1] }],
      colourings: [{ name: "group in family", labels: ["left", "right"] },
                   { name: "group in work", labels: ["odd", "even"] }],
      left_out: ["Two layers are not here."],
      samples: [{
        id: "0", label: "", nodes, edge_count: kept.length,
        node_labels: Array.from({ length: nodes }, (_, node) => name(node)),
        edges: options.packed ? packEdges(edges, nodes) : edges,
        layers: [{ coefficients: options.packed ? packBytes(coefficients) : coefficients, matches: [] }],
        certainty: kept.map(([, , type]) => type === 0 ? 0.9 : 0.5), truth: [],
        colours: [Array.from({ length: nodes }, (_, node) => node < nodes / 2 ? 0 : 1),
                  Array.from({ length: nodes }, (_, node) => node === 1 ? -1 : node % 2)],
      }],
    }],
  };
}

/** The file that the C++ side would write. */
export function pageHtml(template: string, page: unknown): string {
  const data = JSON.stringify(page).replace(/</g, "\\u003c");
  return template.replace("<!--factorgcn:title-->", () => "example").replace("<!--factorgcn:plain-->", () => "")
    .replace("<!--factorgcn:data-->", () => data);
}
