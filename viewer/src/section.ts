// The frame around every part of the page: heading, content, caption; and the list of contents made from the headings.
import { type Child, html, rich } from "./dom";

export interface Head {
  id: string;
  title: string;
  caption?: string;
}

export function section(head: Head, kind: string, content: Child, beside: Child = null): HTMLElement {
  return html(
    "section", { id: head.id, class: `part ${kind}`, "aria-labelledby": `${head.id}-title` },
    html("div", { class: "part-head" }, html("h2", { id: `${head.id}-title` }, rich(head.title)), beside),
    content,
    head.caption ? html("p", { class: "caption" }, rich(head.caption)) : null);
}

export function contents(heads: Head[]): HTMLElement | null {
  return heads.length < 2 ? null
    : html("nav", { class: "contents", "aria-label": "Contents" },
           html("ol", {}, heads.map((head) => html("li", {}, html("a", { href: `#${head.id}` }, rich(head.title))))));
}
