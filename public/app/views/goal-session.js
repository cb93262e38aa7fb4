/** The goal that is shown: begun, followed, decided, cancelled, resumed. What it is stands on the server alone. */

import { api } from "../model/api.js";
import { toast } from "../ui/dialogs.js";
import { fill, h } from "../ui/dom.js";
import { chatTitle } from "../model/format.js";
import { Goal } from "../model/goal.js";
import { GoalView } from "./goal-view.js";
import { icon } from "../ui/icons.js";
import { follow } from "../model/stream.js";

const ACTIVE = ["working", "waiting"];
const LISTED = new Set(["GoalStarted", "ApprovalNeeded", "Decided", "Done"]);

export class GoalSession {
  /**
   * Goals are shown in the place of `conversation`. `on.changed()` is called when another goal or state is shown,
   * `on.listed()` when the list of goals changes, `on.refused(error)` when the server takes no goal.
   */
  constructor(conversation, on) {
    this.conversation = conversation;
    this.on = on;
    this.id = null;
    this.title = "";
    this.goal = null;
    this.live = null; // {wantsCancel}
    this.leaving = new AbortController();
  }

  get running() {
    return this.goal?.active ?? false;
  }

  get path() {
    return `#/goal/${this.id}`;
  }

  /** Stops following; the goal goes on on the server. */
  close() {
    this.leaving.abort();
    this.leaving = new AbortController();
    Object.assign(this, { id: null, title: "", goal: null, live: null });
  }

  /** Begins a goal; resolves to whether the server accepted it. */
  async begin(text, attached = [], bounds = {}) {
    const files = attached.map(({ name, path }) => ({ name, path }));
    return this.start({ goal: text, files, ...bounds });
  }

  async start(request) {
    const before = this.id;
    try {
      const state = await api.startGoal(request);
      if (state.id !== before) history.pushState(null, "", `#/goal/${state.id}`);
      this.show(state);
      this.on.listed();
      return true;
    } catch (error) {
      this.on.refused(error);
      return false;
    }
  }

  /** Shows a goal of the server, and follows it. */
  async open(id) {
    this.close();
    this.id = id;
    const { signal } = this.leaving;
    this.conversation.startNew(h("p", { class: "callout quiet", role: "status" }, icon("running"), "Opening the goal …"));
    try {
      const state = await api.goal(id);
      if (!signal.aborted) this.show(state);
    } catch (error) {
      if (signal.aborted) return;
      const text = error.status === 404 ? "This goal is not there any more." : error.message;
      fill(this.conversation.column, h("p", { class: "callout bad", role: "alert" }, icon("warning"), text));
    }
  }

  show(state) {
    this.close();
    this.id = state.id;
    this.title = chatTitle(state.title);
    this.goal = new Goal(state);
    this.live = { wantsCancel: false };
    const view = new GoalView(this.goal, {
      decide: (decision) => this.decide(decision),
      resume: () => this.resume(),
      again: () => this.start({ goal: this.goal.goals }),
    });
    this.view = view;
    this.conversation.startNew(view.element);
    this.conversation.stick = true;
    this.follow(view, state.events);
  }

  /** Follows the goal from its beginning; events up to number `known` are no news. */
  async follow(view, known) {
    const { signal } = this.leaving;
    await follow(
      null,
      this.id,
      {
        accepted: () => {},
        event: (event, number) => {
          view.take(event, number > known);
          if (number < known) return; // what happened before is shown at once
          this.on.changed();
          if (number > known && LISTED.has(event.event)) this.on.listed();
        },
        link: (up) => view.connected(up),
        gone: (error) => toast(error?.message ?? "The server does not know this goal any more.", { bad: true }),
      },
      signal,
      {
        events: api.goalEvents,
        idOf: ({ goal_id: id }) => id,
        isLast: ({ name, data }) => {
          if (name !== "end" || ACTIVE.includes(data.status)) return false;
          view.setStatus(data.status);
          this.on.changed();
          return true;
        },
      },
    );
    if (!signal.aborted) this.on.listed();
  }

  /** Sends a decision; resolves to whether it was accepted. Another tab may have been faster. */
  async decide(decision) {
    try {
      await api.decide(this.id, decision);
      return true;
    } catch (error) {
      toast(error.message, { bad: true });
      return false;
    }
  }

  async resume() {
    if (await this.start({ resume: this.id })) this.view.element.focus({ preventScroll: true }); // the button is gone
  }

  async cancel() {
    if (!this.live) return;
    this.live.wantsCancel = true;
    this.on.changed();
    try {
      await api.cancelGoal(this.id);
    } catch (error) {
      toast(error.message, { bad: true });
    }
    if (this.live) this.live.wantsCancel = false;
    this.on.changed();
  }
}
