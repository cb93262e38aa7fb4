/** The conversation that is shown: its turns, and the run that goes on in it. */

import { api } from "./api.js";
import { toast } from "./dialogs.js";
import { announce, fill, h } from "./dom.js";
import { chatTitle, joinRequest } from "./format.js";
import { icon } from "./icons.js";
import { Run } from "./run.js";
import { follow } from "./stream.js";
import { TurnView } from "./turn-view.js";

const TICK = 100; // ms between two steps of the clocks

export class Conversation {
  /**
   * `scroller` holds the turns. `on.changed()` is called when the conversation or its state is another,
   * `on.listed()` when the list of conversations is.
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
      else if (scroller.scrollTop < last) this.stick = false; // the reader went up; what grows below is no reason
      last = scroller.scrollTop;
      on.scrolled(atEnd);
    });
    new ResizeObserver(() => this.grown()).observe(this.column);
  }

  get running() {
    return this.live !== null;
  }

  reset() {
    this.leaving?.abort(); // the run goes on at the server; we only stop following it
    this.leaving = new AbortController();
    this.id = null;
    this.title = "";
    this.messages = [];
    this.live = null;
    fill(this.column);
  }

  startNew(welcome) {
    this.reset();
    fill(this.column, welcome);
    this.scroller.scrollTop = 0;
    this.on.changed();
  }

  /** Shows a conversation that the server keeps, and takes its run up if one goes on. */
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
      const text = error.status === 404 ? "This conversation is not there any more." : error.message;
      fill(this.column, h("p", { class: "callout bad", role: "alert" }, icon("warning"), text));
      return;
    }
    if (signal.aborted) return;
    this.title = chatTitle(chat.title);
    fill(this.column);
    this.show(chat);
    this.on.changed();
    this.toEnd();
  }

  show({ turns, run_id: running }) {
    turns.forEach((turn, at) => {
      this.messages.push({ role: turn.role, content: turn.content });
      if (turn.role !== "user") return;
      const answer = turns[at + 1]?.role === "assistant" ? turns[at + 1] : null;
      const last = at >= turns.length - 2;
      if (answer) this.add(Run.fromRecord(answer.record ?? { message: answer.content, stop: "answered" }, turn.content), last);
      else if (last && running) this.followOn(this.add(new Run(turn.content)), null, running);
      else this.add(lost(turn.content));
    });
  }

  add(run, open = true) {
    const view = new TurnView(run, { again: (request) => this.sendRequest(request), grown: () => this.grown() }, { open });
    this.column.querySelector(".welcome")?.remove();
    this.column.append(view.element);
    if (run.tasks.size) view.graph.update();
    return view;
  }

  async send(text, attached) {
    return this.sendRequest(joinRequest(text, attached));
  }

  /** Asks; resolves to whether the server took the request. */
  async sendRequest(request) {
    if (this.running) return false;
    const { signal } = this.leaving;
    const messages = [...this.messages.filter((message) => message.content), { role: "user", content: request }];
    const run = new Run(request);
    this.live = { run, wantsCancel: false };
    this.on.changed();
    let response;
    try {
      response = await api.startRun(messages, this.id ?? "new", signal);
    } catch (error) {
      if (signal.aborted) return true;
      this.live = null;
      this.on.changed();
      this.on.refused(error);
      return false;
    }
    this.title ||= chatTitle(request);
    this.messages.push({ role: "user", content: request });
    const view = this.add(run);
    this.stick = true;
    this.toEnd();
    this.followOn(view, response, null);
    return true;
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
        accepted: ({ run_id: accepted, chat }) => {
          run.id = accepted;
          this.id = chat;
          this.on.changed();
          this.on.listed();
          if (live.wantsCancel) this.cancel();
        },
        event: (event) => view.take(event),
        link: (up) => view.connected(up),
        gone: (error) => this.gone(view, error),
      },
      signal,
    );
    clearInterval(clock);
    if (signal.aborted) return;
    this.messages.push({ role: "assistant", content: run.message || run.error });
    this.live = null;
    this.on.changed();
    this.on.listed();
  }

  /** The server does not know the run any more: it was started anew. */
  gone(view, error) {
    const { run } = view;
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

  /** Stays at the end while things grow there, unless the reader has gone up. */
  grown() {
    if (this.stick && this.column.querySelector(".turn")) this.toEnd();
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }
}

function lost(request) {
  const run = new Run(request);
  run.apply({ event: "done", stop: "failed", error: "The server was stopped while it worked on this.", seconds: 0 });
  return run;
}
