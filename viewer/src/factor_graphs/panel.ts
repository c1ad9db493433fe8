// One small drawing of a sample: nodes at the places all panels share, and the edges it is told to draw.
//
// A panel keeps its element for its lifetime, so the keyboard's focus survives a change of sample or threshold.
// Cost of a drawing: one SVG line per edge drawn (large graphs: one path per look), one circle per node shown.
import type { Sample } from "../data";
import { type Child, html, svg } from "../dom";
import type { Layout } from "./layout";

export interface Stroke {
  edge: number;
  kind: string;
  width: number;
  opacity?: number;
  /** Sideways, in stroke widths: for edges that belong to several relations. */
  shift?: number;
}

export type Target = { edge: number } | { node: number } | null;

export interface Drawing {
  strokes: Stroke[];
  /** Nodes drawn strongly; the others are left out, or shown faintly where `faint` is set. */
  nodes: Set<number>;
  faint: boolean;
}

const WIDTH = 200;
const PAD = 15;
const MANY = 500;  // edges from which lines of one look are drawn as one path
const REACH = 9;  // how near, in drawing units, the pointer must come

/** From the layout to the panel, filling its longer side with the nodes that may be shown. */
export function placesIn(layout: Layout, height: number, withIsolated: boolean): { x: Float64Array; y: Float64Array } {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  layout.isolated.forEach((isolated, node) => {
    if (!isolated || withIsolated) {
      left = Math.min(left, layout.x[node]);
      right = Math.max(right, layout.x[node]);
      top = Math.min(top, layout.y[node]);
      bottom = Math.max(bottom, layout.y[node]);
    }
  });
  const scale = Math.min((WIDTH - 2 * PAD) / (right - left || 1e-9), (height - 2 * PAD) / (bottom - top || 1e-9),
                         WIDTH);
  return {
    x: layout.x.map((value) => WIDTH / 2 + (value - (left + right) / 2) * scale),
    y: layout.y.map((value) => height / 2 + (value - (top + bottom) / 2) * scale),
  };
}

/** Distance of a point from a line segment. */
export function distanceToSegment(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length));
  return Math.hypot(px - ax - share * dx, py - ay - share * dy);
}

export class Panel {
  readonly element: HTMLElement;
  readonly root: SVGSVGElement;
  /** Edges drawn now, the strongest first. */
  drawn: number[] = [];

  private readonly title = html("span", { class: "panel-title" });
  private readonly score = html("span", { class: "panel-score" });
  private readonly detail = html("span", { class: "panel-detail" });
  private readonly marked = svg("g", { class: "marked" });
  private readonly lines = svg("g", { class: "edges" });
  private readonly circles = svg("g", { class: "nodes" });
  private sample: Sample | null = null;
  private shown = new Set<number>();
  private x: Float64Array = new Float64Array();
  private y: Float64Array = new Float64Array();

  constructor(kind: string, private readonly height: number, private readonly showNames: boolean,
              onTarget: (target: Target, panel: Panel, event: PointerEvent | null) => void) {
    this.root = svg("svg", { class: "panel-graph", viewBox: `0 0 ${WIDTH} ${height}`, tabindex: 0, role: "group" },
                    this.marked, this.lines, this.circles);
    this.element = html("figure", { class: `panel ${kind}` },
                        html("figcaption", {}, this.title, this.score, this.detail), this.root);
    const point = (event: PointerEvent) => onTarget(this.targetAt(event), this, event);
    this.root.addEventListener("pointermove", point);
    this.root.addEventListener("pointerdown", point);
    this.root.addEventListener("pointerleave", (event) => {
      // A finger leaves with every tap; what it pointed at stays until the next one.
      if (event.pointerType !== "touch") {
        onTarget(null, this, event);
      }
    });
    this.root.addEventListener("blur", () => onTarget(null, this, null));
  }

  setSample(sample: Sample, layout: Layout, withIsolated: boolean): void {
    this.sample = sample;
    const places = placesIn(layout, this.height, withIsolated);
    this.x = places.x;
    this.y = places.y;
  }

  setCaption(title: (Node | string)[], score: Child, detail: string, spoken: string): void {
    this.title.replaceChildren(...title);
    this.score.replaceChildren(html("span", {}, score));
    this.detail.textContent = detail;
    this.root.setAttribute("aria-label", spoken);
  }

  /** Nothing to show: the place stays, so that columns keep their rows. */
  setEmpty(text: string): void {
    this.element.classList.add("empty");
    this.root.setAttribute("tabindex", "-1");
    this.root.setAttribute("aria-hidden", "true");
    this.setCaption([text], "", "", text);
    this.drawn = [];
    this.shown = new Set();
    this.lines.replaceChildren();
    this.circles.replaceChildren();
    this.marked.replaceChildren();
  }

  draw(drawing: Drawing): void {
    const { sample } = this;
    if (sample === null) {
      return;
    }
    this.element.classList.remove("empty");
    this.root.setAttribute("tabindex", "0");
    this.root.removeAttribute("aria-hidden");
    this.marked.replaceChildren();
    const real = drawing.strokes.filter((stroke) => !stroke.kind.startsWith("missing"));
    this.drawn = [...new Set([...real].sort((a, b) => b.width - a.width || a.edge - b.edge).map((item) => item.edge))];
    this.lines.replaceChildren(...(drawing.strokes.length > MANY ? this.paths(drawing.strokes)
                                                                 : drawing.strokes.map((stroke) => this.line(stroke))));
    this.shown = drawing.nodes;
    const radius = sample.nodes <= 40 ? 4.6 : sample.nodes <= 150 ? 3 : 1.8;
    const named = this.showNames && sample.nodes <= 40;
    const circles: Element[] = [];
    for (let node = 0; node < sample.nodes; ++node) {
      const strong = drawing.nodes.has(node);
      if (!strong && !drawing.faint) {
        continue;
      }
      circles.push(svg("circle", { class: strong ? "node" : "node faint", cx: this.x[node].toFixed(2),
                                   cy: this.y[node].toFixed(2), r: named ? 6.2 : radius }));
      if (named) {
        circles.push(svg("text", { class: "node-name", x: this.x[node].toFixed(2), y: this.y[node].toFixed(2),
                                   dy: "0.36em", "text-anchor": "middle" },
                         (sample.node_labels?.[node] ?? String(node)).slice(0, 3)));
      }
    }
    this.circles.replaceChildren(...circles);
  }

  /** Marks an edge or a node under the drawing; null takes the mark away. */
  mark(target: Target): void {
    if (target === null || this.sample === null || this.element.classList.contains("empty")) {
      this.marked.replaceChildren();
    } else if ("edge" in target) {
      const [s, t] = this.ends(target.edge);
      this.marked.replaceChildren(svg("line", { class: "mark-edge", x1: this.x[s], y1: this.y[s], x2: this.x[t],
                                                y2: this.y[t] }));
    } else {
      this.marked.replaceChildren(svg("circle", { class: "mark-node", cx: this.x[target.node], cy: this.y[target.node],
                                                  r: 9 }));
    }
  }

  /** Where something said about this panel does not cover it. */
  screenPlace(): { x: number; y: number } {
    const box = this.root.getBoundingClientRect();
    return { x: box.left - 14, y: box.bottom - 8 };
  }

  private ends(edge: number): [number, number] {
    return [this.sample?.edges[2 * edge] ?? 0, this.sample?.edges[2 * edge + 1] ?? 0];
  }

  /** x1, y1, x2, y2 of a stroke, moved sideways where it shares its edge. */
  private course(stroke: Stroke): string[] {
    const [s, t] = this.ends(stroke.edge);
    let [x1, y1, x2, y2] = [this.x[s], this.y[s], this.x[t], this.y[t]];
    if (stroke.shift) {
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [nx, ny] = [-(y2 - y1) / length * stroke.shift * stroke.width,
                        (x2 - x1) / length * stroke.shift * stroke.width];
      [x1, y1, x2, y2] = [x1 + nx, y1 + ny, x2 + nx, y2 + ny];
    }
    return [x1, y1, x2, y2].map((value) => value.toFixed(2));
  }

  private line(stroke: Stroke): SVGLineElement {
    const [x1, y1, x2, y2] = this.course(stroke);
    return svg("line", {
      class: `edge ${stroke.kind}`, x1, y1, x2, y2, "stroke-width": stroke.width.toFixed(2),
      "stroke-opacity": stroke.opacity?.toFixed(2), "data-edge": stroke.edge,
    });
  }

  /** Many edges: one path for all that look alike, in thin lines that let others show through. */
  private paths(strokes: Stroke[]): SVGPathElement[] {
    const looks = new Map<string, { first: Stroke; width: string; opacity: string; course: string[] }>();
    for (const stroke of strokes) {
      const width = (stroke.width * 0.16).toFixed(1);
      const opacity = (0.55 * (stroke.opacity ?? 1)).toFixed(1);
      const look = `${stroke.kind} ${width} ${opacity}`;
      const group = looks.get(look) ?? { first: stroke, width, opacity, course: [] };
      looks.set(look, group);
      const [x1, y1, x2, y2] = this.course(stroke);
      group.course.push(`M${x1},${y1}L${x2},${y2}`);
    }
    return [...looks.values()].map((group) => svg("path", {
      class: `edge ${group.first.kind}`, d: group.course.join(""), "stroke-width": group.width,
      "stroke-opacity": group.opacity,
    }));
  }

  /** The node, or else the drawn edge, nearest to the pointer and in reach. */
  private targetAt(event: PointerEvent): Target {
    const box = this.root.getBoundingClientRect();
    if (this.sample === null || box.width === 0) {
      return null;
    }
    const scale = WIDTH / box.width;
    const [px, py] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    for (const node of this.shown) {
      if (Math.hypot(px - this.x[node], py - this.y[node]) < 6.5) {
        return { node };
      }
    }
    let nearest: Target = null;
    let least = REACH;
    for (const edge of this.drawn) {
      const [s, t] = this.ends(edge);
      const distance = distanceToSegment(px, py, this.x[s], this.y[s], this.x[t], this.y[t]);
      if (distance < least) {
        least = distance;
        nearest = { edge };
      }
    }
    return nearest;
  }
}
