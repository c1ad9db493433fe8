// Numbers as they are set on the page: a true minus sign, fixed decimals, a dash for what is missing.

export const MISSING = "\u2013";

export function isNumber(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

export function formatFixed(value: number | null | undefined, digits: number): string {
  if (!isNumber(value)) {
    return MISSING;
  }
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `\u2212${text}` : text;
}

/** "+0.002", "−1.35", "0.000". */
export function formatSigned(value: number, digits: number): string {
  const text = formatFixed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** "0.995 ± 0.004" or "0.995". */
export function formatSpread(value: number | null | undefined, deviation: number | null | undefined,
                             digits: number): string {
  const text = formatFixed(value, digits);
  return isNumber(value) && isNumber(deviation) ? `${text}\u2009\u00b1\u2009${formatFixed(deviation, digits)}` : text;
}

/** Some four significant digits, for values whose size is not known beforehand. */
export function formatValue(value: number | null | undefined): string {
  if (!isNumber(value)) {
    return MISSING;
  }
  if (value === 0) {
    return "0";
  }
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(2).split("e");
    return `${mantissa.replace("-", "\u2212")}e${exponent.replace("+", "").replace("-", "\u2212")}`;
  }
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return formatFixed(value, Math.min(digits, 6));
}

/**
 * A value in 0 .. 1 with three decimals; more where it would look like 0 or 1 and is not. Trained gates crowd there,
 * and their order still decides which edges a factor keeps.
 */
export function formatShare(value: number): string {
  const text = value.toFixed(3);
  if (text === "0.000" && value > 0) {
    return value.toExponential(1).replace("e-", "e\u2212");
  }
  return text === "1.000" && value < 1 ? value.toFixed(7) : text;
}

/** "2,000". */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}
