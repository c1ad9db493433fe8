// The page in a real browser, opened from disk: what is there, what reacts, and that nothing goes to a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { type Browser, chromium, type Page as Tab } from "playwright-core";

import { examplePage, networkPage, pageHtml } from "../example";

const template = readFileSync(process.env.FACTORGCN_TEMPLATE as string, "utf8");
const folder = mkdtempSync(join(tmpdir(), "factorgcn-page-"));
const ACTION = 60_000;  // generous: machines that test are busy

let browser: Browser;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.FACTORGCN_CHROMIUM, timeout: 120_000,
                                    args: ["--no-sandbox", "--disable-dev-shm-usage"] });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Options {
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
}

/**
 * Opens a file made of `data`, or the file named, runs `use`, and checks that there was no error and no request beyond
 * the file.
 */
async function withPage(data: unknown, options: Options, use: (tab: Tab) => Promise<void>): Promise<void> {
  let file = String(data);
  if (typeof data !== "string") {
    file = join(folder, `page-${Math.random().toString(36).slice(2)}.html`);
    writeFileSync(file, pageHtml(template, data));
  }
  const context = await browser.newContext({ viewport: { width: options.width ?? 1200, height: options.height ?? 900 },
                                             colorScheme: options.scheme ?? "light" });
  const tab = await context.newPage();
  tab.setDefaultTimeout(ACTION);
  const complaints: string[] = [];
  tab.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      complaints.push(message.text());
    }
  });
  tab.on("pageerror", (error) => complaints.push(error.message));
  tab.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("data:")) {
      complaints.push(`request to ${request.url()}`);
    }
  });
  try {
    await tab.goto(`file://${file}`);
    await use(tab);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** Edges that the drawings in sight have, without those that are only in the truth. */
const drawnEdges = (tab: Tab, which = ".panel.factor .board") => tab.locator(which).evaluateAll((boards) =>
  boards.reduce((sum, board) => sum + Number((board as HTMLElement).dataset.drawn ?? 0), 0));

type Lists = { edges: number[]; layers: { coefficients: number[]; matches: { factor: number; truth: number; ged: number;
               kept: number[] }[]; ged?: number }[]; truth: { edges: number[] }[] };
const listed = (sample: unknown) => sample as Lists;  // the example's numbers are lists

/** A download's text or bytes. */
async function fileOf(tab: Tab, name: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name }).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Looks for something under the pointer, along the lines of a grid over the drawing; its tooltip. */
async function hoverUntil(tab: Tab, board: ReturnType<Tab["locator"]>, wanted: RegExp): Promise<string> {
  await board.scrollIntoViewIfNeeded();
  const box = await board.boundingBox();
  assert.ok(box !== null);
  for (let y = 6; y < box.height; y += 6) {
    for (let x = 6; x < box.width; x += 6) {
      await tab.mouse.move(box.x + x, box.y + y);
      const tip = tab.locator(".tooltip");
      if (await tip.isVisible() && wanted.test(await tip.innerText())) {
        return tip.innerText();
      }
    }
  }
  return assert.fail("nothing of the kind was under the pointer");
}

async function setThreshold(tab: Tab, value: number): Promise<void> {
  await tab.locator("input.threshold").evaluate((input, to) => {
    (input as HTMLInputElement).value = String(to);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
}

test("every part is there, under its heading, with labels", async () => {
  await withPage(examplePage(), {}, async (tab) => {
    assert.equal(await tab.title(), "Factorizable graph convolution, reproduced");
    assert.deepEqual(await tab.locator("h2").allTextContents(),
                     ["Synthetic data, four factor graphs", "Factor graphs", "Which class is taken for which",
                      "Do probabilities mean what they say?", "Training curves", "Correlation of features",
                      "Weight of the discriminator"]);
    assert.equal(await tab.locator("#table-1 tbody").count(), 3);
    assert.equal(await tab.locator("#table-1 .difference.worse").count(), 1);
    assert.match(await tab.locator("#table-1 .difference.better").innerText(), /\+0\.070/);
    assert.equal(await tab.locator("#curves svg.chart").count(), 2);
    assert.equal(await tab.locator("#correlation canvas").count(), 3);
    assert.equal(await tab.locator("#lambda circle.hollow").count(), 5);
    assert.equal(await tab.locator(".panel.factor").count(), 4);
    assert.equal(await tab.locator(".panel.truth:not(.empty)").count(), 2);
    assert.match(await tab.locator(".panel.factor .panel-score").first().innerText(), /^GEDE \d+$/);
    // Everything that takes the focus has a name.
    const nameless = await tab.evaluate(() => [...document.querySelectorAll("[tabindex='0'], button, input, select")]
      .filter((item) => !item.getAttribute("aria-label") && !(item as HTMLInputElement).labels?.length &&
              !item.textContent?.trim())
      .map((item) => item.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
  });
});

test("the slider changes which edges are drawn; the count follows the data", async () => {
  const page = examplePage();
  const { coefficients } = listed(page.factor_graphs[0].samples[0]).layers[0];
  const expected = (threshold: number) => coefficients.filter((value) => value >= threshold).length;
  await withPage(page, {}, async (tab) => {
    await setThreshold(tab, 0.5);
    assert.equal(await drawnEdges(tab), expected(0.5));
    await setThreshold(tab, 0.8);
    assert.equal(await drawnEdges(tab), expected(0.8));
    await setThreshold(tab, 0);
    assert.equal(await drawnEdges(tab), coefficients.length);
    assert.equal(await tab.locator("output").innerText(), "0.00");
    // By keyboard: the slider's own keys.
    await tab.locator("input.threshold").focus();
    await tab.keyboard.press("End");
    assert.equal(await drawnEdges(tab), expected(1));
  });
});

test("as GED_E counts: each matched factor draws as many edges as its part has; half the score differs", async () => {
  const page = examplePage();
  const sample = listed(page.factor_graphs[0].samples[0]);
  const factors = page.factor_graphs[0].layers[0].factors.length;
  await withPage(page, {}, async (tab) => {
    assert.ok(await tab.getByLabel("as GEDE counts").isChecked());  // the first look
    for (const match of sample.layers[0].matches) {
      const panel = tab.locator(".panel.factor").nth(match.factor);
      assert.equal(await panel.locator(".board").getAttribute("data-drawn"),
                   String(sample.truth[match.truth].edges.length));
      assert.ok((await panel.innerText()).includes(`${match.ged / 2} differ`));
    }
    await tab.getByLabel("strongest share").check();
    await setThreshold(tab, 0.25);
    assert.equal(await drawnEdges(tab), Math.ceil(sample.edges.length / 2 * 0.25) * factors);
    assert.equal(await tab.locator("output").innerText(), "25 %");
    await tab.getByLabel("as GEDE counts").check();
    const scored = sample.layers[0].matches[0];
    assert.equal(await tab.locator(".panel.factor .board").nth(scored.factor).getAttribute("data-drawn"),
                 String(scored.kept.length));
  });
});

test("the truth can be laid over or left away; isolated nodes can be shown", async () => {
  const page = examplePage();
  const sample = page.factor_graphs[0].samples[0];
  const missing = (tab: Tab) => tab.locator(".panel.factor .board").evaluateAll((boards) =>
    boards.reduce((sum, board) => sum + Number((board as HTMLElement).dataset.missing), 0));
  await withPage(page, {}, async (tab) => {
    const differing = listed(sample).layers[0].matches.reduce((sum, match) => sum + match.ged / 4, 0);
    assert.equal(await missing(tab), differing);
    await tab.getByLabel("compare with the truth").uncheck();
    assert.equal(await missing(tab), 0);
    const nodes = () => tab.locator(".panel.input .board").getAttribute("data-nodes");
    assert.equal(await nodes(), String(new Set(listed(sample).edges).size));
    await tab.getByLabel("isolated nodes").check();
    assert.equal(await nodes(), String(sample.nodes));
  });
});

test("hovering names an edge's value in every factor, and a node", async () => {
  const page = examplePage();
  const { coefficients } = listed(page.factor_graphs[0].samples[0]).layers[0];
  await withPage(page, {}, async (tab) => {
    const text = await hoverUntil(tab, tab.locator(".panel.input .board"), /factor 1/);
    const values = [...text.matchAll(/\d\.\d{3}/g)].map(([value]) => Number(value));
    assert.equal(values.length, 4);
    const rows = Array.from({ length: coefficients.length / 4 },
                            (_, edge) => coefficients.slice(4 * edge, 4 * edge + 4));
    assert.ok(rows.some((row) => row.every((value, factor) => Math.abs(value - values[factor]) < 6e-4)), text);
    await tab.mouse.move(2, 2);
    await tab.locator(".tooltip").waitFor({ state: "hidden" });
    assert.match(await hoverUntil(tab, tab.locator(".panel.input .board"), /^\d+\s+edges/), /^\d+\s+edges\s+\d+$/);
  });
});

test("all in one: factors switched off in the legend, edges by truth or none, one drawing", async () => {
  const page = networkPage(40);
  const { edge_count: edges } = page.factor_graphs[0].samples[0];
  await withPage(page, {}, async (tab) => {
    assert.equal(await tab.locator(".board:visible").count(), 1);
    await setThreshold(tab, 0);
    assert.equal(await drawnEdges(tab, ".panel.all .board"), edges);
    const family = tab.getByRole("button", { name: /family/ });
    const own = Number((await family.locator(".count").innerText()).replace(",", ""));
    await family.click();
    assert.equal(await drawnEdges(tab, ".panel.all .board"), edges - own);
    assert.equal(await family.getAttribute("aria-pressed"), "false");
    assert.ok(await family.evaluate((item) => item === document.activeElement));
    await tab.getByLabel("one per relation").check();
    assert.equal(await tab.locator(".board:visible").count(), 3);
    await tab.getByLabel("Nodes by").selectOption("groups of each relation");
    await tab.getByLabel("Nodes by").selectOption("group in work");
    assert.match(await tab.locator(".node-legend").innerText(),
                 /Nodes: group in work\s+odd\s+20\s+even\s+19\s+not known\s+1/);
    assert.equal(await tab.locator(".left-out").innerText(), "Two layers are not here.");
  });
});

test("zoom, move and drag: by buttons, wheel, keys and pointer; the picture changes and comes back", async () => {
  await withPage(networkPage(30), {}, async (tab) => {
    const board = tab.locator(".panel.all .board");
    await board.scrollIntoViewIfNeeded();
    const picture = async () => {
      await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      return board.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    };
    const changed = async (act: () => Promise<unknown>, what: string) => {
      const before = await picture();
      await act();
      const after = await picture();
      assert.notEqual(after, before, what);
      return after;
    };
    const first = await picture();
    await changed(() => tab.getByRole("button", { name: "Zoom in" }).click(), "zoom in");
    await tab.getByRole("button", { name: "Show the whole drawing" }).click();
    assert.equal(await picture(), first);
    const box = await board.boundingBox();
    assert.ok(box !== null);
    // A wheel over a drawing that was not clicked belongs to the page.
    await tab.mouse.move(box.x + 5, box.y + 5);
    await tab.mouse.wheel(0, -200);
    assert.equal(await picture(), first);
    await tab.evaluate(() => scrollBy(0, 200));
    await board.focus();
    await changed(() => tab.mouse.wheel(0, -200), "wheel");
    await changed(() => tab.keyboard.press("-"), "minus");
    await changed(() => tab.keyboard.press("Shift+ArrowRight"), "shift and arrow");
    await tab.keyboard.press("0");
    assert.equal(await picture(), first);
    // The ground, then a node.
    const now = await board.boundingBox();
    assert.ok(now !== null);
    await tab.mouse.move(now.x + 3, now.y + 3);
    await changed(async () => {
      await tab.mouse.down();
      await tab.mouse.move(now.x + 60, now.y + 30, { steps: 4 });
      await tab.mouse.up();
    }, "dragging the ground");
    await tab.keyboard.press("0");
    await hoverUntil(tab, board, /group in family/);
    const tip = await tab.locator(".tooltip strong").innerText();
    await changed(async () => {
      await tab.mouse.down();
      const { x, y } = await tab.evaluate(() => ({ x: 0, y: 0 }));
      await tab.mouse.move(now.x + 150 + x, now.y + 150 + y, { steps: 5 });
      await tab.mouse.up();
    }, "dragging a node");
    assert.equal(await tab.locator(".tooltip strong").innerText(), tip);  // it came along
  });
});

test("a large graph: a neighbourhood is drawn, nodes are searched, it grows by buttons and keys", async () => {
  const page = networkPage(30_000, { packed: true });
  await withPage(page, {}, async (tab) => {
    const board = tab.locator(".panel.all .board");
    const nodes = async () => Number(await board.getAttribute("data-nodes"));
    assert.match(await tab.locator(".hoods .hint").innerText(),
                 /^50 of 30,000 nodes and \d+ of [\d,]+ edges are drawn/);
    assert.equal(await nodes(), 50);
    const field = tab.getByRole("combobox", { name: "Search a node" });
    await field.fill("node 12345");
    await field.press("Enter");
    assert.equal(await nodes(), 50);
    assert.equal(await tab.locator(".tooltip strong").innerText(), "node 12345 (12345)");
    await tab.getByRole("button", { name: /more nodes around/ }).click();
    assert.equal(await nodes(), 80);
    await board.focus();
    await tab.keyboard.press("n");
    const text = await tab.locator(".factor-view > [aria-live].spoken").innerText();
    assert.match(text, /^node node \d+/);
    await tab.keyboard.press("End");
    const before = await nodes();
    for (let step = 0; step < 20 && await nodes() === before; ++step) {
      await tab.keyboard.press("n");
      await tab.keyboard.press("Enter");
    }
    assert.ok(await nodes() > before);
    for (let step = 0; step < 15; ++step) {
      const more = tab.getByRole("button", { name: /more nodes around/ });
      if (await more.isDisabled()) {
        break;
      }
      await more.click();
    }
    assert.equal(await nodes(), 400);
    await tab.getByRole("button", { name: /first neighbourhood/ }).click();
    assert.equal(await nodes(), 50);
  });
});

test("files: SVG, PNG and CSV hold what is drawn", async () => {
  const page = examplePage();
  const sample = listed(page.factor_graphs[0].samples[0]);
  await withPage(page, {}, async (tab) => {
    const svg = await fileOf(tab, "Download the drawing as SVG");
    assert.equal(svg.name, "factor-graphs-16000.svg");
    const text = svg.bytes.toString();
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    for (const title of ["Input graph", "Factor 1", "Factor 4"]) {
      assert.ok(text.includes(`>${title}</text>`), title);
    }
    const png = await fileOf(tab, "Download the drawing as PNG");
    assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(png.bytes.length > 5000);
    const csv = (await fileOf(tab, "Download the edges drawn as CSV")).bytes.toString().trimEnd().split("\n");
    assert.equal(csv[0], "source,target,factor 1,factor 2,factor 3,factor 4,strongest,relations");
    assert.equal(csv.length, sample.edges.length / 2 + 1);
    assert.ok(csv[1].startsWith(`${sample.edges[0]},${sample.edges[1]},${sample.layers[0].coefficients[0]},`));
  });
});

test("layers and folds are chosen; names from strangers stay text", async () => {
  const hostile = '</script><img src=x onerror="document.title=1"><b>';
  const page = networkPage(20, { names: (node) => node === 0 ? hostile : `n${node}` });
  const part = page.factor_graphs[0];
  const [sample] = part.samples;
  part.layers = [{ name: "layer 1", factors: ["family", hostile] }, { name: "layer 2", factors: ["a", "b", "c"] }];
  part.colourings[0] = { name: hostile, labels: [hostile, "right"] };
  part.left_out = [hostile];
  sample.layers.push({ matches: [],
                       coefficients: Array.from({ length: 3 * sample.edge_count }, (_, at) => at % 3 / 2) });
  page.factor_graphs = [{ ...part, variant: "fold 1" }, { ...part, id: "other", variant: hostile }];
  page.confusions = [{ id: "c", title: "c", names: [hostile, "b"], counts: [1, 2, 3, 4] }];
  await withPage(page, {}, async (tab) => {
    await tab.getByLabel("Layer").selectOption("layer 2 (3 relations)");
    assert.equal(await tab.locator(".toggle").count(), 3);
    await tab.getByLabel("one per relation").check();
    assert.equal(await tab.locator(".panel.factor").count(), 3);
    await tab.getByLabel("all in one").check();
    const field = tab.getByRole("combobox", { name: "Search a node" });
    await field.fill("script");
    await field.press("Enter");
    assert.ok((await tab.locator(".tooltip strong").innerText()).includes(hostile));
    const svg = (await fileOf(tab, "Download the drawing as SVG")).bytes.toString();
    assert.ok(!svg.includes("<img") && svg.includes("&lt;/script"));
    await tab.getByLabel("Show", { exact: true }).selectOption("1");
    assert.equal(await tab.locator("main img, main b").count(), 0);
    assert.equal(await tab.title(), "A network");
  });
});

test("the confusion of classes and the reliability of probabilities are told in numbers", async () => {
  await withPage(examplePage(3), {}, async (tab) => {
    assert.equal(await tab.locator("#confusion td.right").allInnerTexts().then((cells) => cells.join()), "40,30,19");
    assert.equal(await tab.locator("#confusion td.total").allInnerTexts().then((cells) => cells.join()), "43,37,20");
    await tab.locator("#reliability svg.chart").focus();
    await tab.keyboard.press("Home");
    assert.match(await tab.locator("#reliability .readout").innerText(),
                 /^said 50 to 60 %, 55 % on average: 50 % came true \(95 % interval 25 to 75\), 12 predictions$/);
    assert.match(await tab.locator("#reliability .hint").innerText(), /off by 5\.0 percentage points; .* about 3\.0/);
  });
});

test("keys: arrows walk samples and edges, focus is visible and survives", async () => {
  const page = examplePage();
  await withPage(page, {}, async (tab) => {
    const panel = tab.locator(".panel.factor .board").first();
    await panel.focus();
    await tab.keyboard.press("ArrowRight");
    assert.equal(await tab.locator(".place").innerText(), "2 of 40");
    assert.match(await tab.locator(".sample-title").innerText(), /Graph 16001/);
    assert.ok(await panel.evaluate((item) => item === document.activeElement));
    const outline = await panel.evaluate((item) => getComputedStyle(item).outlineStyle);
    assert.equal(outline, "solid");
    await tab.keyboard.press("ArrowDown");
    await tab.locator(".tooltip").waitFor({ state: "visible" });
    assert.match(await tab.locator(".factor-view > [aria-live].spoken").innerText(), /^edge \d+ to \d+: factor 1/);
    await tab.keyboard.press("Escape");
    assert.ok(await tab.locator(".tooltip").isHidden());
    await tab.keyboard.press("End");
    assert.equal(await tab.locator(".place").innerText(), "40 of 40");
    await tab.keyboard.press("ArrowLeft");
    assert.equal(await tab.locator(".place").innerText(), "39 of 40");
    // Charts and heat maps.
    await tab.locator("#curves svg.chart").first().focus();
    await tab.keyboard.press("Home");
    assert.match(await tab.locator("#curves .readout-head").first().innerText(), /epoch\s*1$/);
    await tab.keyboard.press("ArrowRight");
    assert.match(await tab.locator("#curves .readout-head").first().innerText(), /epoch\s*2$/);
    await tab.locator("#correlation canvas").first().focus();
    await tab.keyboard.press("ArrowDown");
    assert.equal(await tab.locator(".heat-readout").first().innerText(), "row 1, column 1: 1.000");
  });
});

test("the first tab stop skips to the results; the order follows the page", async () => {
  await withPage(examplePage(), {}, async (tab) => {
    await tab.keyboard.press("Tab");
    assert.equal(await tab.evaluate(() => document.activeElement?.textContent), "Skip to the results");
    const tops: number[] = [];
    while (tops.length < 100) {
      await tab.keyboard.press("Tab");
      const top = await tab.evaluate(() => {
        const part = document.activeElement?.closest("section, header, nav");
        return part ? part.getBoundingClientRect().top + scrollY : null;
      });
      if (top === null) {
        break;  // past the last one
      }
      tops.push(top);
    }
    assert.ok(tops.length > 20, String(tops.length));
    assert.deepEqual(tops, [...tops].sort((a, b) => a - b));
  });
});

test("search by id and by label", async () => {
  await withPage(examplePage(), {}, async (tab) => {
    const field = tab.getByRole("combobox", { name: "Search a graph by id or label" });
    await field.fill("16017");
    assert.equal(await tab.locator(".picker .finds li").count(), 1);
    await field.press("Enter");
    assert.match(await tab.locator(".sample-title").innerText(), /Graph 16017/);
    await field.fill("grid");
    assert.ok(await tab.locator(".picker .finds li").count() > 1);
    await field.press("ArrowDown");
    await field.press("Enter");
    assert.match(await tab.locator(".sample-title").innerText(), /grid/);
    await field.fill("zebra");
    assert.equal(await tab.locator(".picker .finds").innerText(), "no graph matches");
    await field.press("Escape");
    await tab.getByLabel("Order of the graphs").selectOption("worst");
    const worst = Math.max(...examplePage().factor_graphs[0].samples.map((sample) => sample.layers[0].ged ?? 0));
    assert.ok((await tab.locator(".sample-facts").innerText()).includes(worst.toFixed(2)));
  });
});

test("dark follows the system, and the switch overrides it", async () => {
  const ground = (tab: Tab) => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await withPage(examplePage(), { scheme: "dark" }, async (tab) => {
    assert.equal(await ground(tab), "rgb(20, 24, 28)");
    const heat = () => tab.locator("#correlation canvas").last().evaluate((canvas) =>
      (canvas as HTMLCanvasElement).toDataURL());
    const dark = await heat();
    await tab.locator("#theme").getByLabel("Light").check();
    assert.equal(await ground(tab), "rgb(253, 253, 251)");
    assert.notEqual(await heat(), dark);
    await tab.locator("#theme").getByLabel("Auto").check();
    assert.equal(await ground(tab), "rgb(20, 24, 28)");
  });
  await withPage(examplePage(), { scheme: "light" }, async (tab) => {
    await tab.locator("#theme").getByLabel("Dark").check();
    assert.equal(await ground(tab), "rgb(20, 24, 28)");
    await tab.reload();
    assert.equal(await ground(tab), "rgb(20, 24, 28)");  // remembered
  });
});

test("a phone of 360 px: nothing sticks out sideways, tables become one line per column", async () => {
  await withPage(examplePage(6, 8), { width: 360, height: 740 }, async (tab) => {
    await tab.locator("#lambda svg.chart path").first().waitFor();
    const outside = await tab.evaluate(() => {
      const items = [...document.querySelectorAll("body *")].filter((item) => {
        const box = item.getBoundingClientRect();
        return box.width > 1 && getComputedStyle(item).position !== "absolute" &&
            (box.right > innerWidth + 0.5 || box.left < -0.5) && item.closest(".scrolls") === null;
      });
      return { width: document.documentElement.scrollWidth, items: items.map((item) => item.outerHTML.slice(0, 90)) };
    });
    assert.deepEqual(outside, { width: 360, items: [] });
    assert.equal(await tab.locator("#table-1 table.narrow").count(), 3);
    assert.equal(await tab.locator("#table-1 table.wide").count(), 0);
  });
});

test("a phone in the dark: settings fold away, everything fits, files have the dark colours", async () => {
  await withPage(networkPage(60), { width: 360, height: 740, scheme: "dark" }, async (tab) => {
    assert.ok(await tab.getByLabel("Nodes by").isHidden());
    await tab.getByText("Settings", { exact: true }).click();
    assert.ok(await tab.getByLabel("Nodes by").isVisible());
    await tab.getByLabel("one per relation").check();
    const [wide, inside] = await tab.evaluate(() => [
      document.documentElement.scrollWidth,
      [...document.querySelectorAll(".factor-view *")].every((item) => item.getBoundingClientRect().right < 360.5)]);
    assert.equal(wide, 360);
    assert.ok(inside);
    assert.ok((await tab.locator(".panel.factor .board").first().boundingBox())?.width as number > 300);
    const svg = (await fileOf(tab, "Download the drawing as SVG")).bytes.toString();
    assert.match(svg, /<rect [^>]*fill="#1c2227"/);
  });
});

test("by keyboard alone: from the search to a node, its neighbours, the file", async () => {
  await withPage(networkPage(9000, { packed: true }), {}, async (tab) => {
    const board = tab.locator(".panel.all .board");
    await tab.getByRole("combobox", { name: "Search a node" }).focus();
    await tab.keyboard.type("node 777");
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("Enter");
    assert.match(await tab.locator(".tooltip strong").innerText(), /^node 777\d \(777\d\)$/);
    for (let step = 0; step < 20 && !await board.evaluate((item) => item === document.activeElement); ++step) {
      await tab.keyboard.press("Tab");
    }
    assert.ok(await board.evaluate((item) => item === document.activeElement), "Tab reaches the drawing");
    const label = await board.getAttribute("aria-label");
    assert.match(label ?? "", /^All relations in one drawing: 50 nodes, \d+ edges$/);
    await tab.keyboard.press("ArrowDown");
    assert.match(await tab.locator(".factor-view > [aria-live].spoken").innerText(), /^edge node .*family 0\.\d+/);
  });
});

test("2,000 samples: the next sample is drawn without a long task", async () => {
  await withPage(examplePage(2000), {}, async (tab) => {
    await tab.locator(".place", { hasText: "1 of 2,000" }).waitFor();
    await tab.evaluate(() => {
      const store = window as unknown as { longTasks: number[] };
      store.longTasks = [];
      new PerformanceObserver((list) => store.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
        .observe({ type: "longtask" });
    });
    await tab.locator(".panel.input .board").focus();
    for (let step = 2; step <= 12; ++step) {
      await tab.keyboard.press("ArrowRight");
      await tab.locator(".place", { hasText: `${step} of 2,000` }).waitFor();
    }
    const field = tab.locator(".picker .search");
    for (const query of ["1", "17", "179", "1799", "17999"]) {
      await field.fill(query);
    }
    await field.press("Enter");
    assert.match(await tab.locator(".sample-title").innerText(), /Graph 17999/);
    assert.ok(await tab.locator(".picker .finds li").count() <= 8);
    assert.ok(await tab.locator("svg, canvas").count() < 60);  // one sample is drawn, not two thousand
    const longest = await tab.evaluate(() => Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks));
    assert.ok(longest < 500, `the longest task took ${longest} ms`);
  });
});

test("one row, no truth, no paper: still a page", async () => {
  const page = examplePage(3);
  page.tables[0].rows = [page.tables[0].rows[2]];
  page.tables[0].protocol = undefined;
  page.curves[0].runs.length = 1;
  for (const sample of page.factor_graphs[0].samples) {
    Object.assign(sample, { truth: [], facts: undefined });
    Object.assign(sample.layers[0], { matches: [], ged: undefined });
  }
  page.factor_graphs[0].types = [];
  await withPage(page, {}, async (tab) => {
    assert.equal(await tab.locator("#table-1 table.narrow tbody tr").count(), 3);
    assert.equal(await tab.locator(".panel.truth").count(), 0);
    assert.ok(await drawnEdges(tab, ".panel.all .board") > 0);
    assert.equal(await tab.locator("#curves .best").count(), 2);
  });
});

test("text from the data stays text", async () => {
  const page = examplePage(1);
  page.title = "</script><img src=x onerror=\"document.title='broken'\"> \u2028 <!-- &amp;";
  page.tables[0].rows[0].label = "<b>bold</b>";
  await withPage(page, {}, async (tab) => {
    assert.equal(await tab.locator("h1").textContent(), page.title);
    assert.equal(await tab.locator("#table-1 b, h1 img").count(), 0);
  });
});

test("the page that a run writes", { skip: process.env.FACTORGCN_PROGRAM ? false : "FACTORGCN_PROGRAM is not set" },
     async () => {
  const run = join(folder, "run");
  const words = ["train", "--quiet", "--epochs", "3", "--train-size", "200", "--validation-size", "50", "--test-size",
                 "50", "--out", run];
  const result = spawnSync(process.env.FACTORGCN_PROGRAM as string, words, { encoding: "utf8" });
  assert.equal(result.status, 0, result.stderr);
  await withPage(join(run, "page.html"), {}, async (tab) => {
    assert.deepEqual(await tab.locator("h2").allTextContents(),
                     ["Scores", "Factor graphs", "Intervals and further metrics", "Scores of each label",
                      "How well each true relation is told apart", "Do probabilities mean what they say?",
                      "Training curves"]);
    assert.equal(await tab.locator(".place").innerText(), "1 of 50");
    const scores = await tab.locator("#scores tbody th").allInnerTexts();
    for (const name of ["micro-F1", "GED", "AUC", "C-Score"]) {
      assert.ok(scores.some((score) => score.includes(name)), `${name} is among ${scores.join(", ")}`);
    }
    assert.ok(await drawnEdges(tab) > 0);
  });
});

test("bad data are refused in one readable sentence", async () => {
  const newer = { ...examplePage(1), version: 3 };
  await withPage(newer, {}, async (tab) => {
    assert.match(await tab.getByRole("alert").innerText(),
                 /This page cannot be shown[\s\S]*have version 3; this page shows versions up to 2/);
  });
});
