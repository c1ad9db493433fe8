// Heat maps of square matrices (correlations of features). One canvas per panel; pointer and arrow keys read cells.
import type { HeatmapPanel, Heatmaps } from "./data";
import { html, onWidth, rich } from "./dom";
import { onSteps } from "./keyboard";
import { formatFixed, formatValue, isNumber } from "./numbers";
import { section } from "./section";
import { colour, onThemeChange } from "./theme";

type Rgb = [number, number, number];

function parse(hex: string): Rgb {
  const value = parseInt(hex.replace("#", ""), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** A colour between evenly spaced stops. */
export function ramp(stops: Rgb[], value: number): Rgb {
  const place = Math.min(Math.max(value, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  const share = place - index;
  return [0, 1, 2].map((part) =>
    Math.round(stops[index][part] + share * (stops[index + 1][part] - stops[index][part]))) as Rgb;
}

function currentStops(): Rgb[] {
  return ["--heat-0", "--heat-1", "--heat-2", "--heat-3"].map((name) => parse(colour(name)));
}

function drawPanel(canvas: HTMLCanvasElement, panel: HeatmapPanel, width: number, cell: [number, number] | null): void {
  const ratio = window.devicePixelRatio || 1;
  const side = Math.round(width * ratio);
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext("2d");
  if (context === null) {
    return;
  }
  const stops = currentStops();
  const at = (index: number) => Math.round(index * side / panel.size);
  for (let row = 0; row < panel.size; ++row) {
    for (let column = 0; column < panel.size; ++column) {
      const value = panel.values[row * panel.size + column];
      context.fillStyle = isNumber(value) ? `rgb(${ramp(stops, value).join(",")})` : colour("--line");
      context.fillRect(at(column), at(row), at(column + 1) - at(column), at(row + 1) - at(row));
    }
  }
  context.strokeStyle = colour("--ink");
  context.lineWidth = ratio;
  let edge = 0;
  for (const block of panel.blocks ?? []) {
    context.strokeRect(at(edge) + ratio / 2, at(edge) + ratio / 2, at(edge + block) - at(edge) - ratio,
                       at(edge + block) - at(edge) - ratio);
    edge += block;
  }
  if (cell !== null) {
    context.strokeStyle = colour("--focus");
    context.lineWidth = 2 * ratio;
    context.strokeRect(at(cell[1]), at(cell[0]), at(cell[1] + 1) - at(cell[1]), at(cell[0] + 1) - at(cell[0]));
  }
}

function panelFigure(panel: HeatmapPanel, valueLabel: string): HTMLElement {
  const canvas = html("canvas", { class: "heat", tabindex: 0, role: "img", "aria-label":
    `${panel.label}: ${valueLabel} of ${panel.size} features. Arrow keys move from cell to cell.` });
  const readout = html("p", { class: "heat-readout", "aria-live": "polite" });
  let cell: [number, number] | null = null;
  let width = 0;
  const draw = () => {
    if (width > 0) {
      drawPanel(canvas, panel, width, cell);
    }
    readout.textContent = cell === null ? ""
      : `row ${cell[0] + 1}, column ${cell[1] + 1}: ${formatFixed(panel.values[cell[0] * panel.size + cell[1]], 3)}`;
  };
  const place = html("div", { class: "heat-place" }, canvas);
  onWidth(place, (now) => {
    width = now;
    draw();
  });
  onThemeChange(draw);
  const follow = (event: PointerEvent) => {
    const box = canvas.getBoundingClientRect();
    const index = (at: number, side: number) =>
      Math.min(panel.size - 1, Math.max(0, Math.floor(at / side * panel.size)));
    cell = [index(event.clientY - box.top, box.height), index(event.clientX - box.left, box.width)];
    draw();
  };
  canvas.addEventListener("pointermove", follow);
  canvas.addEventListener("pointerdown", follow);
  const leave = () => {
    cell = null;
    draw();
  };
  canvas.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") {
      leave();
    }
  });
  canvas.addEventListener("blur", leave);
  onSteps(canvas, (step) => {
    const moves: Partial<Record<typeof step, [number, number]>> =
      { left: [0, -1], right: [0, 1], up: [-1, 0], down: [1, 0] };
    const move = moves[step];
    if (move === undefined) {
      return false;
    }
    const bounded = (value: number) => Math.min(panel.size - 1, Math.max(0, value));
    cell = cell === null ? [0, 0] : [bounded(cell[0] + move[0]), bounded(cell[1] + move[1])];
    draw();
    return true;
  });
  const score = isNumber(panel.score)
    ? html("span", { class: "hint" }, rich(`${panel.score_name ?? "score"} ${formatValue(panel.score)}`)) : null;
  return html("figure", { class: "heat-figure" }, html("figcaption", {}, html("h3", {}, panel.label), score), place,
              readout);
}

export function heatmapSection(heatmaps: Heatmaps): HTMLElement {
  const legend = html("div", { class: "heat-legend", "aria-hidden": "true" },
                      html("span", {}, "0"), html("span", { class: "heat-bar" }), html("span", {}, "1"),
                      html("span", { class: "hint" }, heatmaps.value_label));
  return section(heatmaps, "heatmaps", [
    html("div", { class: "heat-grid" }, heatmaps.panels.map((panel) => panelFigure(panel, heatmaps.value_label))),
    legend,
  ]);
}
