/** A batch: one plan over many files, its rows, and which of them a table shows. No DOM in this module. */

import { Draft } from "./draft.js";

const FILE = "file"; // the column of the files

export class Batch {
  /** `state` as the server tells it. */
  constructor(state) {
    this.rows = []; // by number, from 0
    this.update(state);
  }

  update(state) {
    this.state = state;
    this.tasks = state.plan.tasks.map(({ id, task }) => ({ id: String(id), task }));
  }

  get working() {
    return this.state.status === "working";
  }

  get failed() {
    return this.state.failed;
  }

  get missing() {
    return this.state.rows - this.state.done - this.state.failed;
  }

  /** Takes rows from the server, new or as they have become. */
  take(rows) {
    for (const row of rows) this.rows[row.number - 1] = row;
  }

  /** Applies an event; returns the number of the row that has changed. */
  apply(event) {
    const { done, failed, ...row } = event;
    this.take([row]);
    Object.assign(this.state, { done, failed });
    return row.number;
  }

  /** The seconds that the rest takes, at the pace since `began`, a time of this page at which `before` were done. */
  left(began, before, now) {
    const over = this.state.done + this.state.failed;
    return over > before ? ((now - began) / 1000 / (over - before)) * this.missing : null;
  }

  /** The rows that have some words and a state ("" for any), sorted by a column. */
  shown({ words = "", state = "", by = "number", up = true } = {}) {
    const wanted = words.trim().toLowerCase();
    const found = this.rows.filter((row) => row && (!state || row.state === state) && (!wanted || wordsOf(row).includes(wanted)));
    const sign = up ? 1 : -1;
    return found.sort((one, other) => sign * compared(valueOf(one, by), valueOf(other, by)) || one.number - other.number);
  }

  /** The plan to be looked at and changed, with the first file in it. */
  draft() {
    const { plan, sample, request } = this.state;
    const slot = plan.inputs.find(({ name }) => !(name in sample.texts));
    const path = sample.files[FILE];
    const tasks = plan.tasks.map((task) => ({ ...task, args: mapped(task.args, slot?.name, path) }));
    const attached = slot ? [{ name: sample.name, path, kind: slot.kind }] : [];
    return new Draft({ request, attached, tasks, questions: plan.questions });
  }

  /** A changed draft as the plan for all files. */
  planOf(draft) {
    const { plan, sample } = this.state;
    const texts = plan.inputs.filter(({ name }) => name in sample.texts);
    const [first] = draft.attached;
    const tasks = draft.tasks.map((task) => ({ ...task, args: mapped(task.args, first.path, FILE) }));
    return { request: plan.request, inputs: [{ name: FILE, kind: first.kind }, ...texts], tasks, questions: draft.questions };
  }
}

/** Arguments with one file in the place of another; what stands after # is kept. */
function mapped(args, from, to) {
  const put = (value) => {
    if (Array.isArray(value)) return value.map(put);
    return value === from || String(value).startsWith(`${from}#`) ? to + value.slice(from.length) : value;
  };
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, put(value)]));
}

function wordsOf({ name, error, model, texts, tasks }) {
  return [name, error, model, ...Object.values(texts), ...Object.values(tasks).map(({ text }) => text)].join("\n").toLowerCase();
}

/** What a row has in a column: one of its own, "task ID" or "text NAME". */
function valueOf(row, by) {
  const [, kind, name] = /^(task|text) (.*)$/s.exec(by) ?? [];
  if (kind === "task") return row.tasks[name]?.text ?? "";
  if (kind === "text") return row.texts[name] ?? "";
  return row[by] ?? "";
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compared(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return collator.compare(String(one), String(other));
}
