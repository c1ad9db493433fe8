// What is drawn, as SVG and PNG files, and the edges in sight as a CSV file. The files are made in the browser.
//
// A CSV's names are those of the data, quoted as RFC 4180 says and otherwise unchanged.
import { html } from "../dom";
import type { Board } from "./board";
import type { Graph } from "./graph";
import { currentPalette, paint } from "./paint";
import { CanvasPen, type Pen, SvgPen } from "./pens";
import type { Picture } from "./picture";

const GAP = 16;
const TITLE = 22;
const PNG_SCALE = 2;

/** A file name of letters, digits and hyphens. */
export function fileName(text: string, ending: string): string {
  const stem = text.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60).toLowerCase();
  return `${stem || "graph"}.${ending}`;
}

export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = html("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

interface Plan {
  width: number;
  height: number;
  places: { board: Board; x: number; y: number }[];
}

/** Boards in rows, as on the page. */
function arrange(boards: Board[]): Plan {
  const shown = boards.filter((board) => board.drawing !== null && board.size[0] > 0);
  const columns = shown.length <= 1 ? 1 : Math.min(4, Math.ceil(Math.sqrt(shown.length)));
  const plan: Plan = { width: 2 * GAP, height: GAP, places: [] };
  for (let from = 0; from < shown.length; from += columns) {
    const row = shown.slice(from, from + columns);
    let x = GAP;
    for (const board of row) {
      plan.places.push({ board, x, y: plan.height + TITLE });
      x += board.size[0] + GAP;
    }
    plan.width = Math.max(plan.width, x);
    plan.height += TITLE + Math.max(...row.map((board) => board.size[1])) + GAP;
  }
  return plan;
}

function drawPlan(pen: Pen, plan: Plan): void {
  const palette = currentPalette();
  pen.ground(plan.width, plan.height, palette.ground);
  for (const { board, x, y } of plan.places) {
    const { picture, drawing, transform } = board;
    if (picture !== null && drawing !== null) {
      pen.word(x, y - 10, board.title, { size: 13, colour: palette.ink, halo: "", bold: true, centred: false });
      pen.inside(x, y, ...board.size, () => paint(pen, picture, drawing, transform, palette, null));
    }
  }
}

export function asSvg(boards: Board[], title: string): string {
  const plan = arrange(boards);
  const pen = new SvgPen();
  drawPlan(pen, plan);
  return pen.text(plan.width, plan.height, title);
}

export function asPng(boards: Board[]): Promise<Blob | null> {
  const plan = arrange(boards);
  const canvas = html("canvas", { width: plan.width * PNG_SCALE, height: plan.height * PNG_SCALE });
  const context = canvas.getContext("2d");
  if (context === null) {
    return Promise.resolve(null);
  }
  context.scale(PNG_SCALE, PNG_SCALE);
  drawPlan(new CanvasPen(context), plan);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Five digits are more than the page holds of a large graph. */
function share(value: number): string {
  return String(Math.round(value * 1e5) / 1e5);
}

/** The edges of a picture: ends by name, every factor of the layer, the strongest, and what else is known. */
export function asCsv(graph: Graph, layer: number, picture: Picture): Blob {
  const { factors } = graph.part.layers[layer];
  const truth = graph.truth.length > 0;
  const head = ["source", "target", ...factors, "strongest", ...(graph.certainty === null ? [] : ["certainty"]),
                ...(truth ? ["relations"] : [])];
  const pieces: string[] = [`${head.map(quoted).join(",")}\n`];
  for (const edge of picture.edges) {
    const back = graph.directions?.[edge] === 2;
    const ends = [graph.sources[edge], graph.targets[edge]].map((node) => quoted(graph.name(node)));
    const sure = graph.sureness(edge);
    pieces.push([
      ...(back ? ends.reverse() : ends), ...factors.map((_, factor) => share(graph.coefficient(layer, edge, factor))),
      quoted(factors[graph.strongest(layer, edge)]), ...(sure === null ? [] : [share(sure)]),
      ...(truth ? [quoted(graph.typesOf(edge).map((type) => graph.part.types[type]).join(";"))] : []),
    ].join(",") + "\n");
  }
  return new Blob(pieces, { type: "text/csv" });
}
