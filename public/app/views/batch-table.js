/** The table of a batch: a row for each file, sorted by its columns, filtered by words and state. */

import { fill, h, hiddenText } from "../ui/dom.js";
import { plural, seconds, taskTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { kindOfFile } from "../model/kinds.js";
import { showFile, thumbnail } from "../ui/media.js";

const PAGE = 100; // rows that are shown at once, and more with each press
const SOON = 400; // ms until what came in is sorted and filtered anew
const STATES = { waiting: "waiting", done: "done", failed: "failed" };
const ICONS = { waiting: "waiting", done: "finished", failed: "failed" };
let count = 0;

export class BatchTable {
  constructor(batch) {
    this.batch = batch;
    this.view = { words: "", state: "", by: "number", up: true };
    this.most = PAGE;
    this.drawn = new Map(); // the elements of rows by their numbers
    const { sample } = batch.state;
    this.columns = [
      ["number", "#"],
      ["name", "File"],
      ...Object.keys(sample.texts).map((name) => [`text ${name}`, name]),
      ...batch.tasks.map(({ id, task }) => [`task ${id}`, `${taskTitle(task)}`]),
      ["seconds", "Time"],
      ["state", "State"],
    ];
    this.number = ++count;
    this.heads = h("tr");
    this.body = h("tbody");
    this.told = h("p", { class: "quiet", role: "status" });
    this.more = h("button", { type: "button", class: "button small", onclick: () => this.showMore() });
    const table = h("table", { class: "batch-table" }, h("caption", { class: "hidden-text" }, "What came of each file"), h("thead", {}, this.heads), this.body);
    const frame = h("div", { class: "batch-frame", tabindex: "0", role: "region", "aria-label": "Table of the files" }, table);
    this.element = h("section", { class: "batch-rows", "aria-label": "Files" }, this.filters(), frame, h("div", { class: "batch-more" }, this.told, this.more));
    this.draw();
  }

  filters() {
    const words = h("input", { type: "search", id: `batch-words-${this.number}`, autocomplete: "off", placeholder: "Words in a row", oninput: () => this.look({ words: words.value }) });
    const state = h("select", { id: `batch-state-${this.number}`, onchange: () => this.look({ state: state.value }) }, [["", "all"], ...Object.entries(STATES)].map(([value, text]) => h("option", { value }, text)));
    return h("div", { class: "batch-filters" }, h("label", { for: words.id }, "Find"), words, h("label", { for: state.id }, "Show"), state);
  }

  /** Changes how the rows are looked at. */
  look(change) {
    Object.assign(this.view, change);
    this.most = PAGE;
    this.draw();
  }

  sort(by) {
    const { view } = this;
    this.look({ by, up: view.by === by ? !view.up : true });
    this.heads.querySelector(`[data-by="${CSS.escape(by)}"]`)?.focus();
  }

  showMore() {
    const first = this.most;
    this.most += PAGE;
    this.draw();
    this.body.rows[first]?.querySelector("button")?.focus();
  }

  draw() {
    clearTimeout(this.soon);
    this.soon = null;
    const { view } = this;
    fill(this.heads, this.columns.map(([by, text]) => {
      const arrow = view.by === by && h("span", { "aria-hidden": "true" }, view.up ? " ↑" : " ↓");
      return h("th", { scope: "col", "aria-sort": view.by === by ? (view.up ? "ascending" : "descending") : null }, h("button", { type: "button", "data-by": by, onclick: () => this.sort(by) }, text, arrow));
    }));
    const rows = this.batch.shown(view);
    const shown = rows.slice(0, this.most);
    fill(this.body, shown.map((row) => this.rowOf(row)));
    const all = this.batch.state.rows;
    this.told.textContent = rows.length === all ? plural(all, "file") : `${rows.length} of ${plural(all, "file")}`;
    const left = rows.length - shown.length;
    this.more.hidden = !left;
    this.more.textContent = `Show ${Math.min(PAGE, left)} more`;
  }

  /** Shows that a row has changed: in its place at once, and soon where it belongs. */
  changed(number) {
    const before = this.drawn.get(number);
    const row = this.batch.rows[number - 1];
    if (before?.element.isConnected && !before.element.contains(document.activeElement)) before.element.replaceWith(this.rowOf(row));
    const { words, state, by } = this.view;
    if (words || state || by !== "number" || !before) this.soon ??= setTimeout(() => this.draw(), SOON);
  }

  rowOf(row) {
    const before = this.drawn.get(row.number);
    if (before?.row === row) return before.element;
    const element = h("tr", { class: `row-${row.state}` }, this.columns.map(([by]) => this.cell(by, row)));
    this.drawn.set(row.number, { row, element });
    return element;
  }

  cell(by, row) {
    const [, kind, name] = /^(task|text) (.*)$/s.exec(by) ?? [];
    if (kind === "text") return h("td", {}, row.texts[name]);
    if (kind === "task") return h("td", { class: "batch-result" }, this.result(row.tasks[name]));
    if (by === "number") return h("td", { class: "batch-number" }, String(row.number));
    if (by === "name") return h("th", { scope: "row" }, Object.values(row.files).map((path) => fileButton(path, row.name)));
    if (by === "seconds") return h("td", { class: "batch-number" }, row.seconds === null ? "" : seconds(row.seconds));
    return h("td", { class: "batch-state" }, h("span", {}, icon(ICONS[row.state]), STATES[row.state]), row.error && h("span", { class: "block batch-error" }, row.error));
  }

  result(task) {
    if (!task) return null;
    const files = task.files.map((path) => fileButton(path, "", true));
    const isName = task.files.length > 0 && !/\s/.test(task.text) && kindOfFile(task.text) !== null; // of the file that is shown
    return [task.text && !isName && h("span", { class: "batch-text" }, task.text), files.length > 0 && h("span", { class: "batch-made" }, files)];
  }
}

/** A file with its picture; a URL is named, not loaded. */
function fileButton(path, name, made = false) {
  if (/^https?:/.test(path)) return h("a", { href: path, target: "_blank", rel: "noopener noreferrer" }, name || path);
  const kind = kindOfFile(path);
  return h("button", { type: "button", class: made ? "batch-file made" : "batch-file", onclick: () => showFile(path, kind, name || undefined) }, thumbnail(path, kind), name ? h("span", {}, name) : hiddenText(`Show the ${kind ?? "file"} that was made`));
}
