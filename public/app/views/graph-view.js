/** Draws the plan: a card for each task and file, lines for the data flow between them. */

import { fill, h, hiddenText, style, svg } from "../ui/dom.js";
import { GraphFrame } from "./graph-frame.js";
import { graphOf, taskKey } from "../model/graph.js";
import { placeName, seconds, STATES, taskTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { inColumn, inLayers, layersOf } from "../model/layout.js";
import { showFile, thumbnail } from "../ui/media.js";
import { resultOf } from "./results.js";
import { showTask } from "./task-view.js";

const TASK_WIDTH = { least: 178, most: 236 };
const FILE_WIDTH = 124;
const GAP = { gapX: 64, gapY: 22 };
const COLUMN = { gapY: 34, lane: 14, most: 4 };
const PORT = 24; // lines meet a card at the height of its title
const NARROW = 560;
const DONE = new Set(["finished", "failed"]);
const IDLE = new Set(["skipped", "unneeded"]);

export class GraphView {
  /** `on.open(task)` is called when a card is chosen, else its details are shown; `on.again(task)` does it again. */
  constructor(run, on = {}) {
    this.run = run;
    this.on = { open: (task) => showTask(task, run), ...on };
    this.cards = new Map();
    this.drawn = new Map();
    this.lines = svg("svg", { class: "edges", "aria-hidden": "true", focusable: "false" });
    this.labels = h("div", { "aria-hidden": "true" });
    this.list = h("ol", { class: "nodes" });
    this.canvas = h("div", { class: "graph-canvas" }, this.lines, this.labels, this.list);
    this.frame = new GraphFrame(run, this.canvas);
    this.scroller = this.frame.scroller;
    this.element = this.frame.element;
    this.sizes = new ResizeObserver(() => this.schedule());
    this.sizes.observe(this.scroller);
  }

  /** Draws the tasks that changed, and whatever is new. */
  update(changed = []) {
    this.graph = graphOf(this.run.tasks);
    const wanted = new Set(this.graph.nodes.map((node) => node.key));
    for (const [key, card] of this.cards) if (!wanted.has(key)) this.remove(key, card);
    const fresh = new Set(changed.map(taskKey));
    for (const node of this.graph.nodes) {
      if (!this.cards.has(node.key)) this.add(node);
      else if (node.task && (fresh.has(node.key) || this.drawn.get(node.key) !== node.task)) this.draw(node);
    }
    this.layout();
  }

  /** Updates the clocks of running tasks. */
  tick() {
    for (const task of this.run.tasks.values()) {
      const clock = task.state === "running" && this.cards.get(taskKey(task.id))?.querySelector(".node-time");
      if (clock && task.seenAt) clock.textContent = seconds((performance.now() - task.seenAt) / 1000);
    }
  }

  /** Scrolls a task into view where the graph is larger than its frame. */
  reveal(id) {
    const card = this.cards.get(taskKey(id));
    if (!card || this.element.contains(document.activeElement)) return;
    const [frame, box] = [this.scroller, card].map((element) => element.getBoundingClientRect());
    const past = (end) => (box[end] > frame[end] ? box[end] - frame[end] + 24 : 0);
    this.scroller.scrollBy({ left: past("right"), top: past("bottom") });
  }

  add(node) {
    const card = h("li", { class: node.task ? "node" : `node node-file kind-${node.kind}` });
    this.cards.set(node.key, card);
    if (node.task) this.draw(node);
    else fill(card, fileButton(node, this.run.nameOf(node.file, 22)));
    this.list.append(card);
    this.sizes.observe(card);
  }

  remove(key, card) {
    this.sizes.unobserve(card);
    card.remove();
    this.cards.delete(key);
    this.drawn.delete(key);
  }

  draw({ key, task }) {
    const card = this.cards.get(key);
    const focused = card.contains(document.activeElement) && document.activeElement.classList.contains("node-title");
    this.drawn.set(key, task);
    card.className = `node state-${task.state}`;
    card.dataset.task = task.id;
    card.dataset.state = task.state;
    fill(card, taskCard(task, this.run, this.graph, this.on));
    if (focused) card.querySelector(".node-title").focus({ preventScroll: true });
  }

  schedule() {
    this.scheduled ??= requestAnimationFrame(() => {
      this.scheduled = null;
      if (this.graph) this.layout();
    });
  }

  layout() {
    const { paddingLeft, paddingRight } = getComputedStyle(this.scroller);
    const room = this.scroller.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    if (!(room > 0) || !this.graph.nodes.length) return;
    const narrow = room < NARROW;
    const { nodes, edges } = this.graph;
    const measure = (widthOf) => {
      for (const { key, file } of nodes) style(this.cards.get(key), { width: `${widthOf(file)}px` }); // all before any height is asked for
      return nodes.map(({ key, file }) => ({ key, file, width: widthOf(file), height: this.cards.get(key).offsetHeight, port: PORT }));
    };
    let placed;
    if (narrow) {
      const gutter = inColumn(nodes.map((node) => ({ ...node, width: 0, height: 0, port: 0 })), edges, COLUMN).width;
      placed = inColumn(measure(() => room - gutter), edges, COLUMN);
    } else {
      const { whole, card } = widths(nodes, edges);
      style(this.element.parentElement, { "--graph": `${whole(TASK_WIDTH.least) + this.scroller.clientWidth - room}px` });
      placed = inLayers(measure((file) => (file ? FILE_WIDTH : card(room))), edges, GAP);
    }
    for (const [key, { x, y }] of placed.at) {
      if (this.cards.has(key)) style(this.cards.get(key), { transform: `translate(${round(x)}px, ${round(y)}px)` });
    }
    style(this.canvas, { width: `${round(placed.width)}px`, height: `${round(placed.height)}px` });
    this.lines.setAttribute("viewBox", `0 0 ${round(placed.width)} ${round(placed.height)}`);
    const boxes = nodes.map(({ key, task }) => ({ ...placed.at.get(key), width: this.cards.get(key).offsetWidth, height: this.cards.get(key).offsetHeight, state: task?.state ?? "file" }));
    this.frame.placed(placed, boxes, narrow);
    this.connect(placed, narrow);
  }

  connect({ lines, at }, narrow) {
    const taken = new Map(); // in a column, the labels above a card stand side by side
    const paths = [];
    const labels = [];
    for (const edge of this.graph.edges) {
      const points = lines.get(edge);
      const state = this.stateOf(edge);
      paths.push(svg("path", { class: `edge ${state}`, d: narrow ? corners(points) : curve(points) }));
      paths.push(svg("circle", { class: `edge-end ${state}`, cx: round(points.at(-1).x), cy: round(points.at(-1).y), r: 3 }));
      const text = edge.kinds.map((kind) => (kind === "order" ? "after" : kind)).join(", ");
      const label = h("span", { class: `edge-label ${state}`, title: this.flowOf(edge) }, text);
      labels.push(label);
      if (narrow) {
        const x = taken.get(edge.to) ?? Math.max(points.at(-1).x, at.get(edge.to).x + 34) + 8;
        taken.set(edge.to, x + 14 + 7 * text.length);
        style(label, { left: `${round(x)}px`, top: `${round(at.get(edge.to).y - COLUMN.gapY / 2)}px` });
      } else {
        const [start, end] = points.slice(-2);
        label.classList.add("centred");
        style(label, { left: `${round((start.x + end.x) / 2)}px`, top: `${round((start.y + end.y) / 2)}px` });
      }
    }
    fill(this.lines, paths);
    fill(this.labels, labels);
  }

  stateOf({ from, to }) {
    const states = [from, to].map((key) => this.graph.nodes.find((node) => node.key === key)?.task?.state ?? "finished");
    if (["failed", "skipped", "unneeded"].some((state) => states.includes(state))) return states[0] === "finished" ? "done" : "broken";
    if (states[0] !== "finished") return "waiting";
    return states[1] === "running" ? "flowing" : states[1] === "finished" ? "done" : "waiting";
  }

  /** The data that flows along an edge, as far as known. */
  flowOf({ from, kinds }) {
    const node = this.graph.nodes.find(({ key }) => key === from);
    const what = node.file ? this.run.nameOf(node.file) : node.task.reading;
    return what ? `${kinds.join(", ")}: ${what.slice(0, 200)}` : kinds.join(", ");
  }
}

/** The width of the graph for a width of cards, and the width of cards that fits the available space. */
function widths(nodes, edges) {
  const layer = layersOf(nodes, edges);
  const layers = new Set(layer.values()).size;
  const withTasks = new Set(nodes.filter((node) => node.task).map((node) => layer.get(node.key))).size;
  const fixed = (layers - 1) * GAP.gapX + (layers - withTasks) * FILE_WIDTH;
  return {
    whole: (card) => fixed + withTasks * card,
    card: (room) => Math.max(TASK_WIDTH.least, Math.min(TASK_WIDTH.most, Math.floor((room - fixed) / withTasks))),
  };
}

function taskCard(task, run, graph, on) {
  const number = h("span", { class: "node-number", title: `Task ${task.id}, as other texts call it`, "aria-hidden": "true" }, String(task.id));
  const title = h("button", { type: "button", class: "node-title", dir: "auto", onclick: () => on.open(task) }, taskTitle(task.task));
  const [took] = [task.seconds ?? (task.seenAt ? (performance.now() - task.seenAt) / 1000 : null)];
  return [
    h("div", { class: "node-head" }, number, title, hiddenText(`, task ${task.id}. ${takes(task, run, graph)}`)),
    task.choice && h("p", { class: "node-model" }, h("span", { class: "model" }, task.choice.id), placeName(task.choice) && h("span", { class: "place" }, `on ${placeName(task.choice)}`)),
    task.choice?.reason && !IDLE.has(task.state) && h("p", { class: "node-reason", title: task.choice.reason }, hiddenText("Chosen because: "), task.choice.reason),
    task.state === "finished" && resultOf(task, { alt: taskTitle(task.task) }),
    task.reason && h("p", { class: "node-why" }, task.reason),
    task.state === "running" && task.progress && h("p", { class: "node-reason", title: task.progress }, task.progress),
    h(
      "p",
      { class: "node-foot" },
      h("span", { class: "node-state" }, icon(task.state), STATES[task.state]),
      task.retries.length > 0 && h("span", { class: "node-tries" }, `attempt ${task.retries.length + 1}`),
      h("span", { class: "node-time" }, task.state === "waiting" || IDLE.has(task.state) ? "" : seconds(took)),
    ),
    on.again && run.repeatable && DONE.has(task.state) && h("button", { type: "button", class: "button small node-again", "aria-label": `Run again: task ${task.id}, ${taskTitle(task.task)}`, onclick: () => on.again(task) }, icon("retry"), "Run again"),
  ];
}

/** The edges as text for screen readers. */
function takes(task, run, graph) {
  const inputs = graph.edges
    .filter((edge) => edge.to === taskKey(task.id))
    .map(({ from, kinds }) => {
      const node = graph.nodes.find(({ key }) => key === from);
      const source = node.file ? run.nameOf(node.file) : `task ${node.task.id}, ${taskTitle(node.task.task)}`;
      return kinds[0] === "order" ? `waits for ${source}` : `takes ${kinds.join(" and ")} from ${source}`;
    });
  return inputs.length ? `${inputs.join("; ")}.` : "";
}

function fileButton({ file, kind }, name) {
  return h("button", { type: "button", class: "file-node", title: file, onclick: () => showFile(file, kind, name) }, thumbnail(file, kind), h("span", {}, hiddenText(`${kind}: `), name));
}

function round(number) {
  return Math.round(number * 10) / 10;
}

/** A smooth path through points, horizontal at both ends. */
function curve(points) {
  const [first, ...rest] = points;
  let path = `M${round(first.x)} ${round(first.y)}`;
  let last = first;
  rest.forEach((point, at) => {
    const middle = round((last.x + point.x) / 2);
    const straight = at % 2 === 1; // it passes a layer
    path += straight ? `L${round(point.x)} ${round(point.y)}` : `C${middle} ${round(last.y)} ${middle} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    last = point;
  });
  return path;
}

/** Straight lines with rounded corners. */
function corners(points) {
  if (points.length < 4) return `M${round(points[0].x)} ${round(points[0].y)}L${round(points[1].x)} ${round(points[1].y)}`;
  const [a, b, c, d] = points.map(({ x, y }) => ({ x: round(x), y: round(y) }));
  const r = 7;
  return `M${a.x} ${a.y}H${b.x + r}Q${b.x} ${b.y} ${b.x} ${b.y + r}V${c.y - r}Q${c.x} ${c.y} ${c.x + r} ${c.y}H${d.x}`;
}
