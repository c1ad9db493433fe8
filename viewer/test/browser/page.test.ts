// The page in a real browser, opened from disk: what is there, what reacts, and that nothing goes to a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { type Browser, chromium, type Page as Tab } from "playwright-core";

import { examplePage, pageHtml } from "../example";

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

const drawnEdges = (tab: Tab) => tab.locator(".panel.factor .edge:not(.missing)").count();

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
                     ["Synthetic data, four factor graphs", "Factor graphs", "Training curves",
                      "Correlation of features", "Weight of the discriminator"]);
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
  const { samples, factors } = page.factor_graphs[0];
  const expected = (threshold: number) => samples[0].coefficients.filter((value) => value >= threshold).length;
  assert.equal(samples[0].coefficients.length % factors, 0);
  await withPage(page, {}, async (tab) => {
    await setThreshold(tab, 0.5);
    assert.equal(await drawnEdges(tab), expected(0.5));
    await setThreshold(tab, 0.8);
    assert.equal(await drawnEdges(tab), expected(0.8));
    await setThreshold(tab, 0);
    assert.equal(await drawnEdges(tab), samples[0].coefficients.length);
    assert.equal(await tab.locator("output").innerText(), "0.00");
    // By keyboard: the slider's own keys.
    await tab.locator("input.threshold").focus();
    await tab.keyboard.press("End");
    assert.equal(await drawnEdges(tab), expected(1));
  });
});

test("as GED_E counts: each matched factor draws as many edges as its part has, and as many differ as the score says",
     async () => {
  const page = examplePage();
  const sample = page.factor_graphs[0].samples[0];
  await withPage(page, {}, async (tab) => {
    assert.ok(await tab.getByLabel("as GEDE counts").isChecked());  // the first look
    for (const match of sample.matches) {
      const panel = tab.locator(".panel.factor").nth(match.factor);
      assert.equal(await panel.getAttribute("data-drawn"), String(sample.truth[match.truth].edges.length));
      assert.ok((await panel.innerText()).includes(`${match.ged} differ`));
    }
    await tab.getByLabel("strongest share").check();
    await setThreshold(tab, 0.25);
    const kept = Math.ceil(sample.edges.length / 2 * 0.25);
    assert.equal(await drawnEdges(tab), kept * page.factor_graphs[0].factors);
    assert.equal(await tab.locator("output").innerText(), "25 %");
    await tab.getByLabel("as GEDE counts").check();
    const scored = sample.matches[0];
    assert.equal(await tab.locator(".panel.factor").nth(scored.factor).getAttribute("data-drawn"),
                 String(scored.kept.length));
  });
});

test("the truth can be laid over or left away; isolated nodes can be shown", async () => {
  const page = examplePage();
  const sample = page.factor_graphs[0].samples[0];
  await withPage(page, {}, async (tab) => {
    assert.ok(await tab.locator(".panel.factor .edge.hit").count() > 0);
    await tab.getByLabel("compare with the truth").uncheck();
    const judged = ["hit", "missing", "extra"].map((kind) => `.panel.factor .edge.${kind}`).join(", ");
    assert.equal(await tab.locator(judged).count(), 0);
    assert.equal(await tab.locator(".node.faint").count(), 0);
    const before = await tab.locator(".panel.input .node").count();
    assert.equal(before, new Set(sample.edges).size);
    await tab.getByLabel("isolated nodes").check();
    assert.equal(await tab.locator(".panel.input .node").count(), sample.nodes);
  });
});

test("hovering an edge shows its value in every factor and marks it in all panels", async () => {
  const page = examplePage();
  const { samples, factors } = page.factor_graphs[0];
  await withPage(page, {}, async (tab) => {
    await tab.locator(".panel.input svg").scrollIntoViewIfNeeded();
    const line = tab.locator(".panel.input .edge").first();
    const edge = Number(await line.getAttribute("data-edge"));
    const place = await line.evaluate((item) => {
      const box = item.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
    await tab.mouse.move(place.x, place.y);
    await tab.locator(".tooltip").waitFor({ state: "visible" });
    const text = await tab.locator(".tooltip").innerText();
    for (let factor = 0; factor < factors; ++factor) {
      assert.ok(text.includes(samples[0].coefficients[edge * factors + factor].toFixed(3)), text);
    }
    assert.equal(await tab.locator(".mark-edge").count(), 1 + 2 + factors);
    await tab.mouse.move(2, 2);
    await tab.locator(".tooltip").waitFor({ state: "hidden" });
  });
});

test("keys: arrows walk samples and edges, focus is visible and survives", async () => {
  const page = examplePage();
  await withPage(page, {}, async (tab) => {
    const panel = tab.locator(".panel.factor svg").first();
    await panel.focus();
    await tab.keyboard.press("ArrowRight");
    assert.equal(await tab.locator(".place").innerText(), "2 of 40");
    assert.match(await tab.locator(".sample-title").innerText(), /Sample 16001/);
    assert.ok(await panel.evaluate((item) => item === document.activeElement));
    const outline = await panel.evaluate((item) => getComputedStyle(item).outlineStyle);
    assert.equal(outline, "solid");
    await tab.keyboard.press("ArrowDown");
    await tab.locator(".tooltip").waitFor({ state: "visible" });
    assert.match(await tab.locator(".factor-view [aria-live].spoken").innerText(), /^edge \d+ to \d+: factor 1/);
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
    const field = tab.getByRole("combobox", { name: "Search a sample by id or label" });
    await field.fill("16017");
    assert.equal(await tab.locator(".finds li").count(), 1);
    await field.press("Enter");
    assert.match(await tab.locator(".sample-title").innerText(), /Sample 16017/);
    await field.fill("grid");
    assert.ok(await tab.locator(".finds li").count() > 1);
    await field.press("ArrowDown");
    await field.press("Enter");
    assert.match(await tab.locator(".sample-title").innerText(), /grid/);
    await field.fill("zebra");
    assert.equal(await tab.locator(".finds").innerText(), "no sample matches");
    await field.press("Escape");
    await tab.getByLabel("Order of the samples").selectOption("worst");
    const worst = Math.max(...examplePage().factor_graphs[0].samples.map((sample) => sample.ged ?? 0));
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
            (box.right > innerWidth + 0.5 || box.left < -0.5);
      });
      return { width: document.documentElement.scrollWidth, items: items.map((item) => item.outerHTML.slice(0, 90)) };
    });
    assert.deepEqual(outside, { width: 360, items: [] });
    assert.equal(await tab.locator("#table-1 table.narrow").count(), 3);
    assert.equal(await tab.locator("#table-1 table.wide").count(), 0);
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
    await tab.locator(".panel.input svg").focus();
    for (let step = 2; step <= 12; ++step) {
      await tab.keyboard.press("ArrowRight");
      await tab.locator(".place", { hasText: `${step} of 2,000` }).waitFor();
    }
    const field = tab.locator(".search");
    for (const query of ["1", "17", "179", "1799", "17999"]) {
      await field.fill(query);
    }
    await field.press("Enter");
    assert.match(await tab.locator(".sample-title").innerText(), /Sample 17999/);
    assert.ok(await tab.locator(".finds li").count() <= 8);
    assert.ok(await tab.locator("svg").count() < 60);  // one sample is drawn, not two thousand
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
    Object.assign(sample, { truth: [], matches: [], ged: undefined, facts: undefined });
  }
  page.factor_graphs[0].types = [];
  await withPage(page, {}, async (tab) => {
    assert.equal(await tab.locator("#table-1 table.narrow tbody tr").count(), 3);
    assert.equal(await tab.locator(".panel.truth").count(), 0);
    assert.equal(await tab.locator(".panel.factor .edge.plain").count(), await drawnEdges(tab));
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
                     ["Scores", "Intervals and further metrics", "Factor graphs", "Training curves"]);
    assert.equal(await tab.locator(".place").innerText(), "1 of 50");
    assert.equal(await tab.locator("#scores tbody tr").count(), 3);
    assert.ok(await drawnEdges(tab) > 0);
  });
});

test("bad data are refused in one readable sentence", async () => {
  const newer = { ...examplePage(1), version: 2 };
  await withPage(newer, {}, async (tab) => {
    assert.match(await tab.getByRole("alert").innerText(),
                 /This page cannot be shown[\s\S]*have version 2; this page shows versions up to 1/);
  });
});
