// Scales and the little arithmetic behind charts, heat maps and keys.
import assert from "node:assert/strict";
import { test } from "node:test";

import { epochAxis, extent, linearAxis, logAxis, pathOf } from "../../src/chart";
import { meanCurve, wantsLog } from "../../src/curves";
import { ramp } from "../../src/heatmap";
import { hasOwnKeys, moveAlong, stepOf } from "../../src/keyboard";
import { commonDigits, settingAxis } from "../../src/lines";

test("extent leaves out what is missing and makes room for a constant", () => {
  assert.deepEqual(extent([3, null, 1, NaN, 2]), [1, 3]);
  assert.deepEqual(extent([]), [0, 1]);
  const [low, high] = extent([5, 5]);
  assert.ok(low < 5 && high > 5);
  assert.deepEqual(extent([0, 0]), [-0.5, 0.5]);
});

test("ticks lie inside the range and have equal decimals", () => {
  const axis = linearAxis([0.4, 0.995], [200, 0], 5);
  assert.ok(axis.ticks.every((tick) => tick.at >= 0 && tick.at <= 200));
  assert.deepEqual(axis.ticks.map((tick) => tick.label), ["0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]);
  const log = logAxis([0.01, 1.3], [200, 0], 5);
  assert.ok(log.ticks.length >= 2 && log.ticks.length <= 7, String(log.ticks.length));
});

test("epochs are whole", () => {
  assert.deepEqual(epochAxis([1, 2], [0, 100], 5).ticks.map((tick) => tick.label), ["1", "2"]);
  assert.deepEqual(epochAxis([1, 80], [0, 100], 4).ticks.map((tick) => tick.label), ["20", "40", "60", "80"]);
});

test("on a logarithmic setting axis 0 is set apart and the rest keep their ratios", () => {
  const { scale, ticks } = settingAxis([0, 0.1, 0.2, 0.4], true, [0, 400]);
  assert.ok(scale(0) < scale(0.1));
  assert.ok(Math.abs((scale(0.2) - scale(0.1)) - (scale(0.4) - scale(0.2))) < 1e-9);
  assert.deepEqual(ticks.map((tick) => tick.label), ["0", "0.1", "0.2", "0.4"]);
  const linear = settingAxis([2, 4, 8], false, [0, 300]);
  assert.ok(Math.abs(2 * (linear.scale(4) - linear.scale(2)) - (linear.scale(8) - linear.scale(4))) < 1e-9);
});

test("mean curves, logarithmic offers, decimals, paths, colours", () => {
  assert.deepEqual(meanCurve([[1, 2, null], [3, null]]), [2, 2, null]);
  assert.ok(wantsLog([1, 30]));
  assert.ok(!wantsLog([1, 10]));
  assert.ok(!wantsLog([0, 30]));
  assert.equal(commonDigits([0.5, 0.123]), 3);
  assert.equal(commonDigits([13.2, 12]), 1);
  assert.equal(commonDigits([1200]), 0);
  assert.equal(pathOf([[0, 1], [2, 3.456]]), "M0.00,1.00L2.00,3.46");
  assert.deepEqual(ramp([[0, 0, 0], [100, 100, 100], [200, 0, 0]], 0.75), [150, 50, 50]);
  assert.deepEqual(ramp([[0, 0, 0], [10, 20, 30]], 2), [10, 20, 30]);
});

test("keys", () => {
  const key = (name: string, more = {}) =>
    stepOf({ key: name, ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, ...more });
  assert.equal(key("ArrowLeft"), "left");
  assert.equal(key("ArrowLeft", { altKey: true }), null);  // the browser's own "back"
  assert.equal(key("x"), null);
  assert.equal(moveAlong(0, "left", 5), 0);
  assert.equal(moveAlong(3, "right", 5), 4);
  assert.equal(moveAlong(4, "right", 5), 4);
  assert.equal(moveAlong(2, "last", 5), 4);
  const target = (tagName: string, type?: string) => ({ tagName, type }) as unknown as EventTarget;
  assert.ok(hasOwnKeys(target("INPUT", "range")));
  assert.ok(hasOwnKeys(target("SELECT")));
  assert.ok(!hasOwnKeys(target("INPUT", "checkbox")));
  assert.ok(!hasOwnKeys(target("svg")));
});
