// The rule that marks a difference from the paper, and numbers as they are set.
import assert from "node:assert/strict";
import { test } from "node:test";

import { compare } from "../../src/compare";
import { formatCount, formatFixed, formatShare, formatSigned, formatSpread, formatValue } from "../../src/numbers";

const verdict = (value: number | null, paper: number | null, deviation: number | null,
                 better: "higher" | "lower" | "none" = "higher", digits = 3) =>
  compare({ value, paper, paper_deviation: deviation }, better, digits)?.verdict ?? null;

test("verdicts", () => {
  assert.equal(verdict(0.9951, 0.995, 0.004), "same");       // equal as shown
  assert.equal(verdict(0.991, 0.995, 0.004), "within");      // exactly at the edge of the spread
  assert.equal(verdict(0.9904, 0.995, 0.004), "worse");
  assert.equal(verdict(0.9996, 0.995, 0.004), "better");
  assert.equal(verdict(10, 12, 1, "lower", 2), "better");
  assert.equal(verdict(14, 12, 1, "lower", 2), "worse");
  assert.equal(verdict(14, 12, 1, "none", 2), "differs");
  assert.equal(verdict(0.9, 1, 0), "worse");                 // the paper has no spread
  assert.equal(verdict(0.9, 1, null), "worse");
  assert.equal(verdict(1, null, 0.1), null);
  assert.equal(verdict(null, 1, 0.1), null);
});

test("numbers", () => {
  assert.equal(formatFixed(0.12345, 3), "0.123");
  assert.equal(formatFixed(-1.5, 1), "\u22121.5");
  assert.equal(formatFixed(-0.0001, 2), "0.00");  // no minus before nothing
  assert.equal(formatFixed(null, 2), "\u2013");
  assert.equal(formatFixed(Infinity, 2), "\u2013");
  assert.equal(formatSigned(0.002, 3), "+0.002");
  assert.equal(formatSigned(-0.19, 2), "\u22120.19");
  assert.equal(formatSigned(0.0001, 2), "0.00");
  assert.equal(formatSpread(0.995, 0.004, 3), "0.995\u2009\u00b1\u20090.004");
  assert.equal(formatSpread(0.995, null, 3), "0.995");
  assert.equal(formatValue(0.024286), "0.02429");
  assert.equal(formatValue(123.456), "123.5");
  assert.equal(formatValue(12345.6), "12346");
  assert.equal(formatValue(2.5e-7), "2.50e\u22127");
  assert.equal(formatValue(0), "0");
  assert.equal(formatShare(0.12345), "0.123");
  assert.equal(formatShare(1), "1.000");
  assert.equal(formatShare(0), "0.000");
  assert.equal(formatShare(0.99999), "0.9999900");
  assert.equal(formatShare(2.1e-6), "2.1e\u22126");
  assert.equal(formatCount(2000), "2,000");
  assert.equal(formatCount(1234567), "1,234,567");
  assert.equal(formatCount(999), "999");
});
