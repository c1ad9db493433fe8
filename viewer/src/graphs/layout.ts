// Where the nodes of a picture stand: a force layout, the same in every panel and on every visit.
//
// Deterministic: the starting places and every random number follow from a seed made of the graph's id, or from the
// places of the nodes that were there before. Places are in units of the layout: an edge is some EDGE long. Cost: 320
// rounds of O(N log N + E); larger pictures get fewer, down to 60.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY,
         type SimulationNodeDatum } from "d3-force";

import { startPlaces } from "./stress";

export interface Layout {
  x: Float64Array;
  y: Float64Array;
  /** Nodes without edges: in rows below the others. */
  isolated: boolean[];
}

/** Places of nodes that were drawn before; NaN for new ones. */
export interface Before {
  x: Float64Array;
  y: Float64Array;
}

const EDGE = 34;
const GAP = 26;  // between isolated nodes

/** A 32-bit number from a text (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; ++index) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Numbers in 0 .. 1 (mulberry32). */
export function randomSource(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Turns the cloud around its centre so that its longest direction lies flat. */
function lieFlat(x: number[], y: number[]): void {
  const count = x.length;
  const centre = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const [cx, cy] = [centre(x), centre(y)];
  let xx = 0, xy = 0, yy = 0;
  for (let node = 0; node < count; ++node) {
    const [dx, dy] = [x[node] - cx, y[node] - cy];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const angle = -0.5 * Math.atan2(2 * xy, xx - yy);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let node = 0; node < count; ++node) {
    const [dx, dy] = [x[node] - cx, y[node] - cy];
    x[node] = dx * cos - dy * sin;
    y[node] = dx * sin + dy * cos;
  }
}

interface Link {
  source: number;
  target: number;
}

/** Starting places: by distances along edges, or near the neighbours that have a place already. */
function start(count: number, links: Link[], random: () => number, before: Before | null): SimulationNodeDatum[] {
  const items: SimulationNodeDatum[] = startPlaces(count, links, EDGE, random);
  const middle = (of: (item: SimulationNodeDatum) => number | undefined) =>
    items.reduce((sum, item) => sum + (of(item) ?? 0), 0) / Math.max(count, 1);
  const [cx, cy] = [middle((item) => item.x), middle((item) => item.y)];
  items.forEach((item) => {
    item.x = (item.x ?? 0) - cx;
    item.y = (item.y ?? 0) - cy;
  });
  if (before === null) {
    return items;
  }
  const sums = items.map(() => ({ x: 0, y: 0, count: 0 }));
  const lean = (on: number, of: number) => {
    if (Number.isFinite(before.x[on]) && !Number.isFinite(before.x[of])) {
      sums[of].x += before.x[on];
      sums[of].y += before.y[on];
      ++sums[of].count;
    }
  };
  for (const { source, target } of links) {
    lean(source, target);
    lean(target, source);
  }
  items.forEach((item, node) => {
    const known = Number.isFinite(before.x[node]);
    const { x, y, count: near } = sums[node];
    if (known) {
      [item.x, item.y] = [before.x[node], before.y[node]];
    } else if (near > 0) {
      [item.x, item.y] = [x / near + 24 * (random() - 0.5), y / near + 24 * (random() - 0.5)];
    }
  });
  return items;
}

/** Places of the nodes that have edges, by force. */
function placeConnected(count: number, links: Link[], random: () => number,
                        before: Before | null): [number[], number[]] {
  const items = start(count, links, random, before);
  const degree = new Int32Array(count);
  links.forEach(({ source, target }) => {
    ++degree[source];
    ++degree[target];
  });
  // Before d3 replaces the links' ends; well connected nodes are held less tightly, or they would form a clump.
  const holds = links.map(({ source, target }) => Math.min(0.35, 1 / Math.min(degree[source], degree[target])));
  const rounds = Math.min(320, Math.max(60, Math.round(6e5 / (2 * links.length + 20 * count))));
  forceSimulation(items)
    .randomSource(random)
    .alpha(before === null ? 0.6 : 0.4)
    .force("link", forceLink(links).distance(EDGE).strength((_, index) => holds[index]))
    .force("charge", forceManyBody().strength(-110).distanceMax(400))
    .force("collide", forceCollide(11))
    .force("x", forceX(0).strength(0.06))
    .force("y", forceY(0).strength(0.06))
    .alphaDecay(1 - Math.pow(0.001, 1 / rounds))
    .stop()
    .tick(rounds);
  return [items.map((item) => item.x ?? 0), items.map((item) => item.y ?? 0)];
}

/** `ends`: pairs of node numbers. */
export function layoutGraph(nodes: number, ends: readonly number[], seed: number,
                            before: Before | null = null): Layout {
  const layout: Layout = { x: new Float64Array(nodes), y: new Float64Array(nodes),
                           isolated: new Array<boolean>(nodes).fill(true) };
  ends.forEach((node) => { layout.isolated[node] = false; });
  const all = Array.from({ length: nodes }, (_, node) => node);
  const connected = all.filter((node) => !layout.isolated[node]);
  const alone = all.filter((node) => layout.isolated[node]);
  let [left, right, bottom] = [0, 0, 0];
  if (connected.length > 0) {
    const position = new Map(connected.map((node, index) => [node, index]));
    const links = Array.from({ length: ends.length / 2 }, (_, edge) => ({
      source: position.get(ends[2 * edge]) as number,
      target: position.get(ends[2 * edge + 1]) as number,
    }));
    const known = before === null ? null : {
      x: Float64Array.from(connected, (node) => before.x[node]),
      y: Float64Array.from(connected, (node) => before.y[node]),
    };
    const [x, y] = placeConnected(connected.length, links, randomSource(seed), known);
    if (known === null) {
      lieFlat(x, y);
    }
    connected.forEach((node, index) => {
      layout.x[node] = x[index];
      layout.y[node] = y[index];
      left = Math.min(left, x[index]);
      right = Math.max(right, x[index]);
      bottom = Math.max(bottom, y[index]);
    });
  }
  const row = Math.max(6, Math.floor((right - left) / GAP) + 1);
  alone.forEach((node, index) => {
    layout.x[node] = left + (index % row) * GAP;
    layout.y[node] = bottom + GAP * (1.4 + Math.floor(index / row));
  });
  return layout;
}
