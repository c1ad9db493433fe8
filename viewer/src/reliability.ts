// Whether probabilities mean what they say: what came true over what was said, with intervals and counts.
import { cursorChart, drawFrame, linearAxis } from "./chart";
import type { Reliability } from "./data";
import { html, svg } from "./dom";
import { formatCount, formatFixed, isNumber } from "./numbers";
import { section } from "./section";

const percent = (share: number) => formatFixed(100 * share, 0);

export function reliabilitySection(part: Reliability): HTMLElement {
  if (part.bins.length === 0) {
    return section(part, "reliability", html("p", { class: "hint" }, "There are no predictions to judge."));
  }
  const readout = html("p", { class: "readout", "aria-live": "polite" });
  const most = Math.max(...part.bins.map((bin) => bin.count));
  const chart = cursorChart({
    title: "Share that came true over the probability said",
    places: part.bins.map((_, index) => index),
    start: part.bins.length - 1,
    draw: (root, width) => {
      const frame = drawFrame(root, {
        width, height: Math.min(380, Math.max(240, Math.round(0.7 * width))), xLabel: "probability said, in %",
        makeX: (range) => linearAxis([0, 100], range, 5), makeY: (range) => linearAxis([0, 100], range, 5),
      });
      const base = frame.y(0);
      const shades = part.bins.map((bin) => {
        const height = Math.max(1, (base - frame.y(22)) * bin.count / most);
        return svg("rect", { class: "count-bar", x: frame.x(100 * bin.from) + 1, y: base - height, height,
                             width: Math.max(1, frame.x(100 * bin.to) - frame.x(100 * bin.from) - 2) });
      });
      frame.plot.append(
        ...shades,
        svg("line", { class: "diagonal", x1: frame.x(0), y1: frame.y(0), x2: frame.x(100), y2: frame.y(100) }),
        ...part.bins.flatMap((bin) => {
          const x = frame.x(100 * bin.said);
          return [
            svg("line", { class: "series s1 spread", x1: x, x2: x, y1: frame.y(100 * bin.low),
                          y2: frame.y(100 * bin.high) }),
            svg("circle", { class: "series s1", cx: x, cy: frame.y(100 * bin.came), r: 4.5 }),
          ];
        }));
      // Places are bins: the axis of the cursor is theirs.
      return { ...frame, x: (place) => frame.x(100 * (part.bins[place]?.said ?? 0)) };
    },
    show: (place, frame, layer) => {
      const bin = part.bins[place];
      const x = frame.x(place);
      layer.append(svg("line", { class: "rule", x1: x, x2: x, y1: frame.y(0), y2: frame.y(100) }));
      readout.textContent = `said ${percent(bin.from)} to ${percent(bin.to)} %, ${percent(bin.said)} % on average: ` +
        `${percent(bin.came)} % came true (95 % interval ${percent(bin.low)} to ${percent(bin.high)}), ` +
        `${formatCount(bin.count)} predictions`;
    },
  });
  const points = (share: number | undefined) => isNumber(share) ? formatFixed(100 * share, 1) : "not known";
  return section(part, "reliability", [
    html("figure", { class: "chart-figure" }, chart.element, readout),
    html("p", { class: "hint" }, `On average, what is said is off by ${points(part.error)} percentage points; ` +
      `perfect probabilities would be off by about ${points(part.chance)} with counts like these. Bars: how many ` +
      "predictions."),
  ]);
}
