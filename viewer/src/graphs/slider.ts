// The slider: a threshold on the coefficients, with those of the sample as a small histogram above it, or the share of
// a factor's edges that is kept. Trained coefficients crowd at 0 and 1; the share tells edges apart where a threshold
// cannot.
import { html, svg } from "../dom";
import { formatFixed } from "../numbers";
import { histogram } from "./threshold";

const BINS = 50;

export type Scale = "coefficient" | "share";

export interface Slider {
  element: HTMLElement;
  setScale: (scale: Scale) => void;
  /** Dimmed while something else decides which edges are drawn. */
  setIdle: (idle: boolean) => void;
  setValues: (coefficients: readonly number[]) => void;
  /** What a screen reader says for the value. */
  setText: (text: string) => void;
}

export function makeSlider(id: string, word: string, onChange: (value: number) => void): Slider {
  const bars = svg("svg", { class: "histogram", viewBox: `0 0 ${BINS} 20`, preserveAspectRatio: "none",
                            "aria-hidden": "true" });
  const output = html("output", { for: `${id}-threshold` });
  const label = html("label", { for: `${id}-threshold` });
  let scale: Scale = "coefficient";
  const input = html("input", { type: "range", id: `${id}-threshold`, class: "threshold", min: 0, max: 1, step: 0.01,
                                value: 0.5 });
  let counts: number[] = [];
  const draw = () => {
    const threshold = Number(input.value);
    const most = Math.max(1, ...counts);
    bars.replaceChildren(...counts.flatMap((count, bin) => {
      if (count === 0) {
        return [];
      }
      // The square root keeps single edges visible beside a crowd at 0 or 1.
      const height = Math.max(1.2, 20 * Math.sqrt(count / most));
      const above = scale === "coefficient" && (bin + 1) / BINS > threshold + 1e-9;
      return [svg("rect", { class: above ? "above" : "below", x: bin + 0.1, width: 0.8,
                            y: 20 - height, height })];
    }));
    const name = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
    label.textContent = scale === "coefficient" ? `${name} threshold` : "Strongest share of the edges";
    output.textContent = scale === "coefficient" ? formatFixed(threshold, 2) : `${Math.round(100 * threshold)} %`;
  };
  input.addEventListener("input", () => {
    draw();
    onChange(Number(input.value));
  });
  const element = html("div", { class: "slider" }, label, output, html("div", { class: "slider-track" }, bars, input));
  draw();
  return {
    element,
    setScale: (to) => {
      scale = to;
      draw();
    },
    setIdle: (idle) => element.classList.toggle("idle", idle),
    setValues: (coefficients) => {
      counts = histogram(coefficients, BINS);
      draw();
    },
    setText: (text) => input.setAttribute("aria-valuetext", text),
  };
}
