// Making elements in one expression. Text always becomes text nodes: nothing from the data is ever parsed as HTML.

export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;
export type Child = Node | string | null | undefined | false | Child[];

function apply(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (typeof value === "function") {
      element.addEventListener(name.replace(/^on/, ""), value as unknown as EventListener);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

function add(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) {
      add(element, child);
    } else if (child !== null && child !== undefined && child !== false) {
      element.append(child);
    }
  }
}

export function html<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {},
                                                            ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes);
  add(element, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {},
                                                          ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, attributes);
  add(element, children);
  return element;
}

/** Text with its indices set low: one capital after capitals and a low line, such as the E of "GED_E". */
export function rich(text: string): Child[] {
  // Pieces come in threes: what is before, the capitals, the index.
  const pieces = text.split(/\b([A-Z]+)_([A-Z])\b/);
  return pieces.map((piece, index): Child => index % 3 === 2 ? html("sub", {}, piece) : piece);
}

/** Text that only screen readers tell. */
export function spoken(text: string): HTMLElement {
  return html("span", { class: "spoken" }, text);
}

/** Calls `draw` with the element's width at once it is known and whenever it changes. */
export function onWidth(element: HTMLElement, draw: (width: number) => void): void {
  let last = -1;
  new ResizeObserver((entries) => {
    const width = Math.floor(entries[0].contentRect.width);
    if (width > 0 && width !== last) {
      last = width;
      draw(width);
    }
  }).observe(element);
}
