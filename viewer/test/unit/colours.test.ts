// The colours in style/base.css, in both themes: contrast (4.5 for text, 3 for lines and marks: WCAG 2.1, AA), and the
// six series told apart by normal and by colour-blind eyes.
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

const blocks = [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map(([, body]) => variables(body))
  .filter((found) => found.size > 5);

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
    heat.slice(1).forEach((value, index) => assert.equal(heat[index] > value, falling,
                                                         "the heat scale must not turn back"));
  }
});

type Vector = number[];

/** Linear light as seen without one kind of cone (Machado, Oliveira, Fernandes 2009, severity 1). */
const EYES: Record<string, Vector[]> = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const times = (matrix: Vector[], vector: Vector) =>
  matrix.map((row) => row.reduce((sum, value, at) => sum + value * vector[at], 0));

/** OKLab: equal distances look equally different. */
function lab(linear: Vector): Vector {
  const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                       [0.0883024619, 0.2817188376, 0.6299787005]],
                       linear.map((part) => Math.min(1, Math.max(0, part))));
  return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.808675766]], cones.map(Math.cbrt));
}

test("the six series look different to everyone", () => {
  for (const theme of blocks.slice(0, 2)) {
    const series = [1, 2, 3, 4, 5, 6].map((number) => [1, 3, 5].map((at) => {
      const part = parseInt((theme.get(`series-${number}`) as string).slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }));
    for (const [eye, matrix] of Object.entries(EYES)) {
      const seen = series.map((colour) => lab(times(matrix, colour)));
      seen.forEach((one, a) => seen.slice(0, a).forEach((other, b) => {
        const distance = Math.hypot(...one.map((value, at) => value - other[at]));
        assert.ok(distance > 0.09, `series ${a + 1} and ${b + 1}, ${eye}: ${distance.toFixed(3)}`);
      }));
    }
  }
});
