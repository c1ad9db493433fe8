// Layout, threshold and search, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Sample } from "../../src/data";
import { layoutGraph, randomSource, seedOf } from "../../src/factor_graphs/layout";
import { distanceToSegment, placesIn } from "../../src/factor_graphs/panel";
import { fold, ordered, SampleIndex } from "../../src/factor_graphs/search";
import {
  coefficientsOf, differingEntries, edgesAbove, histogram, matchOfFactor, overlap, strongestShare, touchedNodes,
} from "../../src/factor_graphs/threshold";
import { describeTarget } from "../../src/factor_graphs/tooltip";
import { examplePage } from "../example";

const part = examplePage(60).factor_graphs[0];

test("the layout depends on the graph and the seed alone", () => {
  const { nodes, edges, id } = part.samples[3];
  const first = layoutGraph(nodes, edges, seedOf(id));
  assert.deepEqual(layoutGraph(nodes, edges, seedOf(id)), first);
  assert.notDeepEqual(layoutGraph(nodes, edges, seedOf(id) + 1).x, first.x);
});

test("the layout fills the unit square and keeps nodes apart", () => {
  for (const sample of part.samples.slice(0, 12)) {
    const { x, y, isolated } = layoutGraph(sample.nodes, sample.edges, seedOf(sample.id));
    const shown = [...x.keys()].filter((node) => !isolated[node]);
    const ends = (values: Float64Array) => shown.map((node) => values[node]);
    const [width, height] = [Math.max(...ends(x)) - Math.min(...ends(x)), Math.max(...ends(y)) - Math.min(...ends(y))];
    assert.ok(Math.abs(Math.max(width, height) - 1) < 1e-9, `${width} ${height}`);
    assert.ok(Math.min(...ends(x)) > -1e-9 && Math.max(...ends(y)) < 1 + 1e-9);
    for (const a of shown) {
      for (const b of shown) {
        assert.ok(a === b || Math.hypot(x[a] - x[b], y[a] - y[b]) > 0.05, `nodes ${a} and ${b} of ${sample.id}`);
      }
    }
    assert.deepEqual(isolated.flatMap((alone, node) => alone ? [node] : []),
                     [...Array(sample.nodes).keys()].filter((node) => !sample.edges.includes(node)));
    const lowest = Math.max(...ends(y));
    isolated.forEach((alone, node) => assert.ok(!alone || y[node] > lowest));
  }
});

test("graphs without edges or nodes have a layout", () => {
  assert.equal(layoutGraph(0, [], 1).x.length, 0);
  const lonely = layoutGraph(3, [], 1);
  assert.ok([...lonely.x, ...lonely.y].every(Number.isFinite));
  const places = placesIn(layoutGraph(2, [0, 1], 5), 160, false);
  assert.ok([...places.x, ...places.y].every((value) => value >= 0 && value <= 200));
});

test("hidden isolated nodes do not take room", () => {
  const layout = layoutGraph(6, [0, 1, 1, 2], 9);
  const spread = (values: Float64Array) =>
    Math.max(...[0, 1, 2].map((n) => values[n])) - Math.min(...[0, 1, 2].map((n) => values[n]));
  const without = placesIn(layout, 160, false);
  const withAll = placesIn(layout, 160, true);
  assert.ok(spread(without.x) >= spread(withAll.x));
  assert.ok(Math.max(...withAll.y) <= 160 - 14.9);
});

test("random numbers are spread over 0 .. 1", () => {
  const random = randomSource(3);
  const values = Array.from({ length: 2000 }, random);
  assert.ok(values.every((value) => value >= 0 && value < 1));
  assert.ok(Math.abs(values.reduce((sum, value) => sum + value, 0) / 2000 - 0.5) < 0.03);
});

test("a threshold keeps the edges at or above it", () => {
  assert.deepEqual(edgesAbove([0.2, 0.5, 0.49999, 1], 0.5), [1, 3]);
  assert.deepEqual(edgesAbove([0.2, 0], 0), [0, 1]);
  assert.deepEqual(edgesAbove([0.99], 1), []);
  const sample = part.samples[0];
  const values = coefficientsOf(sample, part.factors, 2);
  assert.equal(values.length, sample.edges.length / 2);
  assert.equal(values[1], sample.coefficients[part.factors + 2]);
});

test("a share keeps the strongest edges, ties by position", () => {
  assert.deepEqual(strongestShare([0.9, 0.1, 0.9, 0.5], 0.5), [0, 2]);
  assert.deepEqual(strongestShare([0.9, 0.9, 0.9], 1 / 3), [0]);
  assert.deepEqual(strongestShare([0.1, 0.2, 0.3], 0.34), [1, 2]);
  assert.deepEqual(strongestShare([0.1, 0.2], 0), []);
  assert.deepEqual(strongestShare([0.1, 0.2], 1), [0, 1]);
});

test("overlap and differing entries", () => {
  assert.deepEqual(overlap([1, 2, 5], [2, 3]), { hits: [2], extra: [1, 5], missing: [3] });
  assert.equal(differingEntries([1, 2, 5], [2, 3]), 6);
  assert.equal(differingEntries([2, 3], [2, 3]), 0);
  assert.equal(differingEntries([2, 3], [2, 3], 1), 2);
});

test("what a factor keeps differs from the truth in as many entries as its GED_E says", () => {
  for (const sample of part.samples) {
    for (const match of sample.matches) {
      assert.equal(differingEntries(match.kept, sample.truth[match.truth].edges), match.ged);
      assert.equal(matchOfFactor(sample, match.factor), match);
    }
  }
});

test("touched nodes and histogram", () => {
  const sample = { edges: [0, 1, 1, 4, 2, 3] } as Sample;
  assert.deepEqual([...touchedNodes(sample, [0, 1])].sort(), [0, 1, 4]);
  assert.deepEqual(histogram([0, 0.05, 0.1, 0.999, 1], 10), [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
});

test("distance to a segment", () => {
  assert.equal(distanceToSegment(5, 3, 0, 0, 10, 0), 3);
  assert.equal(distanceToSegment(13, 4, 0, 0, 10, 0), 5);
  assert.equal(distanceToSegment(3, 4, 0, 0, 0, 0), 5);
});

test("samples are found by id first, then by words of id and label", () => {
  const samples = [["16", "house"], ["160", "grid"], ["216", "Turán + house"], ["7", "sixteen 16"]]
    .map(([id, label]) => ({ id, label }) as Sample);
  const index = new SampleIndex(samples);
  assert.deepEqual(index.find("16", 10), [0, 1, 2, 3]);
  assert.deepEqual(index.find("turan", 10), [2]);
  assert.deepEqual(index.find("HOUSE  216", 10), [2]);
  assert.deepEqual(index.find("nothing", 10), []);
  assert.deepEqual(index.find("", 2), [0, 1]);
  assert.deepEqual(index.find("16", 1), [0]);
  assert.equal(fold("  Turán (5,2) "), "turan (5,2)");
});

test("orders put the best or the worst first and samples without a score last", () => {
  const samples = [{ ged: 4 }, { ged: null }, { ged: 1 }, { ged: 4 }, {}] as Sample[];
  assert.deepEqual(ordered(samples, "data"), [0, 1, 2, 3, 4]);
  assert.deepEqual(ordered(samples, "best"), [2, 0, 3, 1, 4]);
  assert.deepEqual(ordered(samples, "worst"), [0, 3, 2, 1, 4]);
});

test("an edge in words", () => {
  const sample = part.samples[0];
  const text = describeTarget(part, sample, { edge: sample.truth[0].edges[0] });
  assert.match(text, /^edge \d+ to \d+: factor 1 [01]\.\d{3}, factor 2 .*; in /);
  assert.ok(text.includes(part.types[sample.truth[0].type]));
  assert.match(describeTarget(part, sample, { node: sample.edges[0] }),
               /^node \d+, [1-9]\d* edges in the input graph$/);
});
