// Two ways to put lines, marks and words down: on a canvas, and into the text of an SVG file. What is drawn is decided
// in paint.ts, once for both.
export type Shape = "circle" | "square" | "triangle" | "diamond";
export const SHAPES: Shape[] = ["circle", "square", "triangle", "diamond"];

export interface LineLook {
  colour: string;
  width: number;
  opacity: number;
  /** Lengths of dashes and gaps; empty: a whole line. */
  dash: number[];
}

export interface MarkLook {
  shape: Shape;
  radius: number;
  fill: string;
  stroke: string;
  strokeWidth: number;
}

export interface WordLook {
  size: number;
  colour: string;
  /** Drawn around the letters, so that lines do not cross them; empty: none. */
  halo: string;
  bold: boolean;
  centred: boolean;
}

export interface Pen {
  ground(width: number, height: number, colour: string): void;
  /** x1, y1, x2, y2, ... */
  lines(ends: readonly number[], look: LineLook): void;
  /** x, y, ... */
  marks(places: readonly number[], look: MarkLook): void;
  word(x: number, y: number, text: string, look: WordLook): void;
  /** Draws into a part of the ground; nothing sticks out of it. */
  inside(x: number, y: number, width: number, height: number, draw: () => void): void;
}

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif";

/** Corners of a shape of about the same area as the circle of that radius. */
function corners(shape: Exclude<Shape, "circle">, x: number, y: number, radius: number): [number, number][] {
  const r = radius;
  switch (shape) {
    case "square": return [[x - r * 0.89, y - r * 0.89], [x + r * 0.89, y - r * 0.89], [x + r * 0.89, y + r * 0.89],
                           [x - r * 0.89, y + r * 0.89]];
    case "triangle": return [[x, y - r * 1.35], [x + r * 1.2, y + r * 0.85], [x - r * 1.2, y + r * 0.85]];
    case "diamond": return [[x, y - r * 1.3], [x + r * 1.3, y], [x, y + r * 1.3], [x - r * 1.3, y]];
  }
}

export class CanvasPen implements Pen {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  ground(width: number, height: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.fillRect(0, 0, width, height);
  }

  lines(ends: readonly number[], look: LineLook): void {
    const { context } = this;
    context.beginPath();
    for (let at = 0; at < ends.length; at += 4) {
      context.moveTo(ends[at], ends[at + 1]);
      context.lineTo(ends[at + 2], ends[at + 3]);
    }
    context.globalAlpha = look.opacity;
    context.strokeStyle = look.colour;
    context.lineWidth = look.width;
    context.lineCap = look.dash.length > 0 && look.dash[0] < 1 ? "round" : "butt";
    context.setLineDash(look.dash);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  marks(places: readonly number[], look: MarkLook): void {
    const { context } = this;
    context.beginPath();
    for (let at = 0; at < places.length; at += 2) {
      const [x, y] = [places[at], places[at + 1]];
      if (look.shape === "circle") {
        context.moveTo(x + look.radius, y);
        context.arc(x, y, look.radius, 0, 2 * Math.PI);
      } else {
        corners(look.shape, x, y, look.radius).forEach(([px, py], corner) =>
          corner === 0 ? context.moveTo(px, py) : context.lineTo(px, py));
        context.closePath();
      }
    }
    if (look.fill !== "none") {
      context.fillStyle = look.fill;
      context.fill();
    }
    if (look.strokeWidth > 0) {
      context.strokeStyle = look.stroke;
      context.lineWidth = look.strokeWidth;
      context.stroke();
    }
  }

  word(x: number, y: number, text: string, look: WordLook): void {
    const { context } = this;
    context.font = `${look.bold ? "600 " : ""}${look.size}px ${FONT}`;
    context.textAlign = look.centred ? "center" : "left";
    context.textBaseline = "middle";
    if (look.halo !== "") {
      context.lineJoin = "round";
      context.strokeStyle = look.halo;
      context.lineWidth = 3;
      context.strokeText(text, x, y);
    }
    context.fillStyle = look.colour;
    context.fillText(text, x, y);
  }

  inside(x: number, y: number, width: number, height: number, draw: () => void): void {
    const { context } = this;
    context.save();
    context.translate(x, y);
    context.beginPath();
    context.rect(0, 0, width, height);
    context.clip();
    draw();
    context.restore();
  }
}

function escaped(text: string): string {
  // What XML 1.0 cannot hold at all becomes U+FFFD.
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

export class SvgPen implements Pen {
  private readonly parts: string[] = [];

  /** The whole file. */
  text(width: number, height: number, title: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
           `viewBox="0 0 ${width} ${height}" font-family="${escaped(FONT)}">\n<title>${escaped(title)}</title>\n` +
           `${this.parts.join("\n")}\n</svg>\n`;
  }

  ground(width: number, height: number, colour: string): void {
    this.parts.push(`<rect width="${short(width)}" height="${short(height)}" fill="${colour}"/>`);
  }

  lines(ends: readonly number[], look: LineLook): void {
    const course: string[] = [];
    for (let at = 0; at < ends.length; at += 4) {
      course.push(`M${short(ends[at])},${short(ends[at + 1])}L${short(ends[at + 2])},${short(ends[at + 3])}`);
    }
    if (course.length > 0) {
      const dash = look.dash.length > 0 ? ` stroke-dasharray="${look.dash.join(" ")}"` : "";
      const cap = look.dash.length > 0 && look.dash[0] < 1 ? ' stroke-linecap="round"' : "";
      const opacity = look.opacity < 1 ? ` stroke-opacity="${short(look.opacity)}"` : "";
      this.parts.push(`<path d="${course.join("")}" fill="none" stroke="${look.colour}" ` +
                      `stroke-width="${short(look.width)}"${dash}${cap}${opacity}/>`);
    }
  }

  marks(places: readonly number[], look: MarkLook): void {
    const paint = `fill="${look.fill}"` +
                  (look.strokeWidth > 0 ? ` stroke="${look.stroke}" stroke-width="${short(look.strokeWidth)}"` : "");
    for (let at = 0; at < places.length; at += 2) {
      const [x, y] = [places[at], places[at + 1]];
      this.parts.push(look.shape === "circle"
        ? `<circle cx="${short(x)}" cy="${short(y)}" r="${short(look.radius)}" ${paint}/>`
        : `<polygon points="${corners(look.shape, x, y, look.radius)
            .map(([px, py]) => `${short(px)},${short(py)}`).join(" ")}" ${paint}/>`);
    }
  }

  word(x: number, y: number, text: string, look: WordLook): void {
    const halo = look.halo === "" ? ""
      : ` stroke="${look.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`;
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" font-size="${short(look.size)}" fill="${look.colour}"` +
                    ` dominant-baseline="central"${look.bold ? ' font-weight="600"' : ""}` +
                    `${look.centred ? ' text-anchor="middle"' : ""}${halo}>${escaped(text)}</text>`);
  }

  inside(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.parts.push(`<svg x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}">`);
    draw();
    this.parts.push("</svg>");
  }
}
