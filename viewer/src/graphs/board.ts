// One drawing on a canvas: moved and zoomed by pointer, fingers and keys, its nodes dragged, what is pointed at named.
//
// A board keeps its element for its lifetime, so the keyboard's focus survives whatever is drawn. It asks its owner for
// the shared look and tells it of every change; drawing happens once per frame.
import { type Child, html } from "../dom";
import { CanvasPen } from "./pens";
import { currentPalette, type Drawing, paint, radiusIn, type Target } from "./paint";
import type { Picture } from "./picture";
import { type Box, type Look, Transform } from "./viewport";

const NEAR = 9;  // how near, in pixels, the pointer must come to a line

/** What boards share, and whom they tell. */
export interface Owner {
  look: () => Look;
  box: () => Box;
  setLook: (look: Look) => void;
  /** What is pointed at; `event`: by the pointer rather than by keys. */
  point: (target: Target, board: Board, event: PointerEvent | null) => void;
  /** A node was dragged. */
  nodesMoved: () => void;
  /** Enter or a double click on a node. */
  open: (node: number) => void;
}

/** Distance of a point from a line segment. */
export function distanceToSegment(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length));
  return Math.hypot(px - ax - share * dx, py - ay - share * dy);
}

export class Board {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  picture: Picture | null = null;
  drawing: Drawing | null = null;
  target: Target = null;
  /** Edges drawn now, the strongest first. */
  drawn: number[] = [];
  title = "";

  private readonly heading = html("span", { class: "panel-title" });
  private readonly score = html("span", { class: "panel-score" });
  private readonly detail = html("span", { class: "panel-detail" });
  private width = 0;
  private height = 0;
  private waiting = false;
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private dragged: number | null = null;
  private pressed: { x: number; y: number; moved: boolean } | null = null;

  constructor(kind: string, private readonly heightFor: (width: number) => number, private readonly owner: Owner) {
    this.canvas = html("canvas", { class: "board", tabindex: 0, role: "application",
                                   "aria-roledescription": "drawing of a graph", "aria-label": "a graph" });
    const place = html("div", { class: "board-place" }, this.canvas);
    this.element = html("figure", { class: `panel ${kind}` },
                        html("figcaption", {}, this.heading, this.score, this.detail), place);
    new ResizeObserver((entries) => {
      const width = Math.floor(entries[0].contentRect.width);
      if (width === 0) {
        return;  // out of sight
      }
      this.width = width;
      this.height = this.heightFor(this.width);
      this.canvas.style.height = `${this.height}px`;
      this.redraw();
    }).observe(place);
    this.listen();
  }

  get size(): [number, number] {
    return [this.width, this.height];
  }

  get transform(): Transform {
    return new Transform(this.owner.box(), this.owner.look(), this.width, this.height);
  }

  setCaption(title: (Node | string)[], score: Child, detail: string, name: string): void {
    this.heading.replaceChildren(...title);
    this.title = this.heading.textContent ?? "";
    this.score.replaceChildren(html("span", {}, score));
    this.detail.textContent = detail;
    this.canvas.setAttribute("aria-label", name);
  }

  /** Nothing to show: the place stays, so that columns keep their rows. */
  setEmpty(text: string): void {
    this.element.classList.add("empty");
    this.canvas.setAttribute("tabindex", "-1");
    this.canvas.setAttribute("aria-hidden", "true");
    this.setCaption([text], "", "", text);
    this.drawing = null;
    this.drawn = [];
    this.redraw();
  }

  show(picture: Picture, drawing: Drawing): void {
    this.element.classList.remove("empty");
    this.canvas.setAttribute("tabindex", "0");
    this.canvas.removeAttribute("aria-hidden");
    this.picture = picture;
    this.drawing = drawing;
    const real = drawing.strokes.filter((stroke) => stroke.role !== "missing" && stroke.role !== "faint");
    this.drawn = [...new Set([...real].sort((a, b) => b.width - a.width || a.edge - b.edge).map((item) => item.edge))];
    Object.assign(this.canvas.dataset, {
      drawn: String(this.drawn.length), nodes: String(drawing.nodes.size),
      extra: String(drawing.strokes.filter((stroke) => stroke.role === "extra").length),
      missing: String(drawing.strokes.filter((stroke) => stroke.role === "missing").length),
    });
    this.redraw();
  }

  mark(target: Target): void {
    this.target = target;
    this.redraw();
  }

  redraw(): void {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.drawNow();
      });
    }
  }

  private drawNow(): void {
    const ratio = window.devicePixelRatio || 1;
    const context = this.canvas.getContext("2d");
    if (context === null || this.width === 0) {
      return;
    }
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    context.scale(ratio, ratio);
    if (this.picture !== null && this.drawing !== null) {
      paint(new CanvasPen(context), this.picture, this.drawing, this.transform, currentPalette(), this.target);
    }
  }

  /** Where, on the screen, what is marked stands. */
  screenPlace(): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const { picture, target, transform } = this;
    if (picture === null || target === null) {
      return { x: box.left, y: box.top };
    }
    const ends = "edge" in target ? picture.ends(target.edge) : [picture.placeOf(target.node)];
    const mean = (values: Float64Array) => ends.reduce((sum, end) => sum + values[end], 0) / ends.length;
    return { x: box.left + transform.x(mean(picture.x)), y: box.top + transform.y(mean(picture.y)) };
  }

  private local(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The node, or else the drawn edge, nearest to a point and in reach. */
  private targetAt(px: number, py: number): Target {
    const { picture, drawing, transform } = this;
    if (picture === null || drawing === null) {
      return null;
    }
    let least = Math.max(8, radiusIn(picture, transform) + 3);
    let nearest: Target = null;
    for (let place = 0; place < picture.nodes.length; ++place) {
      const distance = Math.hypot(px - transform.x(picture.x[place]), py - transform.y(picture.y[place]));
      if (distance < least && (drawing.faint || drawing.nodes.has(place))) {
        least = distance;
        nearest = { node: picture.nodes[place] };
      }
    }
    if (nearest !== null) {
      return nearest;
    }
    least = NEAR;
    for (const { edge, role } of drawing.strokes) {
      if (role === "missing") {
        continue;
      }
      const [s, t] = picture.ends(edge);
      const distance = distanceToSegment(px, py, transform.x(picture.x[s]), transform.y(picture.y[s]),
                                         transform.x(picture.x[t]), transform.y(picture.y[t]));
      if (distance < least) {
        least = distance;
        nearest = { edge };
      }
    }
    return nearest;
  }

  private listen(): void {
    const { canvas, owner } = this;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(kind, (event) => {
        this.fingers.delete(event.pointerId);
        if (this.fingers.size === 0) {
          this.dragged = null;
          this.pressed = null;
        }
      });
    }
    canvas.addEventListener("pointerleave", (event) => {
      // A finger leaves with every tap; what it pointed at stays until the next one.
      if (event.pointerType !== "touch" && this.pressed === null) {
        owner.point(null, this, event);
      }
    });
    canvas.addEventListener("blur", () => owner.point(null, this, null));
    canvas.addEventListener("dblclick", (event) => {
      const found = this.targetAt(...this.local(event));
      if (found !== null && "node" in found) {
        owner.open(found.node);
      } else {
        owner.setLook(this.transform.zoomed(1.8, ...this.local(event)));
      }
    });
    // The page scrolls over a drawing until it has been clicked, or where Ctrl (or two fingers on a pad) say zoom.
    canvas.addEventListener("wheel", (event) => {
      if (event.ctrlKey || event.metaKey || document.activeElement === canvas) {
        event.preventDefault();
        const step = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
        owner.setLook(this.transform.zoomed(Math.exp(-step * (event.ctrlKey ? 0.01 : 0.0015)), ...this.local(event)));
      }
    }, { passive: false });
    // One finger scrolls the page, unless it is on a node; two move and zoom the drawing.
    canvas.addEventListener("touchstart", (event) => {
      const [finger] = event.touches;
      const found = this.targetAt(...this.local(finger));
      if (event.touches.length > 1 || (found !== null && "node" in found)) {
        event.preventDefault();
      }
    }, { passive: false });
  }

  private down(event: PointerEvent): void {
    if (event.button > 0) {
      return;
    }
    const [x, y] = this.local(event);
    this.fingers.set(event.pointerId, { x, y });
    this.canvas.setPointerCapture?.(event.pointerId);
    this.canvas.focus({ preventScroll: true });
    const found = this.targetAt(x, y);
    this.owner.point(found, this, event);
    this.pressed = { x, y, moved: false };
    this.dragged = this.fingers.size === 1 && found !== null && "node" in found ? found.node : null;
  }

  private move(event: PointerEvent): void {
    const [x, y] = this.local(event);
    const before = this.fingers.get(event.pointerId);
    if (before === undefined || this.pressed === null) {
      this.owner.point(this.targetAt(x, y), this, event);
      return;
    }
    if (!this.pressed.moved && Math.hypot(x - this.pressed.x, y - this.pressed.y) < 4) {
      return;  // a click, not a drag
    }
    this.pressed.moved = true;
    const { transform, picture } = this;
    if (this.fingers.size === 2) {
      const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1] ?? before;
      const apart = (at: { x: number; y: number }) => Math.max(Math.hypot(at.x - other.x, at.y - other.y), 1);
      const factor = apart({ x, y }) / apart(before);
      const middle: [number, number] = [(x + other.x) / 2, (y + other.y) / 2];
      const look = transform.zoomed(factor, ...middle);
      this.owner.setLook(new Transform(this.owner.box(), look, this.width, this.height)
        .moved((x - before.x) / 2, (y - before.y) / 2));
    } else if (this.dragged !== null && picture !== null) {
      const place = picture.placeOf(this.dragged);
      picture.x[place] = transform.fromX(x);
      picture.y[place] = transform.fromY(y);
      this.owner.nodesMoved();
    } else if (event.pointerType !== "touch") {
      this.owner.setLook(transform.moved(x - before.x, y - before.y));
    }
    this.fingers.set(event.pointerId, { x, y });
  }
}
