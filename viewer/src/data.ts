// What a page shows, as the C++ side writes it (include/factorgcn/report/page.h), and the check that stands at the
// door.
//
// A page may be opened years after it was written, or be edited by hand: whatever is wrong ends in one readable
// sentence that names the place, never in a half-drawn page. Cost: one pass over the data.

export const FORMAT = "factorgcn-page";
export const VERSION = 2;

export interface Fact {
  label: string;
  value: string;
}

export type Better = "higher" | "lower" | "none";

export interface Column {
  key: string;
  label: string;
  better: Better;
  digits: number;
  group?: string;
}

export interface Cell {
  value?: number | null;
  deviation?: number | null;
  count?: number;
  paper?: number | null;
  paper_deviation?: number | null;
  note?: string;
  text?: string;
}

export interface Row {
  label: string;
  cells: Record<string, Cell>;
  emphasis?: boolean;
}

export interface Table {
  id: string;
  title: string;
  caption?: string;
  protocol?: string;
  /** Below the graphs. */
  detail?: boolean;
  columns: Column[];
  rows: Row[];
}

export interface Series {
  name: string;
  panel: string;
  values: (number | null)[];
}

export interface CurveRun {
  label: string;
  series: Series[];
  best?: number | null;
}

export interface Curves {
  id: string;
  title: string;
  caption?: string;
  x_label: string;
  runs: CurveRun[];
}

export interface HeatmapPanel {
  label: string;
  size: number;
  values: (number | null)[];
  blocks?: number[];
  score_name?: string;
  score?: number | null;
}

export interface Heatmaps {
  id: string;
  title: string;
  caption?: string;
  value_label: string;
  panels: HeatmapPanel[];
}

export interface Line {
  label: string;
  y: (number | null)[];
  deviation?: (number | null)[];
  paper?: (number | null)[];
}

export interface Lines {
  id: string;
  title: string;
  caption?: string;
  x_label: string;
  y_label: string;
  log_x: boolean;
  x: number[];
  series: Line[];
}

/** Which class was taken for which: rows are true classes, columns predicted ones. */
export interface Confusion {
  id: string;
  title: string;
  caption?: string;
  names: string[];
  counts: number[];
}

export interface ReliabilityBin {
  from: number;
  to: number;
  count: number;
  said: number;
  came: number;
  low: number;
  high: number;
}

export interface Reliability {
  id: string;
  title: string;
  caption?: string;
  bins: ReliabilityBin[];
  error?: number;
  chance?: number;
}

/** Numbers as a list, or packed as one base64 text named by how (graphs/unpack.ts). */
export type Numbers = number[] | Partial<Record<"edges" | "deltas" | "words" | "raw" | "bytes" | "nibbles", string>>;

/** One true relation: `edges` are indices of node pairs. */
export interface Truth {
  type: number;
  edges: Numbers;
  missing?: number;
}

/** `kept`: the factor's strongest edges, as many as the relation has; what GED_E compares. */
export interface Match {
  truth: number;
  factor: number;
  ged: number;
  kept: Numbers;
}

/** What one layer makes of the edges: [edges, factors] in 0 .. 1. */
export interface Reading {
  coefficients: Numbers;
  matches: Match[];
  ged?: number | null;
}

export interface Sample {
  id: string;
  label: string;
  nodes: number;
  edge_count: number;
  node_labels?: string[];
  /** s, t, s, t, ... with s < t, ascending. */
  edges: Numbers;
  /** Per edge: 0 both ways, 1 from s to t, 2 from t to s. */
  directions?: Numbers;
  layers: Reading[];
  certainty?: Numbers;
  truth: Truth[];
  /** Per colouring a label per node; -1: none. */
  colours: Numbers[];
  facts?: Fact[];
}

export interface Colouring {
  name: string;
  labels: string[];
}

export interface Layer {
  name: string;
  factors: string[];
  /** Per factor the colouring that belongs to it; -1: none. */
  own_colouring?: number[];
}

export interface FactorGraphs {
  id: string;
  title: string;
  caption?: string;
  /** Neighbours of one title share a section, which chooses among their variants. */
  variant?: string;
  /** What a factor is called. */
  word: string;
  /** What an edge has of it; a coefficient where nothing is said. */
  value?: string;
  layers: Layer[];
  shown_layer: number;
  types: string[];
  colourings: Colouring[];
  left_out: string[];
  /** What `ged` of samples and matches is called. */
  score_label: string;
  samples: Sample[];
}

export interface Page {
  format: string;
  version: number;
  title: string;
  subtitle: string;
  program: string;
  created: string;
  facts: Fact[];
  notes: string[];
  tables: Table[];
  curves: Curves[];
  heatmaps: Heatmaps[];
  lines: Lines[];
  confusions: Confusion[];
  reliabilities: Reliability[];
  factor_graphs: FactorGraphs[];
}

/** The data are not what this page can show; the message is one sentence for people. */
export class PageDataError extends Error {}

function fail(message: string): never {
  throw new PageDataError(message);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return "nothing";
  }
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `${typeof value}`;
}

/** Reads one object's members and says where a wrong one stands. */
class Reader {
  constructor(private readonly value: Record<string, unknown>, readonly where: string) {}

  static of(value: unknown, where: string): Reader {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      fail(`${where} is ${kindOf(value)}; an object was expected`);
    }
    return new Reader(value as Record<string, unknown>, where);
  }

  text(key: string): string {
    const value = this.value[key];
    return typeof value === "string" ? value : fail(`${this.where}.${key} is ${kindOf(value)}; a text was expected`);
  }

  optionalText(key: string): void {
    if (this.value[key] !== undefined) {
      this.text(key);
    }
  }

  whole(key: string, low: number, high: number): number {
    const value = this.value[key];
    if (typeof value !== "number" || !Number.isInteger(value) || value < low || value > high) {
      fail(`${this.where}.${key} is ${typeof value === "number" ? value : kindOf(value)}; ` +
           `a whole number from ${low} to ${high} was expected`);
    }
    return value as number;
  }

  optionalNumber(key: string): void {
    const value = this.value[key];
    if (value !== undefined && value !== null && typeof value !== "number") {
      fail(`${this.where}.${key} is ${kindOf(value)}; a number was expected`);
    }
  }

  list(key: string): unknown[] {
    const value = this.value[key];
    return Array.isArray(value) ? value : fail(`${this.where}.${key} is ${kindOf(value)}; a list was expected`);
  }

  has(key: string): boolean {
    return this.value[key] !== undefined;
  }

  get(key: string): unknown {
    return this.value[key];
  }

  each(key: string, read: (reader: Reader, index: number) => void): void {
    this.list(key).forEach((item, index) => read(Reader.of(item, `${this.where}.${key}[${index}]`), index));
  }

  texts(key: string): string[] {
    return this.list(key).map((item, index) =>
      typeof item === "string" ? item
                               : fail(`${this.where}.${key}[${index}] is ${kindOf(item)}; a text was expected`));
  }

  numbers(key: string, length: number | null, reason: string, nulls: boolean): void {
    const list = this.list(key);
    if (length !== null && list.length !== length) {
      fail(`${this.where}.${key} has ${list.length} values; ${length} were expected (${reason})`);
    }
    list.forEach((item, index) => {
      if (!(typeof item === "number" && Number.isFinite(item)) && !(nulls && item === null)) {
        fail(`${this.where}.${key}[${index}] is ${kindOf(item)}; a number was expected`);
      }
    });
  }

  number(key: string): void {
    const value = this.value[key];
    if (typeof value !== "number" || !Number.isFinite(value)) {
      fail(`${this.where}.${key} is ${kindOf(value)}; a number was expected`);
    }
  }

  /** A list of indices, of a given length where one is given; packed ones are checked when they are unpacked. */
  indices(key: string, count: number, what: string, length: number | null = null): void {
    if (this.isPacked(key)) {
      return;
    }
    const list = this.list(key);
    if (length !== null && list.length !== length) {
      fail(`${this.where}.${key} has ${list.length} values; ${length} were expected`);
    }
    list.forEach((item, index) => {
      if (typeof item !== "number" || !Number.isInteger(item) || item < 0 || item >= count) {
        fail(`${this.where}.${key}[${index}] is ${typeof item === "number" ? item : kindOf(item)}; ` +
             `there are ${count} ${what}`);
      }
    });
  }

  shares(key: string, length: number, reason: string): void {
    if (!this.isPacked(key)) {
      this.numbers(key, length, reason, false);
    }
  }

  /** A sample's colours: one list per colouring, one label or -1 per node. */
  coloursOf(nodes: number, colourings: Colouring[]): void {
    const lists = this.list("colours");
    if (lists.length !== colourings.length) {
      fail(`${this.where}.colours has ${lists.length} lists; there are ${colourings.length} colourings`);
    }
    lists.forEach((list, index) => {
      const where = `${this.where}.colours[${index}]`;
      if (isPackedValue(list)) {
        return;
      }
      if (!Array.isArray(list) || list.length !== nodes) {
        fail(`${where} is ${kindOf(list)} of ${Array.isArray(list) ? list.length : 0}; ${nodes} nodes have a colour`);
      }
      list.forEach((label) => {
        if (!Number.isInteger(label) || label < -1 || label >= colourings[index].labels.length) {
          fail(`${where} holds ${label}; "${colourings[index].name}" has ${colourings[index].labels.length} labels`);
        }
      });
    });
  }

  isPacked(key: string): boolean {
    return isPackedValue(this.value[key]);
  }

  raw(): Record<string, unknown> {
    return this.value;
  }
}

function isPackedValue(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
         Object.values(value).length === 1 && typeof Object.values(value)[0] === "string";
}

function checkHead(reader: Reader, ids: Set<string>): void {
  const id = reader.text("id");
  if (!/^[A-Za-z0-9_-]+$/.test(id)) {
    fail(`${reader.where}.id is "${id}"; letters, digits, - and _ were expected`);
  }
  if (ids.has(id)) {
    fail(`${reader.where}.id is "${id}", which another part of the page has already`);
  }
  ids.add(id);
  reader.text("title");
  reader.optionalText("caption");
}

function checkFacts(reader: Reader): void {
  reader.each("facts", (fact) => {
    fact.text("label");
    fact.text("value");
  });
}

function checkTable(table: Reader): void {
  table.optionalText("protocol");
  table.each("columns", (column) => {
    column.text("key");
    column.text("label");
    column.whole("digits", 0, 12);
    column.optionalText("group");
    if (!["higher", "lower", "none"].includes(column.text("better"))) {
      fail(`${column.where}.better is "${column.text("better")}"; higher, lower or none was expected`);
    }
  });
  table.each("rows", (row) => {
    row.text("label");
    const cells = Reader.of(row.get("cells"), `${row.where}.cells`);
    for (const key of Object.keys(row.get("cells") as object)) {
      const cell = Reader.of(cells.get(key), `${cells.where}.${key}`);
      for (const name of ["value", "deviation", "count", "paper", "paper_deviation"]) {
        cell.optionalNumber(name);
      }
      cell.optionalText("note");
      cell.optionalText("text");
    }
  });
}

function checkCurves(curves: Reader): void {
  curves.text("x_label");
  curves.each("runs", (run) => {
    run.text("label");
    run.optionalNumber("best");
    run.each("series", (series) => {
      series.text("name");
      series.text("panel");
      series.numbers("values", null, "", true);
    });
  });
}

function checkHeatmaps(heatmaps: Reader): void {
  heatmaps.text("value_label");
  heatmaps.each("panels", (panel) => {
    panel.text("label");
    const size = panel.whole("size", 1, 4096);
    panel.numbers("values", size * size, `${size} x ${size}`, true);
    if (panel.has("blocks")) {
      panel.numbers("blocks", null, "", false);
      const total = (panel.get("blocks") as number[]).reduce((sum, block) => sum + block, 0);
      if (total > size) {
        fail(`${panel.where}.blocks add up to ${total}; the matrix has ${size} rows`);
      }
    }
    panel.optionalText("score_name");
    panel.optionalNumber("score");
  });
}

function checkLines(lines: Reader): void {
  lines.text("x_label");
  lines.text("y_label");
  if (typeof lines.get("log_x") !== "boolean") {
    fail(`${lines.where}.log_x is ${kindOf(lines.get("log_x"))}; true or false was expected`);
  }
  lines.numbers("x", null, "", false);
  const count = lines.list("x").length;
  lines.each("series", (series) => {
    series.text("label");
    series.numbers("y", count, "one per x", true);
    for (const key of ["deviation", "paper"]) {
      if (series.has(key)) {
        series.numbers(key, count, "one per x", true);
      }
    }
  });
}

function checkConfusion(confusion: Reader): void {
  const classes = confusion.texts("names").length;
  confusion.numbers("counts", classes * classes, `${classes} x ${classes}`, false);
}

function checkReliability(reliability: Reader): void {
  reliability.optionalNumber("error");
  reliability.optionalNumber("chance");
  reliability.each("bins", (bin) => {
    for (const key of ["from", "to", "count", "said", "came", "low", "high"]) {
      bin.number(key);
    }
  });
}

function checkReading(reading: Reader, factors: number, edges: number, parts: number): void {
  reading.shares("coefficients", edges * factors, `${edges} edges x ${factors} factors`);
  reading.each("matches", (match) => {
    match.whole("truth", 0, Math.max(parts - 1, 0));
    match.whole("factor", -1, factors - 1);
    match.indices("kept", edges, "edges");
    match.optionalNumber("ged");
  });
  reading.optionalNumber("ged");
}

function checkSample(sample: Reader, part: FactorGraphs): void {
  sample.text("label");
  const nodes = sample.whole("nodes", 0, 1e9);
  const edges = sample.whole("edge_count", 0, 1e9);
  if (sample.has("node_labels") && sample.texts("node_labels").length !== nodes) {
    fail(`${sample.where}.node_labels has ${sample.list("node_labels").length} texts; there are ${nodes} nodes`);
  }
  sample.indices("edges", nodes, "nodes", 2 * edges);
  if (sample.has("directions")) {
    sample.indices("directions", 3, "directions", edges);
  }
  const parts = sample.list("truth").length;
  if (sample.list("layers").length !== part.layers.length) {
    fail(`${sample.where}.layers has ${sample.list("layers").length} readings; there are ${part.layers.length} layers`);
  }
  sample.each("layers", (reading, layer) => checkReading(reading, part.layers[layer].factors.length, edges, parts));
  if (sample.has("certainty")) {
    sample.shares("certainty", edges, "one per edge");
  }
  sample.each("truth", (truth) => {
    truth.whole("type", 0, Math.max(part.types.length - 1, 0));
    truth.indices("edges", edges, "edges");
  });
  sample.coloursOf(nodes, part.colourings);
  if (sample.has("facts")) {
    checkFacts(sample);
  }
}

function checkFactorGraphs(part: Reader): void {
  part.optionalText("variant");
  part.text("word");
  part.optionalText("value");
  part.texts("types");
  part.texts("left_out");
  part.text("score_label");
  part.each("colourings", (colouring) => {
    colouring.text("name");
    colouring.texts("labels");
  });
  const colourings = part.list("colourings").length;
  part.each("layers", (layer) => {
    layer.text("name");
    if (layer.texts("factors").length === 0) {
      fail(`${layer.where}.factors is empty; at least one was expected`);
    }
    if (layer.has("own_colouring")) {
      layer.numbers("own_colouring", layer.list("factors").length, "one per factor", false);
      if ((layer.get("own_colouring") as number[]).some((index) => index >= colourings)) {
        fail(`${layer.where}.own_colouring names a colouring beyond the ${colourings} there are`);
      }
    }
  });
  part.whole("shown_layer", 0, Math.max(part.list("layers").length - 1, 0));
  if (part.list("layers").length === 0) {
    fail(`${part.where}.layers is empty; at least one was expected`);
  }
  const seen = new Set<string>();
  part.each("samples", (sample) => {
    const id = sample.text("id");
    if (seen.has(id)) {
      fail(`${sample.where}.id is "${id}", which another sample has already`);
    }
    seen.add(id);
    checkSample(sample, part.raw() as unknown as FactorGraphs);
  });
}

/** The page in `text`; throws PageDataError with a sentence that can be shown. */
export function readPage(text: string): Page {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail(`The data in this file are damaged: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const page = Reader.of(value, "page");
  if (page.get("format") !== FORMAT) {
    fail(`The data in this file are not a ${FORMAT}: "format" is ${JSON.stringify(page.get("format") ?? null)}.`);
  }
  const version = page.whole("version", 1, 1e6);
  if (version > VERSION) {
    fail(`The data in this file have version ${version}; this page shows versions up to ${VERSION}. ` +
         "Write it again with the program that made the data.");
  }
  for (const key of ["title", "subtitle", "program", "created"]) {
    page.text(key);
  }
  checkFacts(page);
  page.texts("notes");
  const ids = new Set<string>();
  const parts: [string, (reader: Reader) => void][] = [
    ["tables", checkTable],
    ["curves", checkCurves],
    ["heatmaps", checkHeatmaps],
    ["lines", checkLines],
    ["confusions", checkConfusion],
    ["reliabilities", checkReliability],
    ["factor_graphs", checkFactorGraphs],
  ];
  for (const [key, check] of parts) {
    page.each(key, (part) => {
      checkHead(part, ids);
      check(part);
    });
  }
  return value as Page;
}
