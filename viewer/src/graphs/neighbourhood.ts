// Which nodes of a large graph are shown: those near a chosen one, and what grows from them. Nothing here draws.
//
// Nodes come in rings, the stronger edges first; of a node with very many edges only the strongest are followed, so
// that a hub does not fill the picture. Cost: the edges at the nodes shown.
import type { Graph } from "./graph";

export const FIRST = 50;
export const STEP = 30;
export const MOST = 400;
const FOLLOWED = 14;  // edges of one node in one ring
const EXPANDED = 30;  // nodes that come with one node chosen

/** How much an edge counts: its coefficient in a factor, or its largest one. */
export type Strength = (edge: number) => number;

export function strengthIn(graph: Graph, layer: number, factor: number | null): Strength {
  return (edge) => graph.coefficient(layer, edge, factor ?? graph.strongest(layer, edge));
}

/** Edges of a node to nodes that are not in `seen`, the strongest first. */
function outward(graph: Graph, node: number, seen: Set<number>, strength: Strength): number[] {
  const found: [number, number][] = [];
  for (const edge of graph.edgesAt(node)) {
    if (!seen.has(graph.otherEnd(edge, node))) {
      found.push([strength(edge), edge]);
    }
  }
  return found.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, edge]) => edge);
}

/** `nodes` with up to `count` more: ring by ring around them. */
export function grown(graph: Graph, nodes: readonly number[], count: number, strength: Strength): number[] {
  const result = [...nodes];
  const seen = new Set(result);
  const limit = Math.min(MOST, nodes.length + count);
  // Rings: what is taken in one round is the ground of the next.
  for (let from = 0, to = result.length; result.length < limit && from < to; from = to, to = result.length) {
    for (let at = from; at < to && result.length < limit; ++at) {
      const node = result[at];
      for (const edge of outward(graph, node, seen, strength).slice(0, FOLLOWED)) {
        if (result.length < limit) {
          const other = graph.otherEnd(edge, node);
          seen.add(other);
          result.push(other);
        }
      }
    }
    if (from === 0 && result.length === to) {
      break;
    }
  }
  return result;
}

/** The neighbours of one node that are not shown yet, the strongest first. */
export function expanded(graph: Graph, nodes: readonly number[], node: number, strength: Strength): number[] {
  const seen = new Set(nodes);
  const room = Math.max(0, Math.min(EXPANDED, MOST - nodes.length));
  const result = [...nodes];
  if (!seen.has(node) && nodes.length < MOST) {
    result.push(node);
    seen.add(node);
  }
  for (const edge of outward(graph, node, seen, strength).slice(0, room)) {
    result.push(graph.otherEnd(edge, node));
  }
  return result;
}

/** A node to begin with where none was asked for: one of some more edges than the mean, neither hub nor end. */
export function typicalNode(graph: Graph): number {
  const wanted = Math.min(12, Math.max(3, Math.round(3 * graph.edges / Math.max(graph.nodes, 1))));
  let best = 0;
  for (let node = 0; node < graph.nodes; ++node) {
    if (Math.abs(graph.degree(node) - wanted) < Math.abs(graph.degree(best) - wanted)) {
      best = node;
      if (graph.degree(best) === wanted) {
        break;
      }
    }
  }
  return best;
}
