// From the data in this file to the page, part by part. What goes wrong is said on the page, in one sentence.
import { confusionSection } from "./confusion";
import { curvesSection } from "./curves";
import { type Page, PageDataError, readPage } from "./data";
import { html, rich } from "./dom";
import { graphsSection, grouped } from "./graphs/section";
import { heatmapSection } from "./heatmap";
import { linesSection } from "./lines";
import { reliabilitySection } from "./reliability";
import { contents, type Head } from "./section";
import { tableSection } from "./tables";
import { themeSwitch } from "./theme";

function head(page: Page): HTMLElement {
  return html(
    "header", { class: "page-head" },
    html("div", { class: "page-bar" }, html("span", { class: "program" }, page.program), themeSwitch()),
    html("h1", {}, rich(page.title)),
    page.subtitle ? html("p", { class: "subtitle" }, rich(page.subtitle)) : null,
    page.facts.length > 0
      ? html("dl", { class: "facts" }, page.facts.map(
          (fact) => html("div", {}, html("dt", {}, rich(fact.label)), html("dd", {}, rich(fact.value)))))
      : null,
    page.notes.length > 0
      ? html("div", { class: "notes" }, page.notes.map((note) => html("p", {}, rich(note))))
      : null);
}

interface Part {
  head: Head;
  make: () => HTMLElement;
}

/** Results first, then the graphs behind them, then how far to trust the model, then how training got there. */
function sections(page: Page): Part[] {
  const each = <T extends Head>(items: T[], make: (item: T) => HTMLElement): Part[] =>
    items.map((head) => ({ head, make: () => make(head) }));
  return [
    ...each(page.tables.filter((table) => !table.detail), tableSection),
    ...grouped(page.factor_graphs).map((parts) => ({ head: parts[0], make: () => graphsSection(parts) })),
    ...each(page.tables.filter((table) => table.detail), tableSection),
    ...each(page.confusions, confusionSection),
    ...each(page.reliabilities, reliabilitySection),
    ...each(page.curves, curvesSection),
    ...each(page.heatmaps, heatmapSection),
    ...each(page.lines, linesSection),
  ];
}

function show(page: Page, root: HTMLElement): void {
  document.title = page.title;
  const parts = sections(page);
  const made = [page.program, page.created].filter((text) => text !== "").join(", ");
  const list = contents(parts.map((part) => part.head));
  root.replaceChildren(html("a", { class: "skip", href: "#content" }, "Skip to the results"), head(page),
                       ...(list === null ? [] : [list]), html("main", { id: "content", tabindex: "-1" },
                            parts.map((part) => part.make())),
                       html("footer", {}, html("p", {}, made)));
}

function start(): void {
  const root = document.getElementById("factorgcn-page");
  if (root === null) {
    return;
  }
  try {
    show(readPage(document.getElementById("factorgcn-data")?.textContent ?? ""), root);
  } catch (error) {
    if (!(error instanceof PageDataError)) {
      console.error(error);
    }
    const text = error instanceof Error ? error.message : String(error);
    root.replaceChildren(html("main", { class: "failure", role: "alert" }, html("h1", {}, "This page cannot be shown"),
                              html("p", {}, text)));
  }
}

start();
