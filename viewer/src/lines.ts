// One quantity over one setting (sensitivity): points with their spread, the paper's values beside them.
import { type Axis, cursorChart, DASHES, drawFrame, extent, linearAxis, logAxis, pathOf, seriesClass,
         swatch } from "./chart";
import type { Lines } from "./data";
import { html, rich, svg } from "./dom";
import { formatSpread, formatValue, isNumber } from "./numbers";
import { section } from "./section";

/** Decimals that suit all values shown: three significant digits of the largest. */
export function commonDigits(values: (number | null)[]): number {
  const largest = Math.max(0, ...values.filter(isNumber).map(Math.abs));
  return largest === 0 ? 1 : Math.min(6, Math.max(0, 3 - Math.ceil(Math.log10(largest) + 1e-9)));
}

/** Every x has a tick. On a logarithmic axis 0 has no place: it is set apart, one step left of the smallest. */
export function settingAxis(x: number[], log: boolean, range: [number, number]): Axis {
  const distinct = [...new Set(x)].sort((a, b) => a - b);
  const positive = distinct.filter((value) => value > 0);
  const inner: [number, number] = [range[0] + 14, range[1] - 14];
  let scale: (value: number) => number;
  if (log && positive.length >= 2) {
    const apart = positive.length < distinct.length;
    const step = (inner[1] - inner[0]) / distinct.length;
    const exact = logAxis([positive[0], positive[positive.length - 1]], [0, 1], 3).scale;
    const low = exact(positive[0]);
    const high = exact(positive[positive.length - 1]);
    const start = apart ? inner[0] + step : inner[0];
    scale = (value) => value > 0 ? start + (exact(value) - low) / (high - low) * (inner[1] - start) : inner[0];
  } else {
    const [low, high] = extent(distinct);
    scale = (value) => inner[0] + (value - low) / (high - low) * (inner[1] - inner[0]);
  }
  const ticks: Axis["ticks"] = [];
  for (const value of distinct) {
    const at = scale(value);
    const label = String(Number(value.toPrecision(4)));
    const last = ticks[ticks.length - 1];
    if (last === undefined || at - last.at > (label.length + last.label.length) * 3.4 + 6) {
      ticks.push({ at, label });
    }
  }
  return { scale, ticks };
}

export function linesSection(lines: Lines): HTMLElement {
  const values = lines.series.flatMap((series) => [
    ...series.y.flatMap((y, index) => {
      const spread = series.deviation?.[index] ?? 0;
      return isNumber(y) ? [y - spread, y + spread] : [];
    }),
    ...(series.paper ?? []),
  ]);
  const digits = commonDigits(values);
  const order = lines.x.map((_, index) => index).sort((a, b) => lines.x[a] - lines.x[b]);
  const readout = html("dl", { class: "readout", "aria-live": "polite" });
  const withPaper = lines.series.some((series) => series.paper?.some(isNumber));
  const chart = cursorChart({
    title: `${lines.y_label} over ${lines.x_label}`,
    places: order.map((index) => lines.x[index]),
    start: 0,
    draw: (root, width) => {
      const frame = drawFrame(root, {
        width,
        height: Math.min(320, Math.max(210, Math.round(width * 0.5))),
        xLabel: lines.x_label,
        makeX: (range) => settingAxis(lines.x, lines.log_x, range),
        makeY: (range) => linearAxis(extent(values), range, 5),
      });
      const path = (list: (number | null)[]) => pathOf(order.flatMap((index): [number, number][] => {
        const y = list[index];
        return isNumber(y) ? [[frame.x(lines.x[index]), frame.y(y)]] : [];
      }));
      lines.series.forEach((series, number) => {
        const kind = seriesClass(number);
        if (series.paper) {
          frame.plot.append(svg("path", { class: `${kind} of-paper`, d: path(series.paper) }));
          order.forEach((index) => {
            const y = series.paper?.[index];
            if (isNumber(y)) {
              frame.plot.append(svg("circle", { class: `${kind} hollow`, cx: frame.x(lines.x[index]), cy: frame.y(y),
                                                r: 4 }));
            }
          });
        }
        frame.plot.append(svg("path", { class: kind, d: path(series.y),
                                        "stroke-dasharray": DASHES[number % DASHES.length] }));
        order.forEach((index) => {
          const y = series.y[index];
          const at = frame.x(lines.x[index]);
          const spread = series.deviation?.[index];
          if (isNumber(y) && isNumber(spread) && spread > 0) {
            const [low, high] = [frame.y(y - spread), frame.y(y + spread)];
            frame.plot.append(svg("path", { class: `${kind} spread`,
                                            d: `M${at - 4},${high}h8M${at},${high}V${low}M${at - 4},${low}h8` }));
          }
          if (isNumber(y)) {
            frame.plot.append(svg("circle", { class: `${kind} point`, cx: at, cy: frame.y(y), r: 3.5 }));
          }
        });
      });
      return frame;
    },
    show: (place, frame, layer) => {
      const index = order[place];
      const at = frame.x(lines.x[index]);
      layer.append(svg("line", { class: "rule", x1: at, x2: at, y1: 14, y2: frame.height - 40 }));
      readout.replaceChildren(
        html("div", { class: "readout-head" }, html("dt", {}, lines.x_label),
             html("dd", {}, formatValue(lines.x[index]))),
        ...lines.series.map((series, number) =>
          html("div", {}, html("dt", {}, swatch(number), html("span", {}, rich(series.label))),
               html("dd", {}, formatSpread(series.y[index], series.deviation?.[index], digits),
                    isNumber(series.paper?.[index])
                      ? html("span", { class: "beside" }, ` paper ${formatSpread(series.paper?.[index], null, digits)}`)
                      : null))));
    },
  });
  return section(lines, "lines", html(
    "figure", { class: "chart-figure" },
    html("figcaption", {}, html("h3", {}, rich(lines.y_label)),
         withPaper ? html("span", { class: "hint" }, "hollow points, thin dotted line: the paper") : null),
    chart.element, readout));
}
