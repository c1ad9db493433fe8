// The common ground of line charts: scales, axes, a cursor that follows pointer and arrow keys.
//
// Charts are drawn anew for a new width, so that text keeps its size on a phone. Cost: linear in the points drawn.
import { scaleLinear, scaleLog } from "d3-scale";

import { html, onWidth, svg } from "./dom";
import { moveAlong, onSteps } from "./keyboard";
import { formatValue, isNumber } from "./numbers";

export type Scale = (value: number) => number;

export interface Axis {
  scale: Scale;
  ticks: { at: number; label: string }[];
}

export interface Frame {
  plot: SVGGElement;
  x: Scale;
  y: Scale;
  width: number;
  height: number;
}

/** Least and greatest of the finite values; a little room where they are equal. */
export function extent(values: Iterable<number | null>): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (isNumber(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) {
    return [0, 1];
  }
  return low === high ? [low - (Math.abs(low) * 0.05 || 0.5), high + (Math.abs(high) * 0.05 || 0.5)] : [low, high];
}

/** Shortest labels that tell the ticks apart. */
function labels(values: number[]): string[] {
  if (values.some((value) => value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4))) {
    return values.map(formatValue);
  }
  const digits = Math.max(...values.map((value) => (String(Number(value.toPrecision(10))).split(".")[1] ?? "").length));
  return values.map((value) => value.toFixed(digits).replace("-", "\u2212"));
}

export function linearAxis(domain: [number, number], range: [number, number], count: number): Axis {
  const scale = scaleLinear().domain(domain).nice(count).range(range);
  const ticks = scale.ticks(count);
  const texts = labels(ticks);
  return { scale, ticks: ticks.map((value, index) => ({ at: scale(value), label: texts[index] })) };
}

/** For epochs: whole numbers alone, and the ends stay where the data end. */
export function epochAxis(domain: [number, number], range: [number, number], count: number): Axis {
  const scale = scaleLinear().domain(domain).range(range);
  const ticks = scale.ticks(count).filter(Number.isInteger);
  return { scale, ticks: ticks.map((value) => ({ at: scale(value), label: String(value) })) };
}

export function logAxis(domain: [number, number], range: [number, number], count: number): Axis {
  const scale = scaleLog().domain(domain).nice().range(range);
  let ticks = scale.ticks(count);
  if (ticks.length > count + 2) {
    const powers = ticks.filter((value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9);
    ticks = powers.length >= 2 ? powers : ticks.filter((_, index) => index % Math.ceil(ticks.length / count) === 0);
  }
  return { scale, ticks: ticks.map((value) => ({ at: scale(value), label: String(Number(value.toPrecision(3))) })) };
}

export interface FrameOptions {
  width: number;
  height: number;
  xLabel: string;
  makeX: (range: [number, number]) => Axis;
  makeY: (range: [number, number]) => Axis;
}

/** Axes with hairlines; returns the group to draw into. */
export function drawFrame(root: SVGSVGElement, options: FrameOptions): Frame {
  const top = 18;
  const bottom = 40;
  const yAxis = options.makeY([options.height - bottom, top]);
  const left = Math.max(...yAxis.ticks.map((tick) => tick.label.length), 2) * 6.7 + 12;
  const right = 10;
  const xAxis = options.makeX([left, options.width - right]);
  root.replaceChildren();
  root.setAttribute("width", String(options.width));
  root.setAttribute("height", String(options.height));
  root.setAttribute("viewBox", `0 0 ${options.width} ${options.height}`);
  const base = options.height - bottom;
  root.append(
    svg("g", { class: "axis" },
        yAxis.ticks.map((tick) => svg("line", { class: "grid", x1: left, x2: options.width - right, y1: tick.at,
                                                y2: tick.at })),
        yAxis.ticks.map((tick) => svg("text", { x: left - 8, y: tick.at, dy: "0.35em", "text-anchor": "end" },
                                      tick.label)),
        svg("line", { class: "base", x1: left, x2: options.width - right, y1: base, y2: base }),
        xAxis.ticks.map((tick) => [
          svg("line", { class: "tick", x1: tick.at, x2: tick.at, y1: base, y2: base + 4 }),
          svg("text", { x: tick.at, y: base + 17, "text-anchor": "middle" }, tick.label),
        ]),
        svg("text", { class: "axis-label", x: options.width - right, y: base + 34, "text-anchor": "end" },
            options.xLabel)));
  const plot = svg("g", {});
  root.append(plot);
  return { plot, x: xAxis.scale, y: yAxis.scale, width: options.width, height: options.height };
}

export interface CursorChart {
  title: string;
  /** Where the cursor can stand, in the units of x. */
  places: number[];
  start: number;
  draw: (root: SVGSVGElement, width: number) => Frame;
  /** Values at a place; drawn marks go into `layer`. */
  show: (place: number, frame: Frame, layer: SVGGElement) => void;
}

/** A chart with a cursor; the readout is the caller's and should be aria-live. */
export function cursorChart(chart: CursorChart): { element: HTMLElement; redraw: () => void } {
  const root = svg("svg", { class: "chart", tabindex: 0, role: "group", "aria-label":
    `${chart.title}. Arrow keys move along the axis; the values are read out.` });
  const element = html("div", { class: "chart-place" }, root);
  let frame: Frame | null = null;
  let layer = svg("g", {});
  let place = chart.start;
  let width = 0;
  const show = () => {
    if (frame !== null) {
      layer.replaceChildren();
      chart.show(place, frame, layer);
    }
  };
  const redraw = () => {
    if (width > 0) {
      frame = chart.draw(root, width);
      layer = svg("g", { class: "cursor" });
      frame.plot.append(layer);
      show();
    }
  };
  onWidth(element, (now) => {
    width = now;
    redraw();
  });
  const follow = (event: PointerEvent) => {
    if (frame === null || chart.places.length === 0) {
      return;
    }
    const at = event.clientX - root.getBoundingClientRect().left;
    const x = frame.x;
    let nearest = 0;
    chart.places.forEach((value, index) => {
      if (Math.abs(x(value) - at) < Math.abs(x(chart.places[nearest]) - at)) {
        nearest = index;
      }
    });
    if (nearest !== place) {
      place = nearest;
      show();
    }
  };
  root.addEventListener("pointermove", follow);
  root.addEventListener("pointerdown", follow);
  root.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") {
      place = chart.start;
      show();
    }
  });
  onSteps(root, (step) => {
    if (step !== "left" && step !== "right" && step !== "first" && step !== "last") {
      return false;
    }
    place = moveAlong(place, step, chart.places.length);
    show();
    return true;
  });
  return { element, redraw };
}

/** A path through points, in order. */
export function pathOf(points: [number, number][]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(2)},${y.toFixed(2)}`).join("");
}

/** Series get colours 1 .. 6 and, beyond the first of them, dashes: never colour alone. */
export const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 3", "10 4"];

export function seriesClass(index: number): string {
  return `series s${(index % 6) + 1}`;
}

export function swatch(index: number): SVGSVGElement {
  return svg("svg", { class: "swatch", width: 22, height: 10, "aria-hidden": "true" },
             svg("line", { class: seriesClass(index), x1: 1, x2: 21, y1: 5, y2: 5,
                           "stroke-dasharray": DASHES[index % DASHES.length] }));
}
