/** A request and its run: the plan in progress, the answer, the files, and downloads. */

import { api } from "../model/api.js";
import { toast } from "../ui/dialogs.js";
import { announce, fill, h, hiddenText, label } from "../ui/dom.js";
import { copy, save, saveJson } from "../ui/downloads.js";
import { placeName, plural, seconds, taskTitle, usageText } from "../model/format.js";
import { GraphView } from "./graph-view.js";
import { icon } from "../ui/icons.js";
import { fileChip, markdown, plainText } from "./markdown.js";
import { kindOfFile } from "../model/kinds.js";
import { mediaOf, saveLink } from "../ui/media.js";
import { pictureFacts } from "./results.js";
import { versionsOf } from "./versions.js";

const STAGE_NAMES = { plan: "Plan", select: "Models", execute: "Tasks", answer: "Answer" };
const STAGE_ICONS = { waiting: "waiting", running: "running", finished: "finished", failed: "failed", stopped: "skipped", "not needed": "skipped" };

export class TurnView {
  /**
   * `on.again()` repeats the request, `on.edited(text)` asks in other words, `on.branch(position)` shows another version
   * of the turn, `on.resume(run)` resumes the run, `on.redo(task)` does a task again; `open`
   * unfolds the plan.
   */
  constructor(run, on, { open = true } = {}) {
    this.run = run;
    this.on = on;
    this.graph = new GraphView(run, { again: on.redo });
    this.stages = h("ol", { class: "stages", "aria-label": "Stages" });
    this.summary = h("span", { class: "plan-summary" });
    this.planner = h("p", { class: "plan-by quiet", hidden: true });
    this.fold = h("details", { class: "plan", open }, h("summary", {}, h("span", { class: "plan-name" }, "Plan"), this.summary), this.planner, this.graph.element);
    this.fold.hidden = true;
    this.undrawn = new Set(); // tasks that changed while the plan was folded: what is not seen is not laid out
    this.fold.addEventListener("toggle", () => this.fold.open && this.undrawn.size && this.drawGraph([]));
    this.notices = h("ul", { class: "notices" });
    this.link = h("p", { class: "callout quiet", hidden: true }, icon("warning"), "The connection was lost; trying again …");
    this.answer = h("div", { class: "answer markdown" });
    this.corrections = h("details", { class: "corrections", hidden: true });
    this.problem = h("div", {});
    this.versions = h("section", { class: "versions", "aria-label": "Versions", hidden: true });
    this.files = h("ul", { class: "made", "aria-label": "Generated files" });
    this.usage = h("p", { class: "usage quiet", hidden: true });
    this.tools = h("div", { class: "tools turn-tools" });
    const files = run.attached.map(({ path, kind }) => h("li", {}, fileChip(path, run.nameOf(path), kind)));
    this.ask = h("div", { class: "ask" }, h("h2", { class: "hidden-text" }, "Your request"), h("p", { class: "ask-text", dir: "auto" }, plainText(run.request)), this.askTools(), files.length > 0 && h("ul", { class: "ask-files", "aria-label": "Attached files" }, files));
    this.reply = h("section", { class: "reply", "aria-label": "Reply" }, this.stages, this.link, this.notices, this.fold, this.problem, this.answer, this.corrections, this.versions, this.files, this.usage, this.tools);
    this.began = null; // by the clock of the browser, in ms
    this.element = h("article", { class: "turn", tabindex: "-1", "data-position": run.position, "aria-label": `Request: ${run.request.slice(0, 80)}` }, this.ask, this.reply);
    this.draw([...run.tasks.keys()]);
  }

  /** Beside the request: a way to change it, and to the other versions of the turn. */
  askTools() {
    const { position, versions } = this.run;
    const change = h("button", { type: "button", class: "icon-button tiny", onclick: () => this.edit() }, icon("pen"));
    label(change, "Edit the request");
    const at = versions.indexOf(position);
    const step = (by, name, text) => {
      const target = versions[at + by];
      const button = h("button", { type: "button", class: "icon-button tiny", disabled: target === undefined, onclick: () => this.on.branch(target) }, icon(name));
      label(button, text);
      return button;
    };
    const others = versions.length > 1 && h("div", { class: "branches", role: "group", "aria-label": "Versions of this request" }, step(-1, "back", "The version before"), h("span", {}, `${at + 1} of ${versions.length}`), step(+1, "forward", "The next version"));
    return h("div", { class: "ask-tools" }, others, change);
  }

  /** Changes the request in its place; it is asked in a branch of its own. */
  edit() {
    const text = this.ask.querySelector(".ask-text");
    if (!text) return;
    const field = h("textarea", { class: "ask-edit", dir: "auto", rows: 3, maxlength: 100000, "aria-label": "The request in other words" });
    field.value = this.run.request;
    const close = () => {
      form.replaceWith(text);
      this.ask.querySelector(".ask-tools .icon-button:last-child")?.focus();
    };
    const form = h(
      "form",
      {
        class: "ask-form",
        onsubmit: (event) => {
          event.preventDefault();
          if (field.value.trim()) this.on.edited(field.value.trim());
        },
        onkeydown: (event) => event.key === "Escape" && close(),
      },
      field,
      h("div", { class: "dialog-actions" }, h("button", { type: "button", class: "button", onclick: close }, "Leave it"), h("button", { type: "submit", class: "button primary" }, "Ask this")),
    );
    text.replaceWith(form);
    field.focus();
  }

  /** Applies an event of the live run. */
  take(event) {
    const changed = this.run.apply(event);
    this.tell(event);
    if (event.event === "token" || event.event === "answer") this.drawAnswerSoon();
    else this.draw(changed);
    if (event.event === "started") this.graph.reveal(event.task_id);
  }

  draw(changed) {
    const { run } = this;
    this.drawStages();
    fill(this.notices, run.notices.map((text) => h("li", {}, icon("info"), plainText(text))));
    this.notices.hidden = !run.notices.length;
    this.fold.hidden = run.tasks.size === 0;
    if (run.tasks.size) {
      this.drawGraph(changed);
      const states = [...run.tasks.values()].map((task) => task.state);
      const bad = states.filter((state) => state === "failed" || state === "skipped").length;
      const done = states.filter((state) => state === "finished").length;
      const spare = states.filter((state) => state === "unneeded").length;
      const others = [bad && `${bad} not`, spare && `${spare} not needed`].filter(Boolean).map((text) => `, ${text}`).join("");
      this.summary.textContent = run.planned ? `${done} of ${plural(states.length, "task")} done${others}` : "being written …";
    }
    const [planner, why] = run.planner;
    this.planner.hidden = !planner;
    this.planner.textContent = planner && `Planned by ${planner}${why ? `: ${why}` : ""}`;
    this.drawAnswer();
    if (run.over) this.drawEnd();
  }

  /** Draws the tasks of the plan that changed, or once it is unfolded. */
  drawGraph(changed) {
    for (const id of changed) this.undrawn.add(id);
    if (!this.fold.open) return;
    this.graph.update([...this.undrawn]);
    this.undrawn.clear();
  }

  drawStages() {
    const { run } = this;
    const stages = Object.entries(run.stages).map(([name, state]) =>
      h("li", { class: `step step-${state.replace(" ", "-")}`, "aria-current": state === "running" ? "step" : null }, icon(STAGE_ICONS[state]), STAGE_NAMES[name], hiddenText(`: ${state}`)),
    );
    const clock = h("li", { class: "clock" }, run.over ? seconds(run.seconds) : "");
    this.clock = clock;
    const { reading } = run;
    const read = reading && !run.over && h("li", { class: "quiet" }, `the language model reads: ${reading.read} of ${reading.total} tokens`);
    fill(this.stages, stages, read, clock);
  }

  tick() {
    this.graph.tick();
    this.began ??= performance.now() - 1000 * this.run.seconds;
    this.clock.textContent = seconds((performance.now() - this.began) / 1000);
  }

  drawAnswerSoon() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.drawStages();
      this.drawAnswer();
      this.on.grown?.();
    });
  }

  drawAnswer() {
    const { run } = this;
    if (this.shown === run.message) return;
    this.shown = run.message;
    this.answer.classList.toggle("streaming", !run.answered);
    fill(this.answer, h("h3", { class: "hidden-text" }, "Answer"), markdown(run.message, this.names()));
  }

  /** Sentences of the language model that were replaced or left out, folded. */
  drawCorrections() {
    const { corrections } = this.run;
    this.corrections.hidden = !corrections.length;
    const items = corrections.map(({ said, instead, why }) => h("li", {}, h("del", {}, plainText(said)), instead && h("ins", {}, plainText(instead)), h("span", {}, plainText(why))));
    fill(this.corrections, h("summary", {}, `Checked against the results: ${plural(corrections.length, "sentence")} of the language model corrected`), h("ul", {}, items));
  }

  /** The display names of files in the answer: attached ones have the user's names, generated ones a description. */
  names() {
    const made = [...this.run.files].map(([path, task]) => [path, `${taskTitle(task.task)}.${path.split(".").pop()}`]);
    return new Map([...this.run.attached.map(({ path }) => [path, this.run.nameOf(path)]), ...made]);
  }

  connected(up) {
    this.link.hidden = up;
    announce(up ? "The connection is back." : "The connection was lost; trying again.");
  }

  drawEnd() {
    const { run } = this;
    this.link.hidden = true;
    this.answer.classList.remove("streaming");
    fill(this.problem, problemOf(run));
    this.drawCorrections();
    if (run.repeatable && run.tasks.size) this.drawGraph([...run.tasks.keys()]); // its tasks can be done again now
    if (run.versionOf && this.versions.hidden) this.showVersions();
    fill(this.files, [...run.files].map(([path, task]) => madeFile(path, task)));
    this.usage.textContent = usageText(run.usage);
    this.usage.hidden = !this.usage.textContent;
    fill(this.tools, this.toolsOf(run));
  }

  async showVersions() {
    this.versions.hidden = false;
    fill(this.versions, await versionsOf(this.run));
    this.on.grown?.();
  }

  toolsOf(run) {
    const small = (name, text, onclick) => h("button", { type: "button", class: "button small", onclick }, icon(name), text);
    return [
      run.message && small("copy", "Copy answer", () => copy(run.message, "The answer")),
      run.message && small("download", "Save answer", () => save(`answer-${run.id}.md`, `${run.message}\n`, "text/markdown")),
      run.id && small("copy", "Copy record", async () => this.withRecord((record) => copy(JSON.stringify(record, null, 2), "The run record"))),
      run.id && small("download", "Save record", async () => this.withRecord((record) => saveJson(`run-${run.id}.json`, record))),
      run.id && run.tasks.size > 0 && small("download", "Save plan", () => this.savePlan()),
      run.resumable && small("running", run.stop === "interrupted" ? "Resume" : "Retry what failed", () => this.on.resume(run)),
      small("retry", "Ask again", () => this.on.again(run)),
    ];
  }

  async savePlan() {
    try {
      saveJson(`plan-${this.run.id}.json`, await api.plan(this.run.id));
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }

  async withRecord(use) {
    try {
      this.run.saved ??= await api.record(this.run.id);
      await use(this.run.saved);
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }

  /** Announces the state to screen readers. */
  tell(event) {
    const task = this.run.tasks.get(event.task_id);
    const name = task && taskTitle(task.task);
    if (event.event === "plan") announce(`The plan has ${plural(this.run.tasks.size, "task")}.`);
    if (event.event === "started") announce(`${name} is running${task.choice ? ` on ${task.choice.id}, ${placeName(task.choice)}` : ""}.`);
    if (event.event === "finished") announce(`${name} finished. ${task.reading.slice(0, 200)}`);
    if (event.event === "failed") announce(`${name} failed: ${event.reason}`);
    if (event.event === "answer") announce(`Answer: ${event.message.slice(0, 1000)}`);
    if (event.event === "done" && event.error) announce(event.error);
  }
}

function problemOf(run) {
  if (!run.error && run.stop !== "cancelled") return null;
  const cancelled = run.stop === "cancelled";
  return h("p", { class: cancelled ? "callout quiet" : "callout bad", role: "note" }, icon(cancelled ? "stop" : "warning"), h("span", {}, cancelled ? "Cancelled. What was done until then is kept above." : run.error));
}

function madeFile(path, task) {
  const kind = kindOfFile(path);
  const words = task.files.includes(task.reading) ? "" : task.reading;
  const alt = [taskTitle(task.task), words].filter(Boolean).join(": ");
  const caption = h("p", { class: "made-by" }, h("span", {}, taskTitle(task.task), task.choice && h("span", { class: "quiet" }, ` · ${task.choice.id}`)), saveLink(path));
  return h("li", { class: `made-file kind-${kind}` }, mediaOf(path, kind, { alt, ...pictureFacts(task, path) }), caption);
}
