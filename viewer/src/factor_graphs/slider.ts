// The slider on the coefficient threshold, with the sample's coefficients as a small histogram above it.
import { html, svg } from "../dom";
import { formatFixed } from "../numbers";
import { histogram } from "./threshold";

const BINS = 50;

export interface Slider {
  element: HTMLElement;
  setValues: (coefficients: readonly number[]) => void;
  /** What a screen reader says for the value. */
  setText: (text: string) => void;
}

export function makeSlider(id: string, onChange: (threshold: number) => void): Slider {
  const bars = svg("svg", { class: "histogram", viewBox: `0 0 ${BINS} 20`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const output = html("output", { for: `${id}-threshold` }, "0.50");
  const input = html("input", { type: "range", id: `${id}-threshold`, class: "threshold", min: 0, max: 1, step: 0.01, value: 0.5 });
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
      return [svg("rect", { class: (bin + 1) / BINS > threshold + 1e-9 ? "above" : "below", x: bin + 0.1, width: 0.8,
                            y: 20 - height, height })];
    }));
  };
  input.addEventListener("input", () => {
    output.textContent = formatFixed(Number(input.value), 2);
    draw();
    onChange(Number(input.value));
  });
  return {
    element: html("div", { class: "slider" },
                  html("label", { for: `${id}-threshold` }, "Coefficient threshold"), output,
                  html("div", { class: "slider-track" }, bars, input)),
    setValues: (coefficients) => {
      counts = histogram(coefficients, BINS);
      draw();
    },
    setText: (text) => input.setAttribute("aria-valuetext", text),
  };
}
