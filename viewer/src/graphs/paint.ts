// Draws one panel: edges, marks of what is pointed at, nodes, names. Lines of one look are drawn together.
//
// Cost: linear in what is drawn; names are placed greedily, the best connected nodes first.
import { colour } from "../theme";
import type { LineLook, Pen, Shape } from "./pens";
import { SHAPES } from "./pens";
import type { Picture } from "./picture";
import type { Transform } from "./viewport";

/** hue: -1 ink, -2 soft, else a series colour, which repeats with dashes after six. */
export interface Stroke {
  edge: number;
  hue: number;
  width: number;
  opacity?: number;
  /** "extra": not in the truth; "missing": only in the truth; "faint": below what is asked for. */
  role?: "extra" | "missing" | "faint";
  /** Sideways, in stroke widths: for edges that belong to several relations. */
  shift?: number;
}

export type Target = { edge: number } | { node: number } | null;

export interface Drawing {
  strokes: Stroke[];
  /** Indices in the picture of the nodes drawn strongly; the others are left out, or faint where `faint` is set. */
  nodes: Set<number>;
  faint: boolean;
  /** Label of each node, -1: none; null: nodes are not coloured. */
  colours: ((place: number) => number) | null;
  names: boolean;
  arrows: boolean;
}

export interface Palette {
  ground: string;
  ink: string;
  soft: string;
  focus: string;
  series: string[];
}

export function currentPalette(): Palette {
  return { ground: colour("--raised"), ink: colour("--ink"), soft: colour("--soft"), focus: colour("--focus"),
           series: [1, 2, 3, 4, 5, 6].map((index) => colour(`--series-${index}`)) };
}

const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3], [1, 3], [12, 4]];

export function hueColour(palette: Palette, hue: number): string {
  return hue === -2 ? palette.soft : hue < 0 ? palette.ink : palette.series[hue % 6];
}

export function hueDash(hue: number): number[] {
  return hue < 6 ? [] : DASHES[Math.floor(hue / 6) % DASHES.length];
}

/** Neighbouring labels differ in shape and colour; each pair of both comes back after 24. */
export function labelShape(label: number): Shape {
  return SHAPES[(Math.max(label, 0) + Math.floor(Math.max(label, 0) / 12)) % SHAPES.length];
}

/** Not the colours that the first factors have. */
export function labelColour(label: number): number {
  return (Math.max(label, 0) + 3) % 6;
}

function lookOf(stroke: Stroke, palette: Palette, thin: number): LineLook {
  switch (stroke.role) {
    case "extra": return { colour: palette.soft, width: stroke.width * thin, opacity: 1, dash: [5, 3] };
    case "missing": return { colour: hueColour(palette, stroke.hue), width: stroke.width * thin, opacity: 1,
                             dash: [0.1, 3.4] };
    case "faint": return { colour: palette.soft, width: 0.8, opacity: 0.3, dash: [] };
    default: return { colour: hueColour(palette, stroke.hue), width: Math.round(stroke.width * thin * 5) / 5,
                      opacity: Math.round((stroke.opacity ?? 1) * 10) / 10, dash: hueDash(stroke.hue) };
  }
}

export function radiusIn(picture: Picture, transform: Transform): number {
  const roomy = 34 * transform.scale;  // pixels of an edge
  return Math.min(7.5, Math.max(1.7, 0.16 * roomy + 0.5)) * (picture.nodes.length > 300 ? 0.85 : 1);
}

function drawLines(pen: Pen, picture: Picture, drawing: Drawing, to: Transform, palette: Palette): void {
  // Thin where edges are short on the screen, so that they do not run together.
  const thin = Math.min(1, Math.max(0.3, 34 * to.scale / 30)) * (drawing.strokes.length > 2500 ? 0.6 : 1);
  const radius = radiusIn(picture, to);
  const groups = new Map<string, { look: LineLook; ends: number[]; tips: number[] }>();
  for (const stroke of drawing.strokes) {
    const look = lookOf(stroke, palette, thin);
    const key = `${look.colour} ${look.width} ${look.opacity} ${look.dash.join()}`;
    const group = groups.get(key) ?? { look, ends: [], tips: [] };
    groups.set(key, group);
    const [s, t] = picture.ends(stroke.edge);
    let [x1, y1, x2, y2] = [to.x(picture.x[s]), to.y(picture.y[s]), to.x(picture.x[t]), to.y(picture.y[t])];
    if (Math.max(x1, x2) < -20 || Math.min(x1, x2) > to.width + 20 || Math.max(y1, y2) < -20 ||
        Math.min(y1, y2) > to.height + 20) {
      continue;
    }
    if (stroke.shift) {
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const aside = stroke.shift * look.width / length;
      const [nx, ny] = [-(y2 - y1) * aside, (x2 - x1) * aside];
      [x1, y1, x2, y2] = [x1 + nx, y1 + ny, x2 + nx, y2 + ny];
    }
    group.ends.push(x1, y1, x2, y2);
    const direction = drawing.arrows ? picture.graph.directions?.[stroke.edge] ?? 0 : 0;
    if (direction !== 0) {
      const [ax, ay, bx, by] = direction === 1 ? [x1, y1, x2, y2] : [x2, y2, x1, y1];
      const length = Math.hypot(bx - ax, by - ay);
      if (length > 3 * radius) {
        const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
        const [tx, ty] = [bx - ux * (radius + 1.5), by - uy * (radius + 1.5)];
        for (const side of [-1, 1]) {
          group.tips.push(tx, ty, tx - 6 * ux + side * 3.2 * uy, ty - 6 * uy - side * 3.2 * ux);
        }
      }
    }
  }
  for (const { look, ends, tips } of groups.values()) {
    pen.lines(ends, look);
    if (tips.length > 0) {
      pen.lines(tips, { ...look, dash: [] });
    }
  }
}

function drawNodes(pen: Pen, picture: Picture, drawing: Drawing, to: Transform, palette: Palette): void {
  const radius = radiusIn(picture, to);
  const groups = new Map<string, { label: number | null; ring: boolean; places: number[] }>();
  const faint: number[] = [];
  for (let place = 0; place < picture.nodes.length; ++place) {
    const [x, y] = [to.x(picture.x[place]), to.y(picture.y[place])];
    if (x < -20 || y < -20 || x > to.width + 20 || y > to.height + 20) {
      continue;
    }
    if (!drawing.nodes.has(place)) {
      if (drawing.faint) {
        faint.push(x, y);
      }
      continue;
    }
    const label = drawing.colours === null ? null : drawing.colours(place);
    const ring = picture.hidden(picture.nodes[place]) > 0;
    const group = groups.get(`${label} ${ring}`) ?? { label, ring, places: [] };
    groups.set(`${label} ${ring}`, group);
    group.places.push(x, y);
  }
  pen.marks(faint, { shape: "circle", radius: radius * 0.75, fill: palette.ground, stroke: palette.soft,
                     strokeWidth: 0.8 });
  for (const { label, ring, places } of groups.values()) {
    const shape = label === null ? "circle" : labelShape(label);
    if (ring) {
      pen.marks(places, { shape: "circle", radius: radius + 3, fill: "none", stroke: palette.soft, strokeWidth: 1 });
    }
    const fill = label === null ? palette.ink : label < 0 ? palette.ground : palette.series[labelColour(label)];
    pen.marks(places, { shape, radius, fill, stroke: label !== null && label < 0 ? palette.soft : palette.ground,
                        strokeWidth: 1.1 });
  }
}

function drawNames(pen: Pen, picture: Picture, drawing: Drawing, to: Transform, palette: Palette): void {
  const radius = radiusIn(picture, to);
  const size = 11.5;
  const order = picture.nodes.map((_, place) => place).filter((place) => drawing.nodes.has(place) || drawing.faint)
    .sort((a, b) => picture.graph.degree(picture.nodes[b]) - picture.graph.degree(picture.nodes[a]) || a - b);
  const taken: [number, number, number, number][] = [];
  for (const place of order) {
    const ring = picture.hidden(picture.nodes[place]) > 0 ? 3 : 0;
    const [x, y] = [to.x(picture.x[place]) + radius + 3 + ring, to.y(picture.y[place])];
    if (x < 0 || y < 8 || y > to.height - 8) {
      continue;
    }
    const whole = picture.graph.name(picture.nodes[place]);
    const text = whole.length > 28 ? `${whole.slice(0, 27)}\u2026` : whole;
    const box: [number, number, number, number] = [x, y - 7, x + 6.4 * text.length, y + 7];
    if (box[2] > to.width + 12 ||
        taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) {
      continue;
    }
    taken.push(box);
    pen.word(x, y, text, { size, colour: palette.ink, halo: palette.ground, bold: false, centred: false });
  }
}

export function paint(pen: Pen, picture: Picture, drawing: Drawing, to: Transform, palette: Palette,
                      target: Target): void {
  const radius = radiusIn(picture, to);
  if (target !== null && "edge" in target) {
    const [s, t] = picture.ends(target.edge);
    if (s >= 0 && t >= 0) {
      pen.lines([to.x(picture.x[s]), to.y(picture.y[s]), to.x(picture.x[t]), to.y(picture.y[t])],
                { colour: palette.focus, width: 11, opacity: 0.35, dash: [] });
    }
  }
  drawLines(pen, picture, drawing, to, palette);
  drawNodes(pen, picture, drawing, to, palette);
  if (target !== null && "node" in target) {
    const place = picture.placeOf(target.node);
    if (place >= 0) {
      pen.marks([to.x(picture.x[place]), to.y(picture.y[place])],
                { shape: "circle", radius: radius + 4.5, fill: "none", stroke: palette.focus, strokeWidth: 3 });
    }
  }
  if (drawing.names) {
    drawNames(pen, picture, drawing, to, palette);
  }
}
