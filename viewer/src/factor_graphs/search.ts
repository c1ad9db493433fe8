// Finding a sample by its id or label, and the orders in which samples can be walked. Nothing here draws.
//
// The index is one list of folded texts: a query is a scan, some milliseconds for thousands of samples.
import type { Sample } from "../data";
import { isNumber } from "../numbers";

export type Order = "data" | "best" | "worst";

/** Lower case, without accents, one space between words. */
export function fold(text: string): string {
  return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/\s+/g, " ").trim();
}

export class SampleIndex {
  private readonly ids: string[];
  private readonly labels: string[];

  constructor(samples: readonly Sample[]) {
    this.ids = samples.map((sample) => fold(sample.id));
    this.labels = samples.map((sample) => fold(sample.label));
  }

  /**
   * Positions of the samples that match, the likeliest first: same id, id that starts with the query, then samples that
   * hold every word of it in id or label. At most `limit`.
   */
  find(query: string, limit: number): number[] {
    const wanted = fold(query);
    if (wanted === "") {
      return this.ids.slice(0, limit).map((_, index) => index);
    }
    const words = wanted.split(" ");
    const ranked: [number, number][] = [];
    this.ids.forEach((id, index) => {
      const label = this.labels[index];
      const rank = id === wanted ? 0 : id.startsWith(wanted) ? 1
        : words.every((word) => id.includes(word) || label.includes(word)) ? 2 : -1;
      if (rank >= 0) {
        ranked.push([rank, index]);
      }
    });
    ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return ranked.slice(0, limit).map(([, index]) => index);
  }
}

/** Positions of all samples in an order; samples without a GED_E come last. */
export function ordered(samples: readonly Sample[], order: Order): number[] {
  const positions = samples.map((_, index) => index);
  if (order === "data") {
    return positions;
  }
  const sign = order === "best" ? 1 : -1;
  const key = (index: number) => {
    const value = samples[index].ged;
    return isNumber(value) ? sign * value : Infinity;
  };
  return positions.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return left === right ? a - b : left - right;
  });
}
