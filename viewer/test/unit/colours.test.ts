// Contrast of the colours in style/base.css, in both themes: 4.5 for text, 3 for lines and marks (WCAG 2.1, AA).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const css = readFileSync(join(process.env.FACTORGCN_VIEWER ?? ".", "style/base.css"), "utf8");

function variables(block: string): Map<string, string> {
  return new Map([...block.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
}

function luminance(hex: string): number {
  const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const blocks = [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map(([, body]) => variables(body)).filter((found) => found.size > 5);

test("light, dark by the system and dark by choice are there, and the two dark ones agree", () => {
  assert.equal(blocks.length, 3);
  assert.deepEqual([...blocks[1]], [...blocks[2]]);
  assert.deepEqual([...blocks[0].keys()], [...blocks[1].keys()]);
});

test("contrast", () => {
  for (const theme of blocks.slice(0, 2)) {
    const get = (name: string) => theme.get(name) as string;
    for (const ground of ["ground", "raised"]) {
      for (const text of ["ink", "soft", "good", "bad", "focus"]) {
        assert.ok(contrast(get(text), get(ground)) >= 4.5, `${text} on ${ground}: ${contrast(get(text), get(ground))}`);
      }
      for (const mark of ["control", "series-1", "series-2", "series-3", "series-4", "series-5", "series-6"]) {
        assert.ok(contrast(get(mark), get(ground)) >= 3, `${mark} on ${ground}: ${contrast(get(mark), get(ground))}`);
      }
    }
    const heat = ["heat-0", "heat-1", "heat-2", "heat-3"].map((name) => luminance(get(name)));
    const falling = heat[0] > heat[1];
    heat.slice(1).forEach((value, index) => assert.equal(heat[index] > value, falling, "the heat scale must not turn back"));
  }
});
