/** A batch on the page: its plan as long as it waits for leave, then its progress, answer, results and rows. */

import { api } from "../model/api.js";
import { BatchTable } from "./batch-table.js";
import { Draft } from "../model/draft.js";
import { announce, fill, h } from "../ui/dom.js";
import { plural, seconds, taskTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { dropPlan, keepPlan, keptPlan } from "../ui/kept-plans.js";
import { plainText } from "./markdown.js";
import { PlanEditor } from "./plan-editor.js";

const KINDS = { csv: "CSV", xlsx: "Excel", jsonl: "JSONL", zip: "All as ZIP" };
const SHOWN_CHARS = 600;
const SAID = {
  working: "is being worked on",
  stopped: "was stopped",
  interrupted: "stands still: the server was ended while it worked on this",
  done: "is through",
};

export class BatchView {
  /** `on.start(change)` runs what is missing, `on.stop()` stops it, `on.leave()` drops the plan, `on.anew(sentence)`. */
  constructor(batch, on) {
    this.batch = batch;
    this.on = on;
    this.began = null; // when this page saw the first row come, and how many were over then
    this.link = h("p", { class: "callout quiet", hidden: true }, icon("warning"), "The connection was lost; trying again …");
    this.element = h("div", { class: "batch" });
    if (batch.state.status === "waiting") this.drawPlan();
    else this.drawRun();
  }

  // Before it runs

  drawPlan() {
    const { batch, on } = this;
    const { rows, calls, paid, sample } = batch.state;
    const told = Object.entries(calls).map(([place, number]) => `${number} ${place.startsWith("on ") ? place : `on ${place}`}`);
    const cost = paid ? ` ${plural(paid, "call")} of them ${paid === 1 ? "goes" : "go"} to services of others and may cost money.` : " None of them costs money.";
    const notes = [`This plan was made for ${sample.name}, the first file. It is run for each of ${plural(rows, "file")}: ${plural(Object.values(calls).reduce((sum, one) => sum + one, 0), "call")} (${told.join(", ")}).${cost}`];
    const { id } = batch.state;
    const handlers = {
      run: (editor) => on.start({ plan: batch.planOf(editor.draft) }),
      cancel: () => on.leave(),
      anew: (editor, sentence) => on.anew(`${batch.state.request}\n${sentence}`),
      changed: (editor) => keepPlan(id, editor.draft.toKept()),
    };
    this.editor = new PlanEditor(Draft.fromKept(keptPlan(id)) ?? batch.draft(), handlers, notes);
    fill(this.element, this.editor.element);
  }

  /** To be called once the element is in the page. */
  shown() {
    this.editor?.shown();
  }

  // While it runs, and after

  drawRun() {
    const { batch } = this;
    dropPlan(batch.state.id);
    this.editor = null;
    this.heading = h("h2", { tabindex: "-1" }, plainText(batch.state.request));
    this.line = h("p", { class: "batch-line", role: "status" });
    this.bar = h("progress", { max: batch.state.rows, "aria-label": "Files that are through" });
    this.pace = h("span", { class: "quiet" });
    this.answer = h("div", { class: "batch-answer" });
    this.problem = h("div", {});
    this.tools = h("div", { class: "tools batch-tools" });
    this.table = new BatchTable(batch);
    const steps = h("p", { class: "quiet" }, batch.state.plan.tasks.map(({ task, model }, at) => [at > 0 && " → ", taskTitle(task), model && h("span", { class: "model" }, ` ${model}`)]));
    fill(this.element, h("header", { class: "batch-head" }, this.heading, steps, h("div", { class: "batch-progress" }, this.bar, this.pace), this.line), this.link, this.problem, this.answer, this.tools, this.table.element);
    this.drawState();
  }

  drawState() {
    const { batch } = this;
    const { status, error, done, failed, rows, seconds: taken } = batch.state;
    this.drawCounts();
    const parts = [`${done} of ${plural(rows, "file")} done`, failed && `${failed} failed`, batch.missing && `${batch.missing} missing`].filter(Boolean);
    this.line.textContent = batch.working ? `This ${SAID[status]}.` : `This ${SAID[status]}: ${parts.join(", ")}${taken ? `, in ${seconds(taken)}` : ""}.`;
    fill(this.problem, error && h("p", { class: "callout bad", role: "note" }, icon("warning"), h("span", {}, error)));
    const findings = batch.state.findings.map(({ reading }) => findingOf(reading));
    fill(this.answer, !batch.working && findings.length > 0 && [h("h3", {}, "Over all files"), findings]);
    fill(this.tools, this.buttons());
  }

  /** How far it is. */
  drawCounts() {
    const { batch } = this;
    const { done, failed } = batch.state;
    this.bar.value = done + failed;
    const left = this.began && batch.working ? batch.left(this.began.at, this.began.over, performance.now()) : null;
    this.pace.textContent = `${done + failed} of ${batch.state.rows}${failed ? `, ${failed} failed` : ""}${left === null ? "" : `, about ${seconds(left)} left`}`;
  }

  buttons() {
    const { batch, on } = this;
    const button = (name, text, className, onclick) => h("button", { type: "button", class: `button small ${className}`, onclick }, icon(name), text);
    const link = ([kind, text]) => h("a", { class: "button small", href: api.batchResults(batch.state.id, kind), download: true }, icon("download"), text);
    return [
      batch.working && button("stop", "Stop", "", () => on.stop()),
      !batch.working && batch.missing > 0 && button("play", `Go on with ${plural(batch.missing, "file")}`, "primary", () => on.start({})),
      !batch.working && !batch.missing && batch.failed > 0 && button("retry", `Try ${batch.failed === 1 ? "the one that failed" : `the ${batch.failed} that failed`} again`, "primary", () => on.start({})),
      Object.entries(KINDS).map(link),
    ];
  }

  /** Takes an event of the run. */
  take(event) {
    if (event.event !== "row") return;
    this.began ??= { at: performance.now(), over: this.batch.state.done + this.batch.state.failed };
    this.table.changed(this.batch.apply(event));
    this.drawCounts();
  }

  /** Shows the state and the rows as they have become. */
  update() {
    if (this.editor) this.drawRun();
    else {
      this.drawState();
      this.table.draw();
    }
    if (!this.batch.working) announce(this.line.textContent);
  }

  connected(up) {
    this.link.hidden = up;
  }
}

/** An answer; a long one, which names hundreds of files, folded. */
function findingOf(reading) {
  if (reading.length <= SHOWN_CHARS) return h("p", {}, plainText(reading));
  return h("details", {}, h("summary", {}, `${reading.slice(0, SHOWN_CHARS)} …`), h("p", {}, plainText(reading)));
}
