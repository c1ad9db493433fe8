// Finding a sample by its id or label and a node by its name, and the orders in which samples can be walked. Nothing
// here draws.
//
// The index is one list of folded texts: a query is a scan, some milliseconds for thousands of samples.
import type { Sample } from "../data";
import { isNumber } from "../numbers";

export type Order = "data" | "best" | "worst";

/** Lower case, without accents, one space between words. */
export function fold(text: string): string {
  if (/^[a-z0-9_.-]*$/.test(text)) {
    return text;
  }
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

/** Positions of all samples in an order; samples without a score come last. */
export function ordered(samples: readonly Sample[], order: Order,
                        score: (sample: Sample) => number | null | undefined): number[] {
  const positions = samples.map((_, index) => index);
  if (order === "data") {
    return positions;
  }
  const sign = order === "best" ? 1 : -1;
  const key = (index: number) => {
    const value = score(samples[index]);
    return isNumber(value) ? sign * value : Infinity;
  };
  return positions.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return left === right ? a - b : left - right;
  });
}

/** Nodes by name, or by number where they have none. Folded once, when first asked; a query is a scan. */
export class NodeIndex {
  private folded: string[] | null = null;

  constructor(private readonly names: readonly string[] | undefined, private readonly nodes: number) {}

  /** At most `limit`: the same name, names that start with the query, names that hold it. */
  find(query: string, limit: number): number[] {
    const wanted = fold(query);
    if (this.names === undefined) {
      const number = Number(wanted);
      if (wanted === "" || !Number.isInteger(number)) {
        return Array.from({ length: wanted === "" ? Math.min(limit, this.nodes) : 0 }, (_, node) => node);
      }
      // Numbers that start with these digits: 12, 120 to 129, 1200 to 1299, ...
      const found: number[] = [];
      for (let scale = 1; number * scale < this.nodes && found.length < limit; scale *= 10) {
        for (let rest = 0; rest < scale && number * scale + rest < this.nodes && found.length < limit; ++rest) {
          found.push(number * scale + rest);
        }
        if (number === 0) {
          break;
        }
      }
      return found;
    }
    const names = this.folded ??= this.names.map(fold);
    const ranks: number[][] = [[], [], []];
    for (let node = 0; node < names.length && ranks[0].length < limit; ++node) {
      const at = names[node].indexOf(wanted);
      if (at >= 0) {
        const rank = names[node].length === wanted.length ? ranks[0] : at === 0 ? ranks[1] : ranks[2];
        if (rank.length < limit) {
          rank.push(node);
        }
      }
    }
    return ranks.flat().slice(0, limit);
  }
}
