/** A goal as its events tell it. */

const STATES = { deny: "refused", stop: "refused", tell: "told" };

export class Goal {
  constructor({ id, title = "", status = "working" }) {
    Object.assign(this, { id, title, status });
    this.goals = [];
    this.given = []; // files that came with it
    this.made = new Set(); // files that were written
    this.limits = {};
    this.spent = { tokens: 0, seconds: 0, cost: 0 };
    this.plan = [];
    this.items = []; // steps and notes, in order
    this.steps = new Map();
    this.pending = null;
    this.stop = null;
    this.message = "";
  }

  get over() {
    return this.stop !== null;
  }

  /** Whether it is being worked on, or waits for a decision. */
  get active() {
    return this.status === "working" || this.status === "waiting";
  }

  /** Whether it can be resumed. */
  get resumable() {
    return !this.active && this.stop !== "complete";
  }

  /** Applies an event; returns the item that it changes, if any. */
  apply(event) {
    this.spend(event.spent);
    if (event.event !== "Done") this.status = event.event === "ApprovalNeeded" ? "waiting" : "working";
    const apply = this[event.event];
    return apply ? apply.call(this, event) : null;
  }

  spend(spent) {
    if (!spent) return;
    this.spent.tokens += spent.usage.prompt_tokens + spent.usage.completion_tokens;
    this.spent.seconds += spent.seconds;
    this.spent.cost += spent.cost;
  }

  GoalStarted({ goal, limits, llm, warnings }) {
    Object.assign(this, { goals: goal.goals, name: goal.name, given: goal.files, limits, llm });
    return warnings?.length ? this.note("warning", warnings.join(" ")) : null;
  }

  Resumed({ limits }) {
    this.limits = limits;
    this.stop = null;
    this.message = "";
    if (this.pending) this.status = "waiting";
    return this.note("info", "It goes on.");
  }

  Thought({ step, thoughts, command, args, agent }) {
    const item = { kind: "step", number: step, agent, thoughts, command, args, state: "proposed", result: "", decided: null };
    this.steps.set(step, item);
    this.items.push(item);
    return item;
  }

  ReplyRejected({ reason }) {
    return this.note("warning", `A reply of the language model was not used: ${reason}`);
  }

  Proposed({ step, command, args, hash, risk }) {
    return this.change(step, { command, args, hash, risk });
  }

  ApprovalNeeded({ step, hash, reason, question }) {
    this.pending = { step, hash, reason, question };
    return this.change(step, { state: "waiting" });
  }

  Decided({ step, verdict, by, text, grants }) {
    const answered = verdict === "tell" && this.pending?.question;
    this.pending = null;
    return this.change(step, { decided: { verdict, by, text, grants }, state: answered ? "answered" : (STATES[verdict] ?? "approved") });
  }

  CommandStarted({ step }) {
    return this.change(step, { state: "running" });
  }

  CommandFinished({ step, result, file, changes }) {
    this.plan = changes.plan ?? this.plan;
    for (const path of Object.keys(changes.files ?? {})) this.made.add(path);
    for (const path of changes.deleted ?? []) this.made.delete(path);
    if (file) this.made.add(file);
    return this.change(step, { state: "finished", result, file });
  }

  CommandFailed({ step, reason, unknown }) {
    return this.change(step, unknown ? { state: "unknown", result: "The server ended while this command ran: whether it had its effect is unknown. It was not run again." } : { state: "failed", result: reason });
  }

  AgentReturned({ agent, answer }) {
    return this.note("chat", `Agent ${agent}: ${answer}`);
  }

  Compacted({ until }) {
    return this.note("info", `The model is told the steps up to ${until} in a line each from now on.`);
  }

  Stuck({ pattern }) {
    return this.note("warning", `It turns in circles: ${pattern}.`);
  }

  BudgetLow({ limit }) {
    return this.note("warning", `The limit of ${limit} is nearly reached; the rest is for the answer.`);
  }

  Done({ stop, message }) {
    const last = this.pending && this.steps.get(this.pending.step);
    if (last) last.state = "refused";
    Object.assign(this, { stop, message, status: stop, pending: null });
    return last ?? null;
  }

  change(step, values) {
    const item = this.steps.get(step);
    return item ? Object.assign(item, values) : null;
  }

  note(sign, text) {
    const item = { kind: "note", sign, text };
    this.items.push(item);
    return item;
  }
}
