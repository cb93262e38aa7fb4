/** A plan that waits for leave: its graph, a list in which it is changed, and what is wrong with it. */

import { api } from "../model/api.js";
import { announce, fill, focusedElement, h, hiddenText } from "../ui/dom.js";
import { saveJson } from "../ui/downloads.js";
import { plural, taskTitle } from "../model/format.js";
import { GraphView } from "./graph-view.js";
import { icon } from "../ui/icons.js";
import { allTaskTypes } from "../model/kinds.js";
import { fileChip, plainText } from "./markdown.js";
import { argumentField, modelField, uploadButton } from "./plan-fields.js";
import { Run } from "../model/run.js";

let count = 0;

export class PlanEditor {
  /**
   * `on.run(editor)` runs the plan, `on.cancel(editor)` leaves it, `on.anew(editor, sentence)` plans the request anew,
   * and `on.changed(editor)` is called after each change;
   * `notices` were told when it was planned.
   */
  constructor(draft, on, notices = []) {
    this.draft = draft;
    this.on = on;
    this.number = ++count;
    this.checks = 0; // how many were begun
    this.ready = false; // whether the plan can be run, by the last one
    this.problems = new Map();
    this.fails = { failed: (text) => this.tell(text, true) };
    this.run = new Run(draft.request, draft.attached);
    this.graph = new GraphView(this.run, { open: ({ id }) => this.show(id) });
    this.ask = h("div", { class: "ask" });
    this.slots = h("ul", { class: "slots", "aria-label": "Files that the plan takes" });
    this.rows = h("ol", { class: "draft" });
    this.state = h("p", { class: "draft-state", role: "status" });
    this.notes = h("ul", { class: "notices" }, notices.map((text) => h("li", {}, icon("info"), plainText(text))));
    this.heading = h("h3", { class: "draft-title", tabindex: "-1" }, "Shall this be run?");
    const plan = h("div", { class: "plan" }, this.graph.element);
    this.reply = h("section", { class: "reply", "aria-label": "Plan" }, this.heading, this.notes, plan, this.slots, this.rows, this.adding(), this.state, this.actions(), this.feedback());
    this.element = h("article", { class: "turn planned", tabindex: "-1", "aria-label": `Plan for: ${draft.request.slice(0, 80)}` }, this.ask, this.reply);
    this.draw();
    this.check();
  }

  /** To be called once the element is in the page: the graph is laid out by its width. */
  shown() {
    this.drawGraph();
    this.heading.focus({ preventScroll: true });
    announce(`A plan of ${plural(this.draft.tasks.length, "task")} waits for your leave.`);
  }

  draw() {
    const { draft } = this;
    const files = draft.attached.map(({ path, name, kind }) => h("li", {}, fileChip(path, name, kind)));
    fill(this.ask, h("h2", { class: "hidden-text" }, "Your request"), h("p", { class: "ask-text" }, draft.request ? plainText(draft.request) : "A plan file"), files.length > 0 && h("ul", { class: "ask-files", "aria-label": "Attached files" }, files));
    fill(this.slots, draft.slots.map((slot) => this.slotRow(slot)));
    this.slots.hidden = !draft.slots.length;
    fill(this.rows, draft.tasks.map((task) => this.row(task)));
    this.drawProblems();
    if (this.element.isConnected) this.drawGraph();
  }

  drawGraph() {
    this.run.attached = this.draft.attached;
    this.run.plan(this.draft.tasks);
    for (const task of this.run.tasks.values()) if (this.draft.find(task.id).model) task.choice = { id: this.draft.find(task.id).model, place: "" };
    this.graph.update([...this.run.tasks.keys()]);
  }

  slotRow(slot) {
    const use = (file) => {
      this.draft.fillSlot(slot, file);
      this.changed();
    };
    return h("li", { class: "slot" }, h("span", {}, h("strong", {}, slot.name), h("span", { class: "quiet" }, ` (${slot.kind}): `), slot.file ? slot.file.name : "no file yet"), uploadButton(`A file in place of ${slot.name}`, this.fails, use));
  }

  row(task) {
    const { draft } = this;
    const { id } = task;
    const name = `task ${id}, ${taskTitle(task.task)}`;
    const fields = draft.argumentsOf(task).map((arg) =>
      argumentField(draft, task, arg, {
        ...this.fails,
        changed: (value, isText) => {
          draft.set(id, arg.name, value);
          this.changed({ redraw: !isText });
        },
      }),
    );
    const condition = task.when && h("p", { class: "quiet" }, "It is run only if the results before it say so. ", h("button", { type: "button", class: "button small", "data-field": `${id} when`, onclick: () => (draft.dropCondition(id), this.changed()) }, "Run it in any case", hiddenText(`: ${name}`)));
    const model = modelField(task, "The best that can be reached", (chosen) => {
      draft.setModel(id, chosen);
      this.changed({ redraw: false });
    });
    const remove = h("button", { type: "button", class: "icon-button tiny", "aria-label": `Remove ${name}`, title: "Remove", onclick: () => this.remove(id) }, icon("trash"));
    const heading = h("h4", { tabindex: "-1", id: `draft-${id}` }, h("span", { class: "quiet" }, `${id} · `), taskTitle(task.task));
    return h("li", { class: "draft-task", "data-task": id }, h("div", { class: "draft-head" }, heading, remove), h("p", { class: "draft-problem" }), condition, fields, model);
  }

  adding() {
    const types = h("select", { id: `add-${this.number}` }, allTaskTypes().map(({ name, about }) => h("option", { value: name, title: about }, taskTitle(name))));
    const add = () => {
      const id = this.draft.add(types.value);
      this.changed();
      this.show(id);
    };
    return h("div", { class: "draft-add" }, h("label", { for: types.id }, "Add a task"), types, h("button", { type: "button", class: "button small", onclick: add }, icon("plus"), "Add"));
  }

  actions() {
    const button = (name, text, className, onclick) => h("button", { type: "button", class: `button ${className}`, onclick }, icon(name), text);
    return h(
      "div",
      { class: "tools draft-actions" },
      button("play", "Run", "primary", () => this.start()),
      button("close", "Cancel", "", () => this.on.cancel(this)),
      button("download", "Save plan", "", () => saveJson("plan.json", this.draft.toFile())),
    );
  }

  feedback() {
    const field = h("input", { type: "text", id: `anew-${this.number}`, maxlength: 10000, autocomplete: "off" });
    const form = h("form", { class: "draft-anew" }, h("label", { for: field.id }, "What should be different?"), field, h("button", { type: "submit", class: "button small" }, icon("retry"), "Plan anew"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const sentence = field.value.trim();
      if (sentence) this.on.anew(this, sentence);
      else field.focus();
    });
    return form;
  }

  remove(id) {
    this.draft.remove(id);
    this.changed();
    this.heading.focus({ preventScroll: true }); // the button is gone
    announce(`Task ${id} is removed.`);
  }

  /** Goes to a task in the list. */
  show(id) {
    const heading = this.rows.querySelector(`[data-task="${id}"] h4`);
    heading?.scrollIntoView({ block: "nearest" });
    heading?.focus();
  }

  /** Draws what was changed and has it checked; without `redraw` the fields stay, as one of them is in use. */
  changed({ redraw = true } = {}) {
    const field = focusedElement()?.dataset.field;
    if (redraw) this.draw();
    else this.drawGraph();
    const again = redraw && field && [...this.rows.querySelectorAll("[data-field]")].find((element) => element.dataset.field === field);
    if (again) again.focus({ preventScroll: true });
    this.on.changed?.(this);
    this.check();
  }

  /** Asks the server what is wrong with the plan; of several checks under way the last one counts. */
  check() {
    const number = ++this.checks;
    this.ready = false;
    this.checking = this.checked(number);
  }

  async checked(number) {
    let found;
    try {
      found = await api.checkPlan(this.draft.toPlan());
    } catch (error) {
      if (number === this.checks) this.tell(error.message, true);
      return;
    }
    if (number !== this.checks) return;
    this.problems = new Map(found.problems.map(({ id, problem }) => [id, problem]));
    this.drawProblems();
    this.ready = this.draft.tasks.length > 0 && !this.problems.size && !this.draft.openSlots.length;
    this.tell(this.verdict(found), !this.ready);
  }

  verdict({ notes, problems }) {
    const { draft } = this;
    if (!draft.tasks.length) return "There is no task: add one, or cancel.";
    if (problems.length) return `${plural(problems.length, "task")} cannot be run as ${problems.length === 1 ? "it is" : "they are"}.`;
    if (draft.openSlots.length) return `Choose a file in place of ${draft.openSlots.map(({ name }) => name).join(" and ")}.`;
    return ["The plan can be run.", ...notes.map((note) => `Note: ${note}.`)].join(" ");
  }

  drawProblems() {
    for (const row of /** @type {Iterable<HTMLElement>} */ (this.rows.children)) {
      const problem = this.problems.get(Number(row.dataset.task));
      row.classList.toggle("bad", Boolean(problem));
      fill(row.querySelector(".draft-problem"), problem && [icon("warning"), h("span", {}, problem)]);
    }
  }

  tell(text, bad = false) {
    this.state.classList.toggle("bad", bad);
    if (this.state.textContent !== text) this.state.textContent = text;
  }

  /** Runs the plan if nothing is wrong with it, else goes to what is. */
  async start() {
    await this.checking;
    if (this.ready) return this.on.run(this);
    const [first] = this.problems.keys();
    announce(this.state.textContent);
    if (first !== undefined) this.show(first);
  }
}
