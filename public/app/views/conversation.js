/** The displayed conversation: its turns and its current run. */

import { api } from "../model/api.js";
import { toast } from "../ui/dialogs.js";
import { announce, fill, h } from "../ui/dom.js";
import { chosenFields } from "../model/choices.js";
import { Draft } from "../model/draft.js";
import { dropPlan, keepPlan, keptPlan } from "../ui/kept-plans.js";
import { chatTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { PlanEditor } from "./plan-editor.js";
import { Run } from "../model/run.js";
import { follow } from "../model/stream.js";
import { TurnView } from "./turn-view.js";
import { askAgain } from "./versions.js";

const ABOVE = 12; // px that stay free above an answer
const TICK = 100; // ms between two steps of the clocks

export class Conversation {
  /**
   * `scroller` holds the turns. `on.changed()` is called when the conversation or its state changes,
   * `on.listed()` when the list of conversations changes, `on.withdrawn(text, files)` when a plan was not wanted.
   * `on.asksFirst()` says whether plans wait for leave, `on.llm()` what the server tells of its language model.
   * `on.finished(run)` is called when the run of a turn is over.
   */
  constructor(scroller, on) {
    this.scroller = scroller;
    this.on = on;
    this.column = h("div", { class: "column" });
    scroller.append(this.column);
    this.reset();
    this.stick = true;
    let last = 0;
    scroller.addEventListener("scroll", () => {
      const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
      if (atEnd) this.stick = true;
      else if (scroller.scrollTop < last) this.stick = false; // the user scrolled up; content that grows below does not count
      last = scroller.scrollTop;
      on.scrolled(atEnd);
    });
    new ResizeObserver(() => this.grown()).observe(this.column);
  }

  get running() {
    return this.live !== null;
  }

  /** The part of the URL that names it. */
  get path() {
    return `#/${this.id}`;
  }

  /** Whether something was asked: also what is nowhere kept, as a request whose plan is made or waits for leave. */
  get hasTurns() {
    return this.column.querySelector(".turn") !== null;
  }

  reset() {
    this.leaving?.abort(); // the run continues on the server; only following it stops
    this.leaving = new AbortController();
    this.id = null;
    this.title = "";
    this.last = 0; // the highest position of a turn, in whatever branch
    this.end = 0; // the position of the last displayed turn
    this.live = null;
    fill(this.column);
  }

  startNew(welcome) {
    this.reset();
    fill(this.column, welcome);
    this.scroller.scrollTop = 0;
    this.on.changed();
  }

  /** Shows a stored conversation, and follows its run if one is active. */
  async open(id) {
    this.reset();
    this.id = id;
    const { signal } = this.leaving;
    fill(this.column, h("p", { class: "callout quiet", role: "status" }, icon("running"), "Opening the conversation …"));
    this.on.changed();
    let chat;
    try {
      chat = await api.chat(id);
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 404) return this.deletedElsewhere();
      fill(this.column, h("p", { class: "callout bad", role: "alert" }, icon("warning"), error.message));
      return;
    }
    if (signal.aborted) return;
    this.title = chatTitle(chat.title);
    fill(this.column);
    this.show(chat);
    this.on.changed();
    this.toAnswer();
  }

  /** The conversation was deleted in another tab or by another client: what is shown stays, and what is asked next begins a new one. */
  deletedElsewhere() {
    this.id = null;
    this.title = "";
    this.last = this.end = 0;
    history.replaceState(null, "", location.pathname);
    this.column.querySelector(".deleted")?.remove();
    const text = "This conversation was deleted, in another window or by somebody else. What you ask next begins a new one.";
    const before = this.column.querySelector(".turn") ? " What stands above is not kept." : "";
    this.column.querySelector(".callout[role=status]")?.remove();
    this.column.append(h("p", { class: "callout bad deleted", role: "alert" }, icon("warning"), h("span", {}, text + before)));
    this.on.changed();
    this.on.listed();
    this.toEnd();
    if (!this.running) this.showKept();
  }

  show({ turns, last }) {
    this.last = last;
    for (const turn of turns) {
      const run = Run.fromTurn(turn);
      this.end = turn.position;
      const view = this.add(run, turn === turns.at(-1));
      if (!run.over) this.followOn(view, null, run.id);
    }
  }

  /** Shows a turn: at the end, or in place of an earlier attempt at it. */
  add(run, open = true, before = null) {
    const view = new TurnView(
      run,
      {
        again: () => this.askInstead(run, run.request),
        edited: (text) => this.askInstead(run, text),
        branch: (position) => this.showBranch(position),
        resume: () => this.resume(run, view),
        redo: (task) => this.redo(run, view, task),
        grown: () => this.grown(),
      },
      { open },
    );
    this.column.querySelector(".welcome")?.remove();
    if (before) before.element.replaceWith(view.element);
    else this.column.append(view.element);
    if (run.tasks.size) view.drawGraph([]);
    return view;
  }

  /** Sends a request; `attached` are files as {name, path, kind}. Resolves to whether the server accepted it. */
  async send(text, attached = []) {
    return this.on.asksFirst() ? this.propose(text, attached) : this.request(text, attached);
  }

  async request(text, attached) {
    const run = new Run(text, attached);
    this.number(run);
    const messages = [{ role: "user", content: text }]; // the server has the earlier turns
    const files = attached.map(({ name, path }) => ({ name, path }));
    return this.begin({ messages, files }, run);
  }

  /** Begins a run as a new turn; resolves to whether the server accepted it. */
  async begin(request, run) {
    const response = await this.start(request, run);
    if (response === null) return false;
    if (response === undefined) return true;
    this.title ||= chatTitle(run.request);
    this.last = this.end = run.position;
    const view = this.add(run);
    this.stick = true;
    this.toEnd();
    this.followOn(view, response, null);
    return true;
  }

  /** Numbers a run as the next turn. */
  number(run) {
    Object.assign(run, { position: this.last + 1, parent: this.end, versions: [this.last + 1] });
  }

  /** Sends a request in the place of a turn: what was asked there before, and what followed, is kept beside it. */
  async askInstead(before, text) {
    if (!before.position || !this.id) return this.send(text, before.attached);
    const files = before.attached.map(({ name, path }) => ({ name, path }));
    const request = { messages: [{ role: "user", content: text }], files, after: before.parent };
    const response = await this.start(request, new Run(text, before.attached));
    if (!response) return response === undefined;
    const { id } = this;
    response.body?.cancel(); // it is followed where it is shown
    await this.open(id);
    this.on.listed();
    return true;
  }

  /** Shows the newest branch through a turn. */
  async showBranch(position) {
    const { id } = this;
    try {
      await api.changeChat(id, { tip: position });
    } catch (error) {
      toast(error.message, { bad: true });
      return;
    }
    if (id !== this.id) return; // another one was opened meanwhile
    await this.open(id);
    const shown = this.column.querySelector(`[data-position="${position}"]`);
    this.stick = false;
    shown?.scrollIntoView({ block: "start" });
    shown?.focus({ preventScroll: true });
  }

  /** Has a request planned, and shows the plan: nothing is run before there is leave. `rejected` is a plan before. */
  async propose(text, attached, rejected = null) {
    const run = new Run(text, attached);
    const files = attached.map(({ name, path }) => ({ name, path }));
    const { signal } = this.leaving;
    const response = await this.start({ messages: [{ role: "user", content: text }], files, rejected, until: "plan" }, run);
    if (!response) return response === undefined;
    const view = this.add(run);
    this.stick = true;
    this.toEnd();
    this.followOn(view, response, null).then(() => {
      if (!signal.aborted && run.planned && !run.error && run.stop !== "cancelled") return this.showPlanned(view, signal);
    });
    return true;
  }

  async showPlanned(view, signal) {
    const { run } = view;
    let record;
    try {
      record = await api.record(run.id); // it has the questions to the results, too
    } catch (error) {
      return this.on.refused(error);
    }
    if (signal.aborted) return;
    if (!run.tasks.size) {
      view.element.remove(); // without a task there is nothing to give leave for
      return this.answerWithoutTasks(run);
    }
    const { plan: tasks, questions } = record;
    this.showDraft(new Draft({ request: run.request, attached: run.attached, tasks, questions }), run.notices, view);
  }

  /** Has a request answered for which no task was planned; only the offline planner would plan the same again. */
  answerWithoutTasks({ request, attached, plannedBy }) {
    if (plannedBy.planner === "offline") return this.request(request, attached);
    const run = new Run(request, attached);
    this.number(run);
    return this.begin({ messages: [{ role: "user", content: request }], plan: [] }, run);
  }

  /** Shows a plan that waits for leave: at the end, or in the place of a view. */
  showDraft(draft, notices = [], before = null) {
    const keep = () => keepPlan(this.id, { ...draft.toKept(), notices });
    const editor = new PlanEditor(draft, { run: (from) => this.runDraft(from), cancel: (from) => this.withdraw(from), anew: (from, sentence) => this.proposeAnew(from, sentence), changed: keep }, notices);
    keep();
    this.column.querySelector(".welcome")?.remove();
    if (before) before.element.replaceWith(editor.element);
    else this.column.append(editor.element);
    editor.shown();
    this.stick = false; // its beginning is to be seen
    editor.element.scrollIntoView({ block: "start" });
    this.on.changed();
  }

  /** Shows the plan again that waited for leave when the page was left; whether there is one. */
  showKept() {
    const kept = keptPlan(this.id);
    const draft = Draft.fromKept(kept);
    if (draft) this.showDraft(draft, kept.notices ?? []);
    return draft !== null;
  }

  async runDraft({ draft, element }) {
    const before = this.id;
    const run = new Run(draft.request || "Run this plan", draft.attached);
    this.number(run);
    const messages = [{ role: "user", content: run.request }];
    if (await this.begin({ messages, files: draft.files, plan: draft.toPlan() }, run)) {
      element.remove();
      dropPlan(before);
    }
  }

  /** Plans a request anew with a sentence about what should be different. */
  async proposeAnew({ draft, element }, sentence) {
    if (!(await this.propose(`${draft.request}\n${sentence}`, draft.attached, draft.tasks))) return;
    element.remove();
    dropPlan(this.id);
  }

  withdraw({ draft, element }) {
    element.remove();
    dropPlan(this.id);
    announce("The plan is left.");
    this.on.changed();
    this.on.withdrawn(draft.request, draft.attached);
  }

  /** Does a task of a run again, if the user says how. */
  async redo(run, view, task) {
    const change = await askAgain(run, task);
    if (change) await this.replace({ again: { run_id: run.id, ...change } }, run, view);
  }

  /** Resumes an unfinished run. */
  resume(run, view) {
    return this.replace({ resume: run.id }, run, view);
  }

  /** Begins a run that takes the place of another one in its turn. */
  async replace(request, run, view) {
    const again = new Run(run.request, run.attached);
    Object.assign(again, { position: run.position, parent: run.parent, versions: run.versions });
    const response = await this.start(request, again);
    if (!response) return;
    const fresh = this.add(again, true, view);
    fresh.element.focus({ preventScroll: true }); // the button is gone
    this.followOn(fresh, response, null);
  }

  /** The stream of a new run; null when it is refused, undefined when the user has left meanwhile. */
  async start(request, run) {
    if (this.running) return null;
    const { signal } = this.leaving;
    this.live = { run, wantsCancel: false };
    this.on.changed();
    try {
      return await api.startRun({ ...chosenFields(this.on.llm()), ...request, chat: this.id ?? "new" }, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      this.live = null;
      this.on.changed();
      if (error.status === 404 && this.id) {
        this.deletedElsewhere();
        return null;
      }
      this.on.refused(error);
      if (error.code === "chat_busy") this.open(this.id); // another tab sent a request: show and follow it
      return null;
    }
  }

  async followOn(view, response, id) {
    const { run } = view;
    const { signal } = this.leaving;
    const live = (this.live ??= { run, wantsCancel: false });
    this.on.changed();
    const clock = setInterval(() => view.tick(), TICK);
    signal.addEventListener("abort", () => clearInterval(clock));
    if (id) run.id = id;
    await follow(
      response,
      id,
      {
        accepted: ({ run_id: accepted, chat, position }) => {
          run.id = accepted;
          if (live.wantsCancel) this.cancel();
          if (!chat) return undefined; // only a plan is made: that is no turn
          this.id = chat;
          if (position !== run.position) return this.open(chat); // it continued in another tab meanwhile
          this.on.changed();
          this.on.listed();
          return undefined;
        },
        event: (event) => view.take(event),
        link: (up) => view.connected(up),
        gone: (error) => this.gone(view, error),
      },
      signal,
    );
    clearInterval(clock);
    if (signal.aborted) return;
    this.live = null;
    this.on.changed();
    this.on.listed();
    if (run.position) this.on.finished(run);
  }

  /** The server does not know the run any more: it was restarted, and may still have its record. */
  async gone(view, error) {
    const { run } = view;
    const kept = this.id && (await api.chat(this.id).catch(() => null));
    if (kept?.turns.some((turn) => turn.run_id === run.id && turn.status !== "running")) return this.open(this.id);
    for (const task of run.tasks.values()) {
      if (task.state === "running" || task.state === "waiting") Object.assign(task, { state: "skipped", reason: "The run was lost." });
    }
    run.apply({ event: "done", stop: "failed", error: error?.message ?? "The server does not know this run any more.", seconds: run.seconds });
    view.draw([...run.tasks.keys()]);
  }

  async cancel() {
    const { live } = this;
    if (!live) return;
    live.wantsCancel = true;
    this.on.changed();
    announce("Cancelling.");
    if (!live.run.id) return; // as soon as it has one
    try {
      await api.cancel(live.run.id);
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }

  /** Keeps in view what is new while content grows, unless the user has scrolled up. */
  grown() {
    if (this.stick && this.column.querySelector(".turn")) this.toAnswer();
  }

  /** Shows the end or, where that would hide the beginning of the last answer, as much of it as there is room for. */
  toAnswer() {
    const answer = [...this.column.querySelectorAll(".turn .answer")].at(-1);
    const { scroller } = this;
    const end = scroller.scrollHeight - scroller.clientHeight;
    const hasText = answer && answer.offsetHeight > 0;
    const top = hasText ? scroller.scrollTop + answer.getBoundingClientRect().top - scroller.getBoundingClientRect().top - ABOVE : end;
    const target = Math.min(end, top);
    if (target > scroller.scrollTop) scroller.scrollTop = target;
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }
}
