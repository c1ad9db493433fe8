// Starting places for the force layout: distances on the picture like distances along edges, so that rings lie open and
// chains stretched before forces begin. Each connected part for itself, the parts in rows.
//
// Stress majorisation (Gansner, Koren and North 2004) from places told by the distances to far nodes. Deterministic.
// Cost: O(N (N + E)) for the distances and O(N^2) a round, so only for parts of up to MOST nodes; others get a ring.
const MOST = 320;
const ROUNDS = 60;
const GAP = 60;

interface Place {
  x: number;
  y: number;
}

/** Distances in edges from a node to all of its part; -1 elsewhere. */
function distancesFrom(start: number, near: number[][]): Int32Array {
  const distance = new Int32Array(near.length).fill(-1);
  distance[start] = 0;
  const queue = [start];
  for (let at = 0; at < queue.length; ++at) {
    for (const other of near[queue[at]]) {
      if (distance[other] < 0) {
        distance[other] = distance[queue[at]] + 1;
        queue.push(other);
      }
    }
  }
  return distance;
}

function partsOf(near: number[][]): number[][] {
  const seen = new Array<boolean>(near.length).fill(false);
  const parts: number[][] = [];
  near.forEach((_, start) => {
    if (!seen[start]) {
      const distance = distancesFrom(start, near);
      const part = [...distance.keys()].filter((node) => distance[node] >= 0);
      part.forEach((node) => { seen[node] = true; });
      parts.push(part);
    }
  });
  return parts.sort((a, b) => b.length - a.length || a[0] - b[0]);
}

function farthest(part: readonly number[], distances: (node: number) => number): number {
  return part.reduce((best, node) => distances(node) > distances(best) ? node : best, part[0]);
}

/** Places of one part, in units of an edge. */
function placePart(part: number[], near: number[][], random: () => number): Place[] {
  const rows = part.map((node) => distancesFrom(node, near));
  const index = new Map(part.map((node, at) => [node, at]));
  const row = (node: number) => rows[index.get(node) as number];
  const a = farthest(part, (node) => row(part[0])[node]);
  const b = farthest(part, (node) => row(a)[node]);
  const c = farthest(part, (node) => row(a)[node] + row(b)[node] + 2 * Math.min(row(a)[node], row(b)[node]));
  const d = farthest(part, (node) => row(c)[node]);
  const places = part.map((node): Place => ({
    x: (row(a)[node] - row(b)[node]) / 2 + 0.1 * (random() - 0.5),
    y: (row(c)[node] - row(d)[node]) / 2 + 0.1 * (random() - 0.5),
  }));
  for (let round = 0; round < ROUNDS; ++round) {
    for (let at = 0; at < part.length; ++at) {
      let [x, y, weights] = [0, 0, 0];
      for (let other = 0; other < part.length; ++other) {
        if (other !== at) {
          const wanted = rows[at][part[other]];
          const weight = 1 / (wanted * wanted);
          const [dx, dy] = [places[at].x - places[other].x, places[at].y - places[other].y];
          const stretch = wanted / Math.max(Math.hypot(dx, dy), 1e-6);
          x += weight * (places[other].x + dx * stretch);
          y += weight * (places[other].y + dy * stretch);
          weights += weight;
        }
      }
      if (weights > 0) {
        places[at] = { x: x / weights, y: y / weights };
      }
    }
  }
  return places;
}

/** Places of all nodes; `edge`: how long an edge is. Nodes without edges are parts of their own. */
export function startPlaces(nodes: number, links: readonly { source: number; target: number }[], edge: number,
                            random: () => number): Place[] {
  const near: number[][] = Array.from({ length: nodes }, () => []);
  for (const { source, target } of links) {
    near[source].push(target);
    near[target].push(source);
  }
  const result: Place[] = new Array<Place>(nodes);
  const parts = partsOf(near);
  const wide = 1.6 * Math.sqrt(parts.reduce((sum, part) => sum + part.length * edge * edge * 2, 0));
  let [left, top, tallest] = [0, 0, 0];
  for (const part of parts) {
    const ring = Math.max(60, 2 * edge * Math.sqrt(part.length));
    const places = part.length <= MOST
      ? placePart(part, near, random).map(({ x, y }) => ({ x: x * edge, y: y * edge }))
      : part.map((_, at) => ({ x: ring * Math.cos(2 * Math.PI * (at + 0.3 * random()) / part.length),
                               y: ring * Math.sin(2 * Math.PI * (at + 0.3 * random()) / part.length) }));
    const box = places.reduce((found, { x, y }) => ({ x0: Math.min(found.x0, x), x1: Math.max(found.x1, x),
                                                      y0: Math.min(found.y0, y), y1: Math.max(found.y1, y) }),
                              { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity });
    if (left > 0 && left + box.x1 - box.x0 > wide) {
      [left, top, tallest] = [0, top + tallest + GAP, 0];
    }
    part.forEach((node, at) => {
      result[node] = { x: left + places[at].x - box.x0, y: top + places[at].y - box.y0 };
    });
    left += box.x1 - box.x0 + GAP;
    tallest = Math.max(tallest, box.y1 - box.y0);
  }
  return result;
}
