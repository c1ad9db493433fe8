// Tables with the paper's value below ours and the difference marked.
//
// Where the columns do not fit the width (a phone), and for tables of one row, every row becomes a small table of its
// own with one line per column: nothing ever scrolls sideways.
import { compare, type Comparison, type Verdict, VERDICTS } from "./compare";
import type { Cell, Column, Row, Table } from "./data";
import { type Child, html, onWidth, rich, spoken } from "./dom";
import { formatSigned, formatSpread, isNumber, MISSING } from "./numbers";
import { section } from "./section";

const LABEL_WIDTH = 150;
const NUMBER_WIDTH = 118;
const LONG_TEXT = 26;

/** Footnotes in the order of their first use. */
class Notes {
  private readonly texts: string[] = [];

  mark(text: string | undefined): HTMLElement | null {
    if (!text) {
      return null;
    }
    if (!this.texts.includes(text)) {
      this.texts.push(text);
    }
    const letter = this.letter(this.texts.indexOf(text));
    return html("sup", { class: "note-mark", title: text }, spoken("note "), letter);
  }

  list(): HTMLElement | null {
    return this.texts.length === 0 ? null
      : html("ol", { class: "table-notes" },
             this.texts.map((text, index) => html("li", {}, html("sup", {}, this.letter(index)), " ", rich(text))));
  }

  private letter(index: number): string {
    return String.fromCharCode("a".charCodeAt(0) + (index % 26));
  }
}

function ours(cell: Cell | undefined, column: Column): string {
  if (cell === undefined) {
    return MISSING;
  }
  return cell.text ? cell.text : formatSpread(cell.value, cell.deviation, column.digits);
}

function paper(cell: Cell | undefined, column: Column): string {
  return formatSpread(cell?.paper, cell?.paper_deviation, column.digits);
}

function difference(cell: Cell | undefined, column: Column): Comparison | null {
  return cell === undefined ? null : compare(cell, column.better, column.digits);
}

function differenceContent(found: Comparison | null, digits: number): (Node | string)[] {
  if (found === null) {
    return [MISSING];
  }
  const { mark, words } = VERDICTS[found.verdict];
  return [html("span", { class: "mark", title: words, "aria-hidden": "true" }, mark), " ",
          formatSigned(found.difference, digits), spoken(`, ${words}`)];
}

function differenceCell(cell: Cell | undefined, column: Column): HTMLElement {
  const found = difference(cell, column);
  return html("td", { class: `number difference ${found?.verdict ?? ""}` }, differenceContent(found, column.digits));
}

/** Words rather than figures: set from the left. */
function isProse(table: Table, column: Column): boolean {
  return table.rows.some((row) => (row.cells[column.key]?.text ?? "").length > LONG_TEXT);
}

function oursCell(cell: Cell | undefined, column: Column, notes: Notes, prose = false): HTMLElement {
  const runs = cell?.count && cell.count > 1 ? `mean of ${cell.count} runs` : null;
  return html("td", { class: prose ? "prose" : cell?.text ? "text" : "number ours", title: runs }, ours(cell, column),
              notes.mark(cell?.note));
}

function columnLabel(column: Column): Child[] {
  const arrow = column.better === "higher" ? "\u2191" : column.better === "lower" ? "\u2193" : "";
  return arrow === "" ? rich(column.label)
    : [rich(column.label), "\u00a0",
       html("span", { class: "direction", title: `${column.better} is better` },
            html("span", { "aria-hidden": "true" }, arrow), spoken(`${column.better} is better`))];
}

function hasPaper(row: Row, columns: Column[]): boolean {
  return columns.some((column) => isNumber(row.cells[column.key]?.paper));
}

function groupRow(columns: Column[]): HTMLElement | null {
  if (!columns.some((column) => column.group)) {
    return null;
  }
  const cells: HTMLElement[] = [html("td", {})];
  for (let start = 0; start < columns.length;) {
    let end = start + 1;
    while (end < columns.length && columns[end].group === columns[start].group) {
      ++end;
    }
    cells.push(html("th", { scope: "colgroup", colspan: end - start, class: columns[start].group ? "group" : "" },
                    columns[start].group ?? ""));
    start = end;
  }
  return html("tr", { class: "groups" }, cells);
}

/** One body of up to three lines per row: ours, the paper's, the difference. */
function wideTable(table: Table, notes: Notes): HTMLElement {
  const { columns } = table;
  return html(
    "table", { class: "wide" },
    html("thead", {}, groupRow(columns),
         html("tr", {}, html("td", {}),
              columns.map((column) => html("th", { scope: "col", class: isProse(table, column) ? "prose" : "number" },
                                           columnLabel(column))))),
    table.rows.map((row) => {
      const cells = columns.map((column) => row.cells[column.key]);
      return html(
        "tbody", { class: row.emphasis ? "emphasis" : "" },
        html("tr", {}, html("th", { scope: "rowgroup" }, row.label),
             columns.map((column, index) => oursCell(cells[index], column, notes, isProse(table, column)))),
        hasPaper(row, columns) && [
          html("tr", { class: "paper" }, html("th", { scope: "row" }, "paper"),
               columns.map((column, index) => html("td", { class: "number" }, paper(cells[index], column)))),
          html("tr", { class: "differences" }, html("th", { scope: "row" }, "difference"),
               columns.map((column, index) => differenceCell(cells[index], column))),
        ]);
    }));
}

/** One line per column of a row: its label, ours, the paper's, the difference. */
function narrowTable(row: Row, table: Table, notes: Notes): HTMLElement {
  const withPaper = hasPaper(row, table.columns);
  return html(
    "table", { class: `narrow ${row.emphasis ? "emphasis" : ""} ${withPaper ? "" : "plain"}` },
    html("caption", {}, row.label),
    withPaper && html("thead", {}, html("tr", {}, html("td", {}), ["ours", "paper", "difference"].map(
      (name) => html("th", { scope: "col", class: "number" }, name)))),
    // A line of dashes would say nothing.
    html("tbody", {}, table.columns.filter((column) => row.cells[column.key] !== undefined).map((column) => {
      const cell = row.cells[column.key];
      return html(
        "tr", {},
        html("th", { scope: "row" }, column.group ? `${column.group}, ` : "", columnLabel(column)),
        oursCell(cell, column, notes),
        withPaper && [html("td", { class: "number paper-value" }, paper(cell, column)), differenceCell(cell, column)]);
    })));
}

function legend(table: Table): HTMLElement | null {
  const used = new Set<Verdict>();
  for (const row of table.rows) {
    for (const column of table.columns) {
      const found = difference(row.cells[column.key], column);
      if (found !== null) {
        used.add(found.verdict);
      }
    }
  }
  return used.size === 0 ? null
    : html("ul", { class: "verdicts", "aria-label": "Marks" },
           (Object.keys(VERDICTS) as Verdict[]).filter((verdict) => used.has(verdict)).map((verdict) =>
             html("li", { class: verdict },
                  html("span", { class: "mark", "aria-hidden": "true" }, VERDICTS[verdict].mark), " ",
                  VERDICTS[verdict].words)));
}

export function tableSection(table: Table): HTMLElement {
  const place = html("div", { class: "table-place" });
  const below = html("div", { class: "table-below" });
  const needed = LABEL_WIDTH + NUMBER_WIDTH * table.columns.length;
  onWidth(place, (width) => {
    const notes = new Notes();
    const narrow = table.rows.length === 1 || width < needed;
    place.classList.toggle("is-narrow", narrow);
    place.replaceChildren(...(narrow ? table.rows.map((row) => narrowTable(row, table, notes))
                                     : [wideTable(table, notes)]));
    below.replaceChildren(...[legend(table), notes.list()].filter((item): item is HTMLElement => item !== null));
  });
  const badge = table.protocol ? html("span", { class: "badge" }, `${table.protocol} protocol`) : null;
  return section(table, "table", [place, below], badge);
}
