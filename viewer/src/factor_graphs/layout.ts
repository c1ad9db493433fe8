// Where the nodes of one sample stand: a force layout of the input graph, the same in every panel and on every visit.
//
// Deterministic: the starting places and every random number follow from a seed made of the sample's id. Computed once
// per sample, when it is looked at. Cost: 320 rounds of O(N log N + E); larger graphs get fewer, down to 70.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY,
         type SimulationNodeDatum } from "d3-force";

export interface Layout {
  /** Nodes with edges: in 0 .. 1, the longer side filling the square, the other centred. Isolated ones: a row below. */
  x: Float64Array;
  y: Float64Array;
  isolated: boolean[];
}

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

/** Turns the cloud so that its longest direction lies flat, then fits it into the unit square. */
function fit(x: number[], y: number[]): void {
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
  const [left, right, top, bottom] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
  const side = Math.max(right - left, bottom - top) || 1;
  for (let node = 0; node < count; ++node) {
    x[node] = 0.5 + (x[node] - (left + right) / 2) / side;
    y[node] = 0.5 + (y[node] - (top + bottom) / 2) / side;
  }
}

/** Places of the nodes that have edges, by force. */
function placeConnected(count: number, links: { source: number; target: number }[],
                        random: () => number): [number[], number[]] {
  const items: SimulationNodeDatum[] = Array.from({ length: count }, (_, node) => {
    const angle = 2 * Math.PI * (node + 0.3 * random()) / count;
    return { x: 60 * Math.cos(angle), y: 60 * Math.sin(angle) };
  });
  const rounds = Math.min(320, Math.max(70, Math.round(6e5 / (2 * links.length + 20 * count))));
  forceSimulation(items)
    .randomSource(random)
    .force("link", forceLink(links).distance(34).strength(0.35))
    .force("charge", forceManyBody().strength(-110).distanceMax(400))
    .force("collide", forceCollide(11))
    .force("x", forceX(0).strength(0.06))
    .force("y", forceY(0).strength(0.06))
    .alphaDecay(1 - Math.pow(0.001, 1 / rounds))
    .stop()
    .tick(rounds);
  return [items.map((item) => item.x ?? 0), items.map((item) => item.y ?? 0)];
}

export function layoutGraph(nodes: number, edges: readonly number[], seed: number): Layout {
  const layout: Layout = { x: new Float64Array(nodes).fill(0.5), y: new Float64Array(nodes).fill(0.5),
                           isolated: new Array<boolean>(nodes).fill(true) };
  edges.forEach((node) => { layout.isolated[node] = false; });
  const all = Array.from({ length: nodes }, (_, node) => node);
  const connected = all.filter((node) => !layout.isolated[node]);
  const alone = all.filter((node) => layout.isolated[node]);
  if (connected.length > 0) {
    const position = new Map(connected.map((node, index) => [node, index]));
    const links = Array.from({ length: edges.length / 2 }, (_, edge) => ({
      source: position.get(edges[2 * edge]) as number,
      target: position.get(edges[2 * edge + 1]) as number,
    }));
    const [x, y] = placeConnected(connected.length, links, randomSource(seed));
    fit(x, y);
    connected.forEach((node, index) => {
      layout.x[node] = x[index];
      layout.y[node] = y[index];
    });
  }
  const lowest = Math.max(0.5, ...connected.map((node) => layout.y[node]));
  alone.forEach((node, index) => {
    layout.x[node] = (index + 0.5) / alone.length;
    layout.y[node] = lowest + 0.14;
  });
  return layout;
}
