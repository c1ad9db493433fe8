// Which class is taken for which: a table of counts, shaded by the share of the row. On a narrow screen and for many
// classes the columns are numbers, explained by the rows' names.
import type { Confusion } from "./data";
import { html, onWidth, spoken } from "./dom";
import { formatCount } from "./numbers";
import { section } from "./section";

const NAMED = 84;  // pixels of a column with a name
const NUMBERED = 34;
const LABEL = 140;

function table(confusion: Confusion, numbered: boolean): HTMLElement {
  const { names, counts } = confusion;
  const size = names.length;
  const rows = names.map((_, row) => counts.slice(row * size, (row + 1) * size));
  const totals = rows.map((row) => row.reduce((sum, count) => sum + count, 0));
  const number = (index: number) => html("span", { class: "class-number" }, String(index + 1));
  return html(
    "table", { class: "confusion" },
    html("thead", {}, html("tr", {}, html("td", {}, html("span", { class: "corner" }, "true \u2193 predicted \u2192")),
                           names.map((name, index) => html("th", { scope: "col", title: name },
                                                           numbered ? [number(index), spoken(` ${name}`)] : name)),
                           html("th", { scope: "col", class: "total" }, "all"))),
    html("tbody", {}, rows.map((row, index) => html(
      "tr", {}, html("th", { scope: "row" }, numbered ? [number(index), " "] : null, names[index]),
      row.map((count, column) => {
        const share = totals[index] === 0 ? 0 : count / totals[index];
        const cell = html("td", { class: column === index ? "right" : count > 0 ? "wrong" : "",
                                  title: `${names[index]} taken for ${names[column]}: ${formatCount(count)} ` +
                                         `(${Math.round(100 * share)} % of them)` },
                          count === 0 ? html("span", { class: "zero" }, "0") : formatCount(count));
        cell.style.setProperty("--share", String(share));
        return cell;
      }),
      html("td", { class: "total" }, formatCount(totals[index]))))));
}

export function confusionSection(confusion: Confusion): HTMLElement {
  const place = html("div", { class: "confusion-place scrolls", tabindex: 0, role: "region",
                              "aria-label": confusion.title });
  const size = confusion.names.length;
  onWidth(place, (width) => place.replaceChildren(table(confusion, width < LABEL + (size + 1) * NAMED)));
  place.style.setProperty("--least", `${LABEL + (size + 1) * NUMBERED}px`);
  return section(confusion, "confusion-part", place);
}
