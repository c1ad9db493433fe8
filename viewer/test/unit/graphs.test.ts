// The graph section without a browser: unpacking, layout, neighbourhoods, what is drawn, search, files.
import assert from "node:assert/strict";
import { test } from "node:test";

import { PageDataError, type Sample } from "../../src/data";
import { distanceToSegment } from "../../src/graphs/board";
import { asCsv, fileName } from "../../src/graphs/downloads";
import { Graph, holds } from "../../src/graphs/graph";
import { layoutGraph, randomSource, seedOf } from "../../src/graphs/layout";
import { expanded, grown, strengthIn, typicalNode } from "../../src/graphs/neighbourhood";
import { Picture } from "../../src/graphs/picture";
import { SvgPen } from "../../src/graphs/pens";
import { fold, NodeIndex, ordered, SampleIndex } from "../../src/graphs/search";
import { grouped } from "../../src/graphs/section";
import { State } from "../../src/graphs/state";
import { allStrokes, factorStrokes, touched, truthStrokes } from "../../src/graphs/strokes";
import { edgesAbove, histogram, overlap, strongestShare } from "../../src/graphs/threshold";
import { describeTarget } from "../../src/graphs/tooltip";
import { unpackEdges, unpackIndices, unpackRaw, unpackShares, unpackWords } from "../../src/graphs/unpack";
import { boxOf, lookAt, Transform } from "../../src/graphs/viewport";
import { examplePage, networkPage, packBytes, packEdges } from "../example";

const part = examplePage(60).factor_graphs[0];
const graphOf = (index: number) => new Graph(part.samples[index], part);
const network = (nodes: number, packed = false) => {
  const [only] = networkPage(nodes, { packed }).factor_graphs;
  return new Graph(only.samples[0], only);
};

test("packed numbers come back as they were", () => {
  const edges = [0, 1, 0, 400, 2, 3, 2, 300000];
  const [sources, targets] = unpackEdges(packEdges(edges, 300001), 300001, 4, "x");
  assert.deepEqual([...sources], [0, 0, 2, 2]);
  assert.deepEqual([...targets], [1, 400, 3, 300000]);
  assert.deepEqual(unpackIndices({ deltas: Buffer.from([5, 0x81, 1, 1]).toString("base64") }, 200, "x"), [5, 134, 135]);
  assert.deepEqual([...unpackWords({ words: Buffer.from([1, 0, 255, 255]).toString("base64") }, 2, 2, "x")], [1, -1]);
  assert.deepEqual([...unpackRaw({ raw: Buffer.from([2, 0, 1]).toString("base64") }, 3, "x")], [2, 0, 1]);
  const bytes = unpackShares(packBytes([0, 1, 0.5]), 3, "x");
  assert.deepEqual(Array.from(bytes.values, (value) => value / bytes.unit), [0, 1, 128 / 255]);
  const nibbles = unpackShares({ nibbles: Buffer.from([0x3f, 0x01]).toString("base64") }, 3, "x");
  assert.deepEqual(Array.from(nibbles.values), [15, 3, 1]);
  assert.equal(nibbles.unit, 15);
});

test("packed numbers that are damaged end in a sentence", () => {
  const cases: [() => unknown, RegExp][] = [
    [() => unpackEdges({ edges: "AQ==" }, 2, 1, "graph 7"), /graph 7 ends too soon/],
    [() => unpackEdges({ edges: "AQUA" }, 2, 1, "g"), /more edges or nodes than there are/],
    [() => unpackEdges({ edges: "AAA=" }, 2, 1, "g"), /has 0 values; 1 were expected/],
    [() => unpackEdges({ edges: "*" }, 2, 1, "g"), /is no base64/],
    [() => unpackEdges({ bytes: "AA==" }, 2, 1, "g"), /packed in an unknown way/],
    [() => unpackIndices({ deltas: "/////////w==" }, 5, "g"), /too large|there are 5/],
    [() => unpackShares({ bytes: "AA==" }, 2, "g"), /has 1 values; 2 were expected/],
    [() => unpackWords({ words: "BQA=" }, 1, 3, "g"), /holds 5; there are 3 labels/],
  ];
  for (const [act, expected] of cases) {
    assert.throws(act, (error: Error) => error instanceof PageDataError && expected.test(error.message));
  }
});

test("a packed graph is the graph", () => {
  const [plain, packed] = [network(50), network(50, true)];
  assert.deepEqual([...packed.sources], [...plain.sources]);
  assert.deepEqual([...packed.targets], [...plain.targets]);
  for (let edge = 0; edge < plain.edges; ++edge) {
    assert.equal(packed.strongest(0, edge), plain.strongest(0, edge));
    assert.ok(Math.abs(packed.coefficient(0, edge, 1) - plain.coefficient(0, edge, 1)) < 0.5 / 255 + 1e-9);
  }
  for (let node = 0; node < plain.nodes; ++node) {
    const own = [...plain.sources.keys()].filter(
      (edge) => plain.sources[edge] === node || plain.targets[edge] === node);
    assert.deepEqual([...plain.edgesAt(node)].sort((a, b) => a - b), own);
    assert.equal(plain.degree(node), own.length);
  }
});

test("ascending lists are searched", () => {
  assert.ok([2, 5, 9].every((number) => holds([2, 5, 9], number)));
  assert.ok([0, 3, 10].every((number) => !holds([2, 5, 9], number)) && !holds([], 1));
});

test("the layout depends on the graph and the seed alone, and keeps nodes apart", () => {
  for (let index = 0; index < 12; ++index) {
    const picture = Picture.whole(graphOf(index));
    const { x, y, isolated } = picture;
    const again = Picture.whole(graphOf(index));
    assert.deepEqual([again.x, again.y], [x, y]);
    const shown = [...x.keys()].filter((node) => !isolated[node]);
    for (const a of shown) {
      for (const b of shown) {
        assert.ok(a === b || Math.hypot(x[a] - x[b], y[a] - y[b]) > 8, `nodes ${a} and ${b}`);
      }
    }
    const lowest = Math.max(...shown.map((node) => y[node]));
    isolated.forEach((alone, node) => assert.ok(!alone || y[node] > lowest));
  }
  const ends = part.samples[3].edges as number[];
  assert.notDeepEqual(layoutGraph(15, ends, 5).x, layoutGraph(15, ends, seedOf("other")).x);
});

test("graphs without edges or nodes have a layout", () => {
  assert.equal(layoutGraph(0, [], 1).x.length, 0);
  const lonely = layoutGraph(3, [], 1);
  assert.ok([...lonely.x, ...lonely.y].every(Number.isFinite));
  assert.equal(new Set([...lonely.x].map((x, node) => `${x} ${lonely.y[node]}`)).size, 3);
});

test("nodes that were there stay near their places when a picture grows", () => {
  const graph = network(4000);
  const first = new Picture(graph, grown(graph, [100], 40, strengthIn(graph, 0, null)));
  const next = new Picture(graph, grown(graph, first.nodes, 20, strengthIn(graph, 0, null)), first);
  const spread = Math.max(...first.x) - Math.min(...first.x);
  const moved = first.nodes.map((node) => Math.hypot(next.x[next.placeOf(node)] - first.x[first.placeOf(node)],
                                                     next.y[next.placeOf(node)] - first.y[first.placeOf(node)]));
  assert.ok(moved.reduce((sum, value) => sum + value, 0) / moved.length < 0.35 * spread);
});

test("random numbers are spread over 0 .. 1", () => {
  const random = randomSource(3);
  const values = Array.from({ length: 2000 }, random);
  assert.ok(values.every((value) => value >= 0 && value < 1));
  assert.ok(Math.abs(values.reduce((sum, value) => sum + value, 0) / 2000 - 0.5) < 0.03);
});

test("a neighbourhood is connected, of the size asked for, and follows one factor where that is asked for", () => {
  const graph = network(5000);
  const nodes = grown(graph, [42], 49, strengthIn(graph, 0, null));
  assert.equal(nodes.length, 50);
  assert.equal(new Set(nodes).size, 50);
  assert.equal(nodes[0], 42);
  nodes.slice(1).forEach((node, at) => {
    const before = new Set(nodes.slice(0, at + 1));
    assert.ok([...graph.edgesAt(node)].some((edge) => before.has(graph.otherEnd(edge, node))));
  });
  const more = expanded(graph, nodes, nodes[49], strengthIn(graph, 0, null));
  const near = [...graph.edgesAt(nodes[49])].map((edge) => graph.otherEnd(edge, nodes[49]));
  assert.ok(near.every((node) => more.includes(node)));
  // Along the ring (factor 0) the first to come are the ring's.
  const ring = grown(graph, [42], 2, strengthIn(graph, 0, 0));
  assert.deepEqual([...ring].sort((a, b) => a - b), [41, 42, 43]);
  assert.equal(grown(network(20), [3], 1000, strengthIn(network(20), 0, null)).length, 20);
  assert.ok(graph.degree(typicalNode(graph)) >= 3);
});

test("a picture of some nodes has the edges among them, and knows what it hides", () => {
  const graph = network(3000);
  const nodes = [10, 11, 12, 73];  // 10 - 73 is a chord
  const picture = new Picture(graph, nodes);
  assert.deepEqual(picture.edges.map((edge) => [graph.sources[edge], graph.targets[edge]]),
                   [[10, 11], [10, 73], [11, 12]]);
  for (const node of nodes) {
    const shown = picture.edges.filter((edge) => graph.sources[edge] === node || graph.targets[edge] === node).length;
    assert.equal(picture.hidden(node), graph.degree(node) - shown);
  }
});

test("a threshold keeps the edges at or above it, a share the strongest, ties by position", () => {
  assert.deepEqual(edgesAbove([4, 5, 6, 7], [0.2, 0.5, 0.49999, 1], 0.5), [5, 7]);
  assert.deepEqual(edgesAbove([0], [0.99], 1), []);
  assert.deepEqual(strongestShare([4, 5, 6, 7], [0.9, 0.1, 0.9, 0.5], 0.5), [4, 6]);
  assert.deepEqual(strongestShare([0, 1, 2], [0.9, 0.9, 0.9], 1 / 3), [0]);
  assert.deepEqual(strongestShare([0, 1], [0.1, 0.2], 0), []);
  assert.deepEqual(overlap([1, 2, 5], [2, 3]), { hits: [2], extra: [1, 5], missing: [3] });
  assert.deepEqual(histogram([0, 0.05, 0.1, 0.999, 1], 10), [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
});

test("what a factor keeps differs from the truth in half as many edges as its GED_E counts entries", () => {
  const state = new State(part);
  assert.equal(state.mode, "scored");
  part.samples.forEach((_, index) => {
    const graph = graphOf(index);
    const picture = Picture.whole(graph);
    for (const match of graph.matches(0)) {
      const found = factorStrokes(picture, state, match.factor);
      assert.equal(2 * (found.differ as number), match.ged);
      assert.deepEqual(found.drawn, match.kept);
      const truth = graph.truth[match.truth];
      assert.deepEqual(found.strokes.filter((stroke) => stroke.role !== "extra").map((stroke) => stroke.edge)
        .sort((a, b) => a - b), truth.edges);
      assert.equal(truthStrokes(picture, truth).length, truth.edges.length);
    }
  });
});

test("in one drawing every edge is there once: strong in its factor's colour, or faint", () => {
  const graph = network(60);
  const picture = Picture.whole(graph);
  const state = new State(graph.part);
  for (const level of [0, 0.7, 1]) {
    state.setLevel(level);
    const strokes = allStrokes(picture, state);
    assert.deepEqual(strokes.map((stroke) => stroke.edge).sort((a, b) => a - b), picture.edges);
    for (const { edge, hue, role } of strokes) {
      const best = graph.strongest(0, edge);
      const strong = graph.coefficient(0, edge, best) >= level;
      assert.equal(role === "faint", !strong);
      assert.equal(hue, strong ? best : -2);
    }
  }
  state.setLevel(0);
  state.toggle(0);
  assert.ok(allStrokes(picture, state).every((stroke) => stroke.role === "faint" || stroke.hue === 1));
  assert.deepEqual([...touched(picture, [{ edge: 0, hue: 0, width: 1 }])].sort(), [...picture.ends(0)].sort());
});

test("nodes take their colours from the colouring chosen, or from each factor's own", () => {
  const state = new State(network(20).part);
  assert.equal(state.nodes, "own");  // where factors have colourings of their own
  state.nodes = 1;
  assert.deepEqual([state.colouringOf(0), state.colouringOf(null)], [1, 1]);
  state.nodes = "own";
  assert.deepEqual([state.colouringOf(0), state.colouringOf(1), state.colouringOf(null)], [0, 1, -1]);
  state.nodes = "none";
  assert.equal(state.colouringOf(1), -1);
});

test("zooming keeps the point under the pointer, moving moves by pixels, a fit shows all", () => {
  const picture = Picture.whole(graphOf(0));
  const box = boxOf(picture, false);
  const to = new Transform(box, lookAt(box), 300, 200);
  picture.isolated.forEach((alone, node) => {
    const [x, y] = [to.x(picture.x[node]), to.y(picture.y[node])];
    assert.ok(alone || (x >= 0 && x <= 300 && y >= 0 && y <= 200));
  });
  const zoomed = new Transform(box, to.zoomed(2, 40, 50), 300, 200);
  assert.ok(Math.abs(zoomed.fromX(40) - to.fromX(40)) < 1e-9 && Math.abs(zoomed.fromY(50) - to.fromY(50)) < 1e-9);
  const moved = new Transform(box, to.moved(30, -20), 300, 200);
  assert.ok(Math.abs(moved.x(0) - to.x(0) - 30) < 1e-9 && Math.abs(moved.y(0) - to.y(0) + 20) < 1e-9);
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

test("nodes are found by name, or by number where they have none", () => {
  const named = new NodeIndex(["Marius", "Éponine", "Mme. Marius", "Mar", "x"], 5);
  assert.deepEqual(named.find("mar", 10), [3, 0, 2]);
  assert.deepEqual(named.find("eponine", 10), [1]);
  assert.deepEqual(named.find("MAR", 2), [3, 0]);
  assert.deepEqual(named.find("nobody", 10), []);
  const numbered = new NodeIndex(undefined, 1300);
  assert.deepEqual(numbered.find("12", 4), [12, 120, 121, 122]);
  assert.deepEqual(numbered.find("1299", 4), [1299]);
  assert.deepEqual(numbered.find("0", 4), [0]);
  assert.deepEqual(numbered.find("1300", 4), []);
  assert.deepEqual(numbered.find("Ann", 4), []);
});

test("orders put the best or the worst first and samples without a score last", () => {
  const scores = [4, null, 1, 4, undefined];
  const samples = scores.map((_, index) => ({ id: String(index) }) as Sample);
  const score = (sample: Sample) => scores[Number(sample.id)];
  assert.deepEqual(ordered(samples, "data", score), [0, 1, 2, 3, 4]);
  assert.deepEqual(ordered(samples, "best", score), [2, 0, 3, 1, 4]);
  assert.deepEqual(ordered(samples, "worst", score), [0, 3, 2, 1, 4]);
});

test("an edge and a node in words", () => {
  const graph = graphOf(0);
  const text = describeTarget(graph, 0, { edge: graph.truth[0].edges[0] });
  assert.match(text, /^edge \d+ to \d+: factor 1 [01]\.\d{3}, factor 2 .*; in /);
  assert.ok(text.includes(part.types[graph.truth[0].type]));
  assert.match(describeTarget(graph, 0, { node: graph.sources[0] }), /^node \d+: edges [1-9]\d*$/);
  const named = network(30);
  assert.equal(describeTarget(named, 0, { edge: 0 }),
               "edge node 0 (0) to node 1 (1): family 0.800, work 0.200, certainty 0.90");
  assert.equal(describeTarget(named, 0, { node: 1 }), "node node 1 (1): group in family left, edges 4");
});

test("a CSV quotes what must be quoted and has every edge once", async () => {
  const names = ['a,b', 'say "hi"', "line\nbreak", "=1+1", "<script>"];
  const [only] = networkPage(5, { names: (node) => names[node] }).factor_graphs;
  const graph = new Graph(only.samples[0], only);
  const text = await asCsv(graph, 0, Picture.whole(graph)).text();
  assert.ok(text.startsWith("source,target,family,work,strongest,certainty\n"));
  assert.ok(text.includes('"a,b","say ""hi""",0.8,0.2,family,0.9\n'));
  assert.ok(text.includes('"line\nbreak",=1+1,'));
  assert.equal(text.replace(/"[^"]*"/g, "").split("\n").length, graph.edges + 2);
  assert.equal(fileName("Factor graphs <b> 16/../000", "csv"), "factor-graphs-b-16-000.csv");
  assert.equal(fileName("//", "svg"), "graph.svg");
});

test("names cannot leave their element in an SVG file", () => {
  const pen = new SvgPen();
  pen.word(1, 2, '</text><script>alert("1")</script>&\u0001', { size: 9, colour: "#000", halo: "", bold: false,
                                                               centred: false });
  const text = pen.text(10, 10, "<t>");
  assert.ok(!text.includes("<script>") && text.includes("&lt;/text&gt;&lt;script&gt;") && !text.includes("\u0001"));
});

test("variants of one title are one section", () => {
  const [one] = examplePage(1).factor_graphs;
  const parts = [{ ...one, variant: "fold 1" }, { ...one, variant: "fold 2" }, one, one];
  assert.deepEqual(grouped(parts).map((group) => group.length), [2, 1, 1]);
});
