/** The state of a run, from its events or from a saved record. No DOM in this module. */

import { shortened, shortName } from "./format.js";

const ENDED = new Set(["finished", "failed", "skipped", "unneeded"]);

export class Run {
  /** `attached` are the files of the request: {name, path, kind}. */
  constructor(request, attached = []) {
    this.request = request;
    this.attached = attached;
    this.position = null; // in its conversation, from 1
    this.parent = 0; // the position of the turn before it
    this.versions = []; // the positions of the turns that follow the same one
    this.id = null;
    this.llm = "";
    this.planned = false;
    this.plannedBy = { planner: "", why: "", confidence: null };
    this.tasks = new Map();
    this.notices = [];
    this.corrections = []; // sentences of the language model that the results did not bear out
    this.reading = null; // how far a language model on the server has read its prompt
    this.message = "";
    this.answered = false;
    this.stop = null;
    this.error = "";
    this.code = null; // of the error, for programs
    this.seconds = 0;
    this.usage = null; // {prompt_tokens, completion_tokens, total_tokens, calls} of the language model
    this.saved = null; // the record, once there is one
    this.versionOf = ""; // the run in which a task of this one was done otherwise
  }

  get over() {
    return this.stop !== null;
  }

  /** Whether it is partly done, so that the server can resume it. */
  get resumable() {
    if (!this.over || !this.id) return false;
    const done = [...this.tasks.values()].filter((task) => task.state === "finished").length;
    return this.stop === "interrupted" ? this.saved !== null : done > 0 && done < this.tasks.size;
  }

  /** Whether a task of it can be done again. */
  get repeatable() {
    return this.over && Boolean(this.id) && this.stop !== "interrupted";
  }

  /** The display name of a file; for an attached one the name that the user gave it. */
  nameOf(path, most) {
    const name = this.attached.find((file) => file.path === path)?.name;
    return name ? shortened(name, most) : shortName(path, most);
  }

  get ended() {
    return [...this.tasks.values()].filter((task) => ENDED.has(task.state)).length;
  }

  /** [who planned, why], where that may be a language model, else ["", ""]. */
  get planner() {
    const { planner, why, confidence } = this.plannedBy;
    const isOffline = planner === "offline";
    if (!planner || (isOffline && this.llm === "offline" && !why)) return ["", ""];
    const reason = isOffline && confidence !== null ? `${Math.floor(100 * confidence)} % sure` : why;
    if (planner === "given") return ["you", reason ?? ""];
    return [isOffline ? "the offline planner" : "the language model", reason ?? ""];
  }

  /** The generated files in the order of the plan, each once, with the task that made it. */
  get files() {
    const made = new Map();
    for (const task of this.tasks.values()) {
      for (const path of task.files) if (!made.has(path)) made.set(path, task);
    }
    return made;
  }

  /** The four stages, each "waiting", "running", "finished", "failed", "stopped" or "not needed". */
  get stages() {
    const tasks = [...this.tasks.values()]; // some may start before the plan is complete
    const rest = this.over ? "stopped" : "waiting";
    const now = this.over ? "stopped" : "running";
    const idle = this.planned && tasks.length === 0 ? "not needed" : rest;
    const allChosen = tasks.every((task) => task.choice || ENDED.has(task.state));
    const allEnded = tasks.every((task) => ENDED.has(task.state));
    const select = tasks.length ? (allChosen && this.planned ? "finished" : now) : idle;
    const begun = tasks.some((task) => task.state !== "waiting");
    const anyBad = tasks.some((task) => task.state === "failed" || task.state === "skipped");
    const ended = anyBad ? "failed" : "finished";
    const execute = tasks.length ? (allEnded && this.planned ? ended : begun ? now : rest) : idle;
    const answering = this.planned && allEnded;
    return {
      plan: this.planned ? "finished" : now,
      select,
      execute,
      answer: this.answered ? "finished" : answering ? now : rest,
    };
  }

  /** Applies an event; returns the ids of the changed tasks. */
  apply(event) {
    this.seconds = event.seconds ?? this.seconds;
    if (event.event !== "reading") this.reading = null;
    const told = EVENTS[event.event];
    return told ? (told(this, event) ?? []) : [];
  }

  /** A stored turn; one with an active run is empty until its events arrive. */
  static fromTurn({ position, parent, versions, run_id: id, request, files, status, answer, record }) {
    const run = new Run(request, list(files));
    Object.assign(run, { position, parent, versions: list(versions) });
    run.id = id || null;
    if (status === "running") return run;
    run.message = answer;
    if (record) run.readRecord(record);
    run.answered = Boolean(run.message);
    run.stop = status;
    if (status === "interrupted") {
      run.planned = run.tasks.size > 0;
      run.error = "The server was stopped while it worked on this.";
      for (const task of run.tasks.values()) if (task.state === "skipped") task.reason ||= "The server was stopped before.";
    }
    return run;
  }

  /** A run that is known by its record alone. */
  static fromRecord(record) {
    const run = new Run(String(record.request ?? ""), list(record.attachments));
    run.id = record.run_id ?? null;
    run.message = String(record.message ?? "");
    run.readRecord(record);
    return run;
  }

  readRecord(record) {
    this.llm = record.llm ?? "";
    this.saved = record;
    this.versionOf = String(record.version_of ?? "");
    this.plan(list(record.plan));
    this.plannedBy = { ...this.plannedBy, ...record.planned_by };
    for (const [id, result] of Object.entries(record.results ?? {})) this.readBack(Number(id), result, record);
    this.notices = list(record.notices).map(String);
    this.corrections = list(record.corrections);
    this.error = String(record.error?.message ?? "");
    this.code = record.error?.code ?? null;
    this.usage = record.usage?.total ?? null;
    this.seconds = record.timings?.done ?? record.timings?.answered ?? 0;
  }

  /** The complete plan; the tasks in `kept` were started early and continue, other early ones are dropped. */
  plan(plan, kept = []) {
    const begun = this.tasks;
    this.planned = true;
    this.tasks = new Map(plan.map((task) => [task.id, (kept.includes(task.id) && begun.get(task.id)) || freshTask(task)]));
  }

  readBack(id, result, record) {
    const task = this.tasks.get(id);
    if (!task) return;
    const { choose, value } = { choose: result["choose model result"], value: result["inference result"] };
    const state = record.states?.[id];
    task.state = stateOf(ENDED.has(state) ? state : "skipped", value?.error?.code); // it is not continued
    if (task.state === "finished") Object.assign(task, { value, form: result.form, reading: result.reading ?? "", files: list(result.files) });
    else Object.assign(task, { reason: String(value?.error?.message ?? ""), code: value?.error?.code ?? null });
    task.args = result.task?.args ?? task.args;
    task.choice = choose?.id ? choose : null;
    task.seconds = record.timings?.tasks?.[id] ?? null;
    task.retries = list(record.retries?.[id]).map((reason) => ({ reason: String(reason), choice: null }));
  }
}

/** The state of a task on the page, where one that its condition left out is no failure. */
function stateOf(state, code) {
  return state === "skipped" && code === "not_needed" ? "unneeded" : state;
}

function freshTask({ task, id, dep, args }) {
  return {
    id, task: String(task), dep: list(dep).filter((number) => number >= 0), planned: args ?? {}, args: args ?? {},
    state: "waiting", choice: null, value: null, form: "", reading: "", files: [], reason: "", code: null, progress: "", retries: [],
    ahead: 0, started: null, seconds: null, seenAt: null,
  };
}

/** Applies each type of event to the run; returns the changed tasks. */
const EVENTS = {
  run: (run, event) => {
    run.id = event.run_id;
    run.llm = event.llm;
    run.versionOf = event.version_of ?? "";
  },
  reading: (run, event) => {
    run.reading = event;
  },
  notice: (run, event) => {
    run.notices.push(event.text);
  },
  task: (run, event) => {
    run.tasks.set(event.task.id, freshTask(event.task));
    return [event.task.id];
  },
  plan: (run, event) => {
    run.plan(list(event.plan), list(event.kept));
    run.plannedBy = { planner: event.planner, why: event.why, confidence: event.confidence };
    run.notices.push(...list(event.notes));
    return [...run.tasks.keys()];
  },
  selected: (run, event) => change(run, event, { choice: event.choice }),
  ahead: (run, event) => (event.kept ? change(run, event, { ahead: event.worked }) : []),
  started: (run, event) => {
    const ahead = run.tasks.get(event.task_id)?.ahead ?? 0; // it was at work before it was chosen
    return change(run, event, { state: "running", started: event.seconds - ahead, seenAt: performance.now() - 1000 * ahead });
  },
  progress: (run, event) => change(run, event, { progress: howFar(event) }),
  retried: (run, event) => {
    const task = run.tasks.get(event.task_id);
    task?.retries.push({ reason: event.reason, choice: task.choice });
    return change(run, event, { choice: event.choice });
  },
  finished: (run, event) => {
    const { args, value, form, reading, choice, files } = event;
    return change(run, event, { state: "finished", args, value, form, reading, choice, files: list(files) });
  },
  failed: (run, event) => change(run, event, { state: "failed", reason: event.reason, code: event.code }),
  skipped: (run, event) => change(run, event, { state: stateOf("skipped", event.code), reason: event.reason, code: event.code }),
  corrected: (run, event) => {
    run.corrections.push(event);
  },
  token: (run, event) => {
    run.message += event.text;
  },
  answer: (run, event) => {
    run.message = event.message; // it replaces the streamed parts, should they differ
    run.answered = true;
  },
  done: (run, event) => {
    run.stop = event.stop;
    run.error = event.error;
    run.code = event.code;
    run.usage = event.usage?.total ?? null;
  },
};

function howFar({ done, total, text }) {
  const share = total ? `${Math.round((100 * done) / total)} %` : "";
  return [share, String(text ?? "")].filter(Boolean).join(", ") || String(done);
}

function change(run, event, changes) {
  const task = run.tasks.get(event.task_id);
  if (!task) return [];
  Object.assign(task, changes);
  if (ENDED.has(task.state) && task.started !== null) task.seconds = event.seconds - task.started;
  return [task.id];
}

function list(value) {
  return Array.isArray(value) ? value : [];
}
