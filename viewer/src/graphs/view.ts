// The graph section at work: which graph, which part of it, which drawings, and what is said about them.
//
// One drawing of all factors or one drawing per factor (with the true part that it stands for above it); all move and
// zoom together. Only the graph at hand is unpacked, laid out and drawn.
import type { FactorGraphs, Sample } from "../data";
import { html, rich } from "../dom";
import { onSteps } from "../keyboard";
import { formatCount, formatFixed, isNumber } from "../numbers";
import { onThemeChange } from "../theme";
import type { Board, Owner } from "./board";
import { Controls } from "./control_bar";
import { asCsv, asPng, asSvg, fileName, save } from "./downloads";
import { Drawings } from "./drawings";
import { Graph } from "./graph";
import { expanded, FIRST, grown, STEP, strengthIn, typicalNode } from "./neighbourhood";
import type { Target } from "./paint";
import { isDrawnWhole, Picture } from "./picture";
import { makePicker, type Picker } from "./picker";
import { NodeIndex } from "./search";
import { State } from "./state";
import { Tooltip } from "./tooltip";
import { boxOf, type Look, lookAt } from "./viewport";

const KEPT = 48;  // graphs that stay laid out

interface Opened {
  graph: Graph;
  picture: Picture;
  nodes: NodeIndex;
}

export class View {
  readonly element: HTMLElement;
  private readonly state: State;
  private readonly controls: Controls;
  private readonly tooltip = new Tooltip();
  private readonly drawings: Drawings;
  private readonly heading = html("h3", { class: "sample-title" });
  private readonly facts = html("dl", { class: "sample-facts" });
  private readonly picker: Picker | null;
  private readonly opened = new Map<Sample, Opened>();
  private readonly owner: Owner;
  private look: Look = { cx: 0, cy: 0, zoom: 1 };
  private target: Target = null;

  constructor(private readonly part: FactorGraphs) {
    this.state = new State(part);
    this.owner = {
      look: () => this.look,
      box: () => boxOf(this.now.picture, this.state.isolated),
      setLook: (look) => {
        this.look = look;
        this.drawings.boards.forEach((board) => board.redraw());
      },
      point: (target, board, event) => this.point(target, board, event),
      nodesMoved: () => this.drawings.boards.forEach((board) => board.redraw()),
      open: (node) => this.expand(node),
    };
    const hasTruth = part.samples.some((sample) => sample.truth.length > 0);
    this.controls = new Controls(part, this.state, hasTruth, {
      changed: () => this.draw(),
      layerChanged: () => {
        this.drawings.build();
        this.draw();
      },
      zoom: (factor) => this.zoom(factor),
      whole: () => this.showWhole(),
      findNode: (query, limit) => this.now.nodes.find(query, limit).map((node) => ({
        key: node, lead: "", text: this.now.graph.name(node),
        more: isDrawnWhole(this.now.graph) ? "" : `${formatCount(this.now.graph.degree(node))} edges`,
      })),
      takeNode: (node) => this.visit(node),
      grow: () => this.grow(),
      restart: () => this.restart(),
      download: (kind) => this.download(kind),
    });
    this.drawings = new Drawings(part, this.state, hasTruth, this.owner, () => this.draw(),
                                 (counts) => this.controls.sayDrawn(counts));
    this.picker = part.samples.length < 2 ? null
      : makePicker(part.id, part.samples, part.score_label,
                   (sample) => sample.layers[Math.min(this.state.layer, sample.layers.length - 1)].ged,
                   (index) => this.choose(part.samples[index]));
    this.element = html(
      "div", { class: "factor-view" }, this.picker?.element ?? null,
      html("div", { class: "sample-head" }, this.heading, this.facts),
      this.controls.top, html("div", { class: "stage-bar" }, this.controls.hoods, this.controls.zooms),
      this.drawings.element,
      this.drawings.legend, this.controls.bottom,
      part.left_out.length > 0
        ? html("ul", { class: "left-out", "aria-label": "What is left out" }, part.left_out.map(
            (text) => html("li", {}, text))) : null,
      this.tooltip.element, this.tooltip.live);
    if (this.picker === null) {
      this.choose(part.samples[0]);
    }
    this.listen();
  }

  private sample!: Sample;

  private get now(): Opened {
    return this.opened.get(this.sample) as Opened;
  }

  private listen(): void {
    onThemeChange(() => this.drawings.boards.forEach((board) => board.redraw()));
    document.addEventListener("pointerdown", (event) => {
      if (!(event.target as Element | null)?.closest(".board")) {
        this.point(null, null, null);
      }
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    onSteps(this.element, (step) => {
      switch (step) {
        case "left": return this.side(-1);
        case "right": return this.side(1);
        case "first": this.picker?.jump("first"); return this.picker !== null;
        case "last": this.picker?.jump("last"); return this.picker !== null;
        case "up": return this.walk(-1);
        case "down": return this.walk(1);
        case "escape":
          this.point(null, null, null);
          return true;
      }
    });
  }

  /** Left and right: the sample before or after, or the drawing where there is one graph. */
  private side(by: number): boolean {
    if (this.picker !== null) {
      this.picker.move(by);
      return true;
    }
    const board = this.drawings.focused;
    if (board !== undefined) {
      this.owner.setLook(board.transform.moved(-60 * by, 0));
    }
    return board !== undefined;
  }

  private key(event: KeyboardEvent): void {
    const board = this.drawings.focused;
    if (board === undefined || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const arrows: Record<string, [number, number]> =
      { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (event.shiftKey && event.key in arrows) {
      this.owner.setLook(board.transform.moved(...arrows[event.key]));
    } else if (event.key === "+" || event.key === "=") {
      this.zoom(1.4);
    } else if (event.key === "-") {
      this.zoom(1 / 1.4);
    } else if (event.key === "0") {
      this.showWhole();
    } else if (event.key === "n" || event.key === "N") {
      this.walkNodes(event.shiftKey ? -1 : 1, board);
    } else if (event.key === "Enter" && this.target !== null && "node" in this.target) {
      this.expand(this.target.node);
    } else {
      return;
    }
    event.preventDefault();
  }

  private zoom(factor: number): void {
    const board = this.drawings.boards[0];
    const [width, height] = board.size;
    this.owner.setLook(board.transform.zoomed(factor, width / 2, height / 2));
  }

  private showWhole(): void {
    this.owner.setLook(lookAt(this.owner.box()));
  }

  private choose(sample: Sample): void {
    this.sample = sample;
    if (!this.opened.has(sample)) {
      if (this.opened.size >= KEPT) {
        this.opened.clear();
      }
      const graph = new Graph(sample, this.part);
      const picture = isDrawnWhole(graph) ? Picture.whole(graph)
        : new Picture(graph, grown(graph, [typicalNode(graph)], FIRST - 1, this.strength(graph)));
      this.opened.set(sample, { graph, picture, nodes: new NodeIndex(sample.node_labels, sample.nodes) });
    }
    this.point(null, null, null);
    this.look = lookAt(this.owner.box());
    this.state.namesFit(this.now.graph);
    this.head();
    this.draw();
  }

  private strength(graph: Graph) {
    return strengthIn(graph, this.state.layer, this.state.along);
  }

  private setNodes(nodes: number[], centre: number | null): void {
    const { graph, picture } = this.now;
    const fresh = centre !== null && picture.placeOf(centre) < 0;
    this.opened.set(this.sample, { ...this.now, picture: new Picture(graph, nodes, fresh ? null : picture) });
    this.look = lookAt(this.owner.box());
    this.draw();
  }

  private grow(): void {
    this.setNodes(grown(this.now.graph, this.now.picture.nodes, STEP, this.strength(this.now.graph)), null);
  }

  private restart(): void {
    const { graph, picture } = this.now;
    this.setNodes(grown(graph, [picture.nodes[0]], FIRST - 1, this.strength(graph)), null);
  }

  private expand(node: number): void {
    const { graph, picture } = this.now;
    if (!picture.isWhole) {
      this.setNodes(expanded(graph, picture.nodes, node, this.strength(graph)), null);
      this.mark({ node });
    }
  }

  /** A node that was searched: marked where it is drawn, else the centre of a new neighbourhood. */
  private visit(node: number): void {
    const { graph, picture } = this.now;
    if (picture.placeOf(node) < 0 || !picture.isWhole) {
      this.setNodes(grown(graph, [node], FIRST - 1, this.strength(graph)), node);
    }
    const shown = this.now.picture;
    const place = shown.placeOf(node);
    if (shown.isolated[place] && !this.state.isolated) {
      this.state.isolated = true;
      this.draw();
    }
    this.look = { ...this.look, cx: shown.x[place], cy: shown.y[place], zoom: shown.isWhole ? 2.2 : 1 };
    this.mark({ node });
  }

  private head(): void {
    const { sample, part } = this;
    const known = this.part.samples.length > 1;  // a lone graph is what the page is about
    this.heading.replaceChildren(
      ...(known ? [html("span", { class: "sample-id" }, `Graph ${sample.id}`), " ", sample.label] : []));
    this.heading.hidden = !known;
    const { ged } = sample.layers[this.state.layer];
    const facts = [...(isNumber(ged) ? [{ label: part.score_label, value: formatFixed(ged, 2) }] : []),
                   { label: "nodes", value: formatCount(sample.nodes) },
                   { label: "edges", value: formatCount(sample.edge_count) }, ...(sample.facts ?? [])];
    this.facts.replaceChildren(...facts.map((fact) => html("div", {}, html("dt", {}, rich(fact.label)),
                                                           html("dd", {}, fact.value))));
  }

  private draw(): void {
    const { graph, picture } = this.now;
    this.head();
    this.controls.update(graph, picture);
    this.drawings.draw(graph, picture);
  }

  private mark(target: Target): void {
    this.target = target;
    this.drawings.boards.forEach((board) => board.mark(target));
    const board = this.drawings.focused ?? this.drawings.boards[0];
    if (target !== null) {
      this.tell(target, board.screenPlace(), true);
    }
  }

  private tell(target: Exclude<Target, null>, at: { x: number; y: number }, speak: boolean): void {
    const { graph, picture } = this.now;
    const hidden = "node" in target ? picture.hidden(target.node) : 0;
    this.tooltip.show(graph, this.state.layer, target, hidden, at, speak);
  }

  private point(target: Target, board: Board | null, event: PointerEvent | null): void {
    if (JSON.stringify(target) !== JSON.stringify(this.target)) {
      this.target = target;
      this.drawings.boards.forEach((item) => item.mark(target));
    }
    if (target === null) {
      this.tooltip.hide();
    } else if (board !== null) {
      this.tell(target, event === null ? board.screenPlace() : { x: event.clientX, y: event.clientY }, event === null);
    }
  }

  /** From edge to edge of the drawing that has the focus, from the strongest. */
  private walk(by: number): boolean {
    const board = this.drawings.focused;
    if (board === undefined || board.drawn.length === 0) {
      return false;
    }
    const at = this.target !== null && "edge" in this.target ? board.drawn.indexOf(this.target.edge) : -1;
    const to = at < 0 ? (by > 0 ? 0 : board.drawn.length - 1) : Math.min(board.drawn.length - 1, Math.max(0, at + by));
    this.mark({ edge: board.drawn[to] });
    return true;
  }

  /** From node to node, the best connected first. */
  private walkNodes(by: number, board: Board): void {
    const { graph, picture } = this.now;
    const order = [...(board.drawing?.nodes ?? [])].map((place) => picture.nodes[place])
      .sort((a, b) => graph.degree(b) - graph.degree(a) || a - b);
    if (order.length > 0) {
      const at = this.target !== null && "node" in this.target ? order.indexOf(this.target.node) : -1;
      this.mark({ node: order[(at + by + order.length) % order.length] });
    }
  }

  private async download(kind: "svg" | "png" | "csv"): Promise<void> {
    const { graph, picture } = this.now;
    const name = fileName(`${this.part.title} ${this.part.variant ?? ""} ${this.sample.id}`, kind);
    if (kind === "csv") {
      save(asCsv(graph, this.state.layer, picture), name);
    } else if (kind === "svg") {
      save(new Blob([asSvg(this.drawings.boards, this.part.title)], { type: "image/svg+xml" }), name);
    } else {
      const blob = await asPng(this.drawings.boards);
      if (blob !== null) {
        save(blob, name);
      }
    }
  }
}

