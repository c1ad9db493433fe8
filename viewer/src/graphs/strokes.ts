// Which edges each drawing has, and how they look: all in one, the input, a true part, a factor. Nothing here draws.
import type { Graph, KnownTruth } from "./graph";
import type { Stroke } from "./paint";
import type { Picture } from "./picture";
import { edgesAbove, overlap, strongestShare } from "./threshold";

/** Which edges a factor shows: above the threshold, its strongest share, or those that its GED_E was computed from. */
export type Mode = "coefficient" | "share" | "scored";

/** What colours the edges where all factors are in one drawing. */
export type EdgeColours = "strongest" | "truth" | "none";

export interface Choice {
  layer: number;
  level: number;
  mode: Mode;
  /** What the level means where a factor has no score. */
  scale: "coefficient" | "share";
  compare: boolean;
  edges: EdgeColours;
  /** Factors that are not to be seen in the drawing of all. */
  off: ReadonlySet<number>;
}

function strength(coefficient: number): number {
  return 1 + 2.8 * Math.min(Math.max(coefficient, 0), 1);
}

/** Paler where the strongest factor is less certain. */
function opacityOf(graph: Graph, edge: number): number {
  const sure = graph.sureness(edge);
  return sure === null ? 1 : 0.25 + 0.75 * sure;
}

/** Every true relation of each edge, side by side. */
function byTruth(picture: Picture): Stroke[] {
  const typesOf = new Map<number, number[]>();
  for (const truth of picture.graph.truth) {
    truth.edges.forEach((edge) => typesOf.set(edge, [...(typesOf.get(edge) ?? []), truth.type]));
  }
  return picture.edges.flatMap((edge): Stroke[] => {
    const types = typesOf.get(edge) ?? [];
    return types.length === 0 ? [{ edge, hue: -1, width: 1.4 }]
      : types.map((type, index) => ({ edge, hue: type, width: 2.1, shift: 1.05 * (index - (types.length - 1) / 2) }));
  });
}

/** The input graph: plain, or in the colours of the true relations. */
export function inputStrokes(picture: Picture, withTruth: boolean): Stroke[] {
  return withTruth ? byTruth(picture) : picture.edges.map((edge) => ({ edge, hue: -1, width: 1.6 }));
}

/** All edges in one drawing. By strongest factor: those below the level, or of a factor that is off, are faint. */
export function allStrokes(picture: Picture, choice: Choice): Stroke[] {
  const { graph, edges } = picture;
  if (choice.edges === "truth") {
    return byTruth(picture);
  }
  if (choice.edges === "none") {
    return edges.map((edge) => ({ edge, hue: -1, width: 1.4 }));
  }
  const best = edges.map((edge) => graph.strongest(choice.layer, edge));
  const values = edges.map((edge, index) => graph.coefficient(choice.layer, edge, best[index]));
  const strong = new Set(choice.scale === "share" ? strongestShare(edges, values, choice.level)
                                                  : edgesAbove(edges, values, choice.level));
  const strokes = edges.map((edge, index): Stroke =>
    strong.has(edge) && !choice.off.has(best[index])
      ? { edge, hue: best[index], width: 0.7 * strength(values[index]), opacity: opacityOf(graph, edge) }
      : { edge, hue: -2, width: 0.8, role: "faint" });
  // Faint ones below.
  return strokes.sort((a, b) => Number(b.role === "faint") - Number(a.role === "faint"));
}

export function truthStrokes(picture: Picture, truth: KnownTruth): Stroke[] {
  return truth.edges.filter((edge) => picture.ends(edge).every((end) => end >= 0))
    .map((edge) => ({ edge, hue: truth.type, width: 2.2 }));
}

export interface FactorStrokes {
  strokes: Stroke[];
  drawn: number[];
  /** Edges in which the factor and its true part differ; null: there is none. */
  differ: number | null;
}

/** One factor's own drawing. */
export function factorStrokes(picture: Picture, choice: Choice, factor: number): FactorStrokes {
  const { graph, edges } = picture;
  const inside = (edge: number) => picture.isWhole || picture.ends(edge).every((end) => end >= 0);
  const values = graph.coefficients(choice.layer, factor, edges);
  const valueOf = new Map(edges.map((edge, index) => [edge, values[index]]));
  const match = graph.matches(choice.layer).find((item) => item.factor === factor);
  const truth = match === undefined ? undefined : graph.truth[match.truth];
  const drawn = choice.mode === "scored" && match !== undefined ? match.kept.filter(inside)
    : choice.scale === "share" ? strongestShare(edges, values, choice.level) : edgesAbove(edges, values, choice.level);
  const width = (edge: number) => strength(valueOf.get(edge) ?? 0);
  if (truth === undefined) {
    return { drawn, differ: null, strokes: plain(graph, drawn, valueOf, factor) };
  }
  const found = overlap(drawn, truth.edges.filter(inside));
  const differ = found.extra.length + found.missing.length + truth.missing;
  if (!choice.compare) {
    return { drawn, differ, strokes: plain(graph, drawn, valueOf, factor) };
  }
  return { drawn, differ, strokes: [
    ...found.missing.map((edge): Stroke => ({ edge, hue: truth.type, width: 1.8, role: "missing" })),
    ...found.extra.map((edge): Stroke => ({ edge, hue: -2, width: width(edge), role: "extra" })),
    ...found.hits.map((edge): Stroke => ({ edge, hue: truth.type, width: width(edge) })),
  ] };
}

function plain(graph: Graph, drawn: number[], valueOf: Map<number, number>, factor: number): Stroke[] {
  const hue = graph.truth.length > 0 ? -1 : factor;
  return drawn.map((edge) => {
    const value = valueOf.get(edge) ?? 0;
    return { edge, hue, width: strength(value), opacity: (0.4 + 0.6 * value) * opacityOf(graph, edge) };
  });
}

/** Indices in the picture of the nodes that have an edge among those. */
export function touched(picture: Picture, strokes: readonly Stroke[]): Set<number> {
  const places = new Set<number>();
  for (const { edge, role } of strokes) {
    if (role !== "faint") {
      picture.ends(edge).forEach((end) => places.add(end));
    }
  }
  return places;
}
