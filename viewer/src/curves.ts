// Training curves: one chart per axis ("loss", "micro-F1"), all runs in it or one that is chosen.
//
// With several runs each is a thin line and their mean a strong one; the readout then tells the mean.
import { cursorChart, DASHES, drawFrame, epochAxis, extent, linearAxis, logAxis, pathOf, seriesClass,
         swatch } from "./chart";
import type { Curves, CurveRun } from "./data";
import { html, rich, svg } from "./dom";
import { formatValue, isNumber, mean, MISSING } from "./numbers";
import { section } from "./section";

type Values = (number | null)[];

/** Mean of the runs at each epoch that any of them has. */
export function meanCurve(curves: Values[]): Values {
  const length = Math.max(0, ...curves.map((curve) => curve.length));
  return Array.from({ length }, (_, epoch) => {
    const values = curves.map((curve) => curve[epoch]).filter(isNumber);
    return values.length === 0 ? null : mean(values);
  });
}

/** A logarithmic axis is offered where all values are positive and some are twenty times others. */
export function wantsLog(values: Values): boolean {
  const finite = values.filter(isNumber);
  return finite.length > 0 && Math.min(...finite) > 0 && Math.max(...finite) > 20 * Math.min(...finite);
}

interface View {
  runs: CurveRun[];
  log: boolean;
}

function valuesOf(run: CurveRun, panel: string, name: string): Values {
  return run.series.find((series) => series.panel === panel && series.name === name)?.values ?? [];
}

function panelChart(curves: Curves, panel: string, view: () => View): { element: HTMLElement; redraw: () => void } {
  const names = [...new Set(curves.runs.flatMap((run) =>
    run.series.filter((series) => series.panel === panel).map((series) => series.name)))];
  const all = curves.runs.flatMap((run) => names.flatMap((name) => valuesOf(run, panel, name)));
  const epochs = Math.max(1, ...curves.runs.flatMap((run) => names.map((name) => valuesOf(run, panel, name).length)));
  const offersLog = wantsLog(all);
  let log = false;
  const readout = html("dl", { class: "readout", "aria-live": "polite" });

  const best = view().runs.length === 1 ? view().runs[0].best : null;
  const chart = cursorChart({
    title: `${panel} over ${curves.x_label}`,
    places: Array.from({ length: epochs }, (_, index) => index + 1),
    start: (isNumber(best) && best >= 1 && best <= epochs ? best : epochs) - 1,
    draw: (root, width) => {
      const { runs } = view();
      const shown = runs.flatMap((run) => names.flatMap((name) => valuesOf(run, panel, name)));
      const frame = drawFrame(root, {
        width,
        height: Math.min(280, Math.max(200, Math.round(width * 0.55))),
        xLabel: curves.x_label,
        makeX: (range) => epochAxis([1, Math.max(epochs, 2)], range, Math.max(3, Math.round(width / 90))),
        makeY: (range) => log ? logAxis(extent(shown), range, 5) : linearAxis(extent(shown), range, 5),
      });
      const path = (values: Values) => pathOf(values.flatMap((value, index): [number, number][] =>
        isNumber(value) ? [[frame.x(index + 1), frame.y(value)]] : []));
      names.forEach((name, index) => {
        const dash = DASHES[index % DASHES.length];
        if (runs.length > 1) {
          runs.forEach((run) => frame.plot.append(
            svg("path", { class: `${seriesClass(index)} thin`, d: path(valuesOf(run, panel, name)) })));
        }
        const values = meanCurve(runs.map((run) => valuesOf(run, panel, name)));
        frame.plot.append(svg("path", { class: seriesClass(index), d: path(values), "stroke-dasharray": dash }));
      });
      if (runs.length === 1 && isNumber(runs[0].best) && runs[0].best >= 1) {
        const at = frame.x(runs[0].best);
        frame.plot.append(
          svg("line", { class: "best", x1: at, x2: at, y1: 14, y2: frame.height - 40 }),
          svg("text", { class: "best-label", x: Math.min(at, width - 32), y: 10, "text-anchor": "middle" },
              `best: ${runs[0].best}`));
      }
      return frame;
    },
    show: (place, frame, layer) => {
      const { runs } = view();
      const epoch = place + 1;
      const at = frame.x(epoch);
      layer.append(svg("line", { class: "rule", x1: at, x2: at, y1: 14, y2: frame.height - 40 }));
      readout.replaceChildren(
        html("div", { class: "readout-head" }, html("dt", {}, curves.x_label), html("dd", {}, String(epoch))),
        ...names.map((name, index) => {
          const value = meanCurve(runs.map((run) => valuesOf(run, panel, name)))[place];
          if (isNumber(value) && (!log || value > 0)) {
            layer.append(svg("circle", { class: seriesClass(index), cx: at, cy: frame.y(value), r: 3.5 }));
          }
          return html("div", {}, html("dt", {}, swatch(index), html("span", {}, rich(name))),
                      html("dd", {}, isNumber(value) ? formatValue(value) : MISSING));
        }));
    },
  });
  const logBox = html("input", { type: "checkbox", onchange: () => {
    log = logBox.checked;
    chart.redraw();
  } });
  const element = html(
    "figure", { class: "chart-figure" },
    html("figcaption", {}, html("h3", {}, rich(panel)),
         offersLog ? html("label", { class: "check" }, logBox, "logarithmic") : null),
    chart.element, readout);
  return { element, redraw: chart.redraw };
}

export function curvesSection(curves: Curves): HTMLElement {
  const panels = [...new Set(curves.runs.flatMap((run) => run.series.map((series) => series.panel)))];
  let chosen = -1;
  const view = (): View => ({ runs: chosen < 0 ? curves.runs : [curves.runs[chosen]], log: false });
  const charts = panels.map((panel) => panelChart(curves, panel, view));
  let choice: HTMLElement | null = null;
  if (curves.runs.length > 1) {
    const select = html("select", { onchange: () => {
      chosen = Number(select.value);
      charts.forEach((chart) => chart.redraw());
    } }, html("option", { value: -1 }, `all ${curves.runs.length} runs and their mean`),
    curves.runs.map((run, index) => html("option", { value: index }, run.label)));
    choice = html("label", { class: "choice" }, html("span", {}, "Run"), select);
  }
  return section(curves, "curves", html("div", { class: "chart-grid" }, charts.map((chart) => chart.element)), choice);
}
