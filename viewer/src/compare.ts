// How a value of ours stands beside the paper's: one rule for the whole page.
//
// same     equal at the decimals shown
// within   no further from the paper's value than the paper's own spread
// better, worse   further away; which of the two follows from the column
// differs  further away, where neither direction is better
import type { Better, Cell } from "./data";
import { isNumber } from "./numbers";

export type Verdict = "same" | "within" | "better" | "worse" | "differs";

export interface Comparison {
  difference: number;
  verdict: Verdict;
}

/** Nothing where one of the two is missing. */
export function compare(cell: Cell, better: Better, digits: number): Comparison | null {
  if (!isNumber(cell.value) || !isNumber(cell.paper)) {
    return null;
  }
  const difference = cell.value - cell.paper;
  if (Number(Math.abs(difference).toFixed(digits)) === 0) {
    return { difference, verdict: "same" };
  }
  // A hair's tolerance, so that 0.995 - 0.991 counts as within 0.004.
  if (isNumber(cell.paper_deviation) && Math.abs(difference) <= cell.paper_deviation * (1 + 1e-9)) {
    return { difference, verdict: "within" };
  }
  if (better === "none") {
    return { difference, verdict: "differs" };
  }
  return { difference, verdict: difference > 0 === (better === "higher") ? "better" : "worse" };
}

/** Shape and words, so that colour is never the only sign. */
export const VERDICTS: Record<Verdict, { mark: string; words: string }> = {
  same: { mark: "=", words: "as in the paper" },
  within: { mark: "\u25cb", words: "within the paper\u2019s spread" },
  better: { mark: "\u25b2", words: "better than the paper" },
  worse: { mark: "\u25bc", words: "worse than the paper" },
  differs: { mark: "\u25c6", words: "differs from the paper" },
};
