// The check at the door: good data pass, and every kind of bad data ends in a sentence that names the place.
import assert from "node:assert/strict";
import { test } from "node:test";

import { PageDataError, readPage } from "../../src/data";
import { examplePage } from "../example";

// eslint-style `any` is wanted here: the point is to break the data.
type Broken = any;  // eslint-disable-line @typescript-eslint/no-explicit-any

function message(change: (page: Broken) => void): string {
  const page = structuredClone(examplePage(3)) as Broken;
  change(page);
  try {
    readPage(JSON.stringify(page));
  } catch (error) {
    assert.ok(error instanceof PageDataError, String(error));
    return error.message;
  }
  return "(accepted)";
}

test("a good page is read as it is", () => {
  const page = examplePage(5);
  assert.deepEqual(readPage(JSON.stringify(page)), page);
});

test("a page with nothing in it is a page", () => {
  const page = { ...examplePage(1), facts: [], notes: [], tables: [], curves: [], heatmaps: [], lines: [],
                 confusions: [], reliabilities: [], factor_graphs: [] };
  assert.deepEqual(readPage(JSON.stringify(page)), page);
});

test("text that is no JSON, another format, a newer version", () => {
  assert.throws(() => readPage("{"), /The data in this file are damaged: .+/);
  assert.throws(() => readPage("[]"), /page is a list; an object was expected/);
  assert.match(message((page) => { page.format = "other"; }), /not a factorgcn-page: "format" is "other"/);
  assert.match(message((page) => { page.version = 3; }),
               /have version 3; this page shows versions up to 2\. Write it again/);
  assert.match(message((page) => { page.version = "1"; }), /page\.version is string; a whole number from 1/);
});

test("wrong members are named with their place", () => {
  const cases: [(page: Broken) => void, RegExp][] = [
    [(page) => { page.title = 3; }, /^page\.title is number; a text was expected$/],
    [(page) => { delete page.tables; }, /^page\.tables is nothing; a list was expected$/],
    [(page) => { page.tables[0].columns[1].better = "up"; },
     /^page\.tables\[0\]\.columns\[1\]\.better is "up"; higher, lower or none/],
    [(page) => { page.tables[0].columns[0].digits = 1.5; }, /digits is 1\.5; a whole number from 0 to 12/],
    [(page) => { page.tables[0].rows[0].cells.f1.value = "x"; },
     /^page\.tables\[0\]\.rows\[0\]\.cells\.f1\.value is string; a number/],
    [(page) => { page.heatmaps[0].panels[1].values.pop(); },
     /panels\[1\]\.values has 1023 values; 1024 were expected \(32 x 32\)/],
    [(page) => { page.heatmaps[0].panels[0].blocks = [30, 3]; }, /blocks add up to 33; the matrix has 32 rows/],
    [(page) => { page.lines[0].series[0].y.push(1); }, /series\[0\]\.y has 7 values; 6 were expected \(one per x\)/],
    [(page) => { page.curves[0].id = "table-1"; }, /id is "table-1", which another part of the page has already/],
    [(page) => { page.curves[0].id = "a b"; }, /id is "a b"; letters, digits, - and _/],
    [(page) => { page.factor_graphs[0].samples[1].id = "16000"; },
     /samples\[1\]\.id is "16000", which another sample has/],
    [(page) => { page.factor_graphs[0].samples[2].layers[0].coefficients.pop(); },
     /samples\[2\]\.layers\[0\]\.coefficients has \d+ values; \d+ were expected \(\d+ edges x 4 factors\)/],
    [(page) => { page.factor_graphs[0].samples[0].edges[0] = 15; },
     /samples\[0\]\.edges\[0\] is 15; there are 15 nodes/],
    [(page) => { page.factor_graphs[0].samples[0].edges.pop(); },
     /samples\[0\]\.edges has \d+ values; \d+ were expected/],
    [(page) => { page.factor_graphs[0].samples[0].truth[0].edges[0] = 99; },
     /truth\[0\]\.edges\[0\] is 99; there are \d+ edges/],
    [(page) => { page.factor_graphs[0].samples[0].truth[0].type = 4; },
     /truth\[0\]\.type is 4; a whole number from 0 to 3/],
    [(page) => { page.factor_graphs[0].samples[0].layers[0].matches[0].factor = 4; },
     /matches\[0\]\.factor is 4; a whole number from -1 to 3/],
    [(page) => { page.factor_graphs[0].samples[0].node_labels = ["a"]; },
     /node_labels has 1 texts; there are 15 nodes/],
    [(page) => { page.factor_graphs[0].samples[0].layers = []; }, /layers has 0 readings; there are 1 layers/],
    [(page) => { page.factor_graphs[0].samples[0].colours = [[0]]; }, /colours has 1 lists; there are 0 colourings/],
    [(page) => { page.factor_graphs[0].layers[0].factors = []; }, /factors is empty; at least one was expected/],
    [(page) => { page.confusions[0].counts.pop(); }, /counts has 8 values; 9 were expected \(3 x 3\)/],
    [(page) => { page.reliabilities[0].bins[0].said = "much"; }, /bins\[0\]\.said is string; a number was expected/],
  ];
  for (const [change, expected] of cases) {
    assert.match(message(change), expected);
  }
});
