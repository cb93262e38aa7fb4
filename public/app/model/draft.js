/** A plan in hand: its tasks, what may be changed in them, and its form as a file. No DOM in this module. */

import { shortName } from "./format.js";
import { argumentsOf, kindOfFile, ownFile, takes } from "./kinds.js";

const REFERENCE = /<(?:generated|resource|node)(?:>-|-)(\w+)>?/gi;
const WHOLE = /^\s*<(?:generated|resource|node)(?:>-|-)(\d+)>?\s*$/i;

export class Draft {
  /** `tasks` are in the server's format; `slots` are inputs that have no file yet: {name, kind}. */
  constructor({ request, attached = [], tasks, questions = [], slots = [] }) {
    this.request = request;
    this.attached = [...attached]; // {name, path, kind}
    this.tasks = structuredClone(tasks);
    this.questions = questions;
    this.slots = slots.map((slot) => ({ ...slot, file: null }));
  }

  /** What a tab keeps of it, and the draft of that; null for anything else. */
  toKept() {
    const { request, attached, tasks, questions, slots } = this;
    return { request, attached, tasks, questions, slots };
  }

  static fromKept(kept) {
    if (!Array.isArray(kept?.tasks) || !Array.isArray(kept.attached) || !Array.isArray(kept.slots)) return null;
    return Object.assign(new Draft(kept), { slots: kept.slots });
  }

  /** A plan file, as the server gives it or a person has written it. Throws an Error for anything else. */
  static fromFile(value) {
    const plan = Array.isArray(value) ? { tasks: value } : value;
    if (!Array.isArray(plan?.tasks) || !plan.tasks.every((task) => task?.task)) throw new Error("That file holds no plan: it should have a list of tasks.");
    const taken = new Set(plan.tasks.map(({ id }) => id));
    const free = () => {
      let id = 0;
      while (taken.has(id)) id += 1;
      taken.add(id);
      return id;
    };
    const tasks = plan.tasks.map((task) => ({ ...task, id: Number.isInteger(task.id) ? task.id : free(), dep: Array.isArray(task.dep) ? task.dep : [], args: task.args ?? {} }));
    return new Draft({ request: String(plan.request ?? ""), tasks, questions: plan.questions ?? [], slots: plan.inputs ?? [] });
  }

  get openSlots() {
    return this.slots.filter((slot) => !slot.file);
  }

  find(id) {
    return this.tasks.find((task) => task.id === id);
  }

  /** [name, kind, required] of each argument of a task: those of its type, and what else it was given. */
  argumentsOf(task) {
    const known = argumentsOf(task.task);
    const others = Object.keys(task.args).filter((name) => !known.some((arg) => arg.name === name));
    return [...known, ...others.map((name) => ({ name, kind: "text", required: false }))];
  }

  /** Sets an argument; an empty value leaves it out. What the task waits for follows from its arguments. */
  set(id, name, value) {
    const task = this.find(id);
    const before = sourcesOf(task);
    if (value === "" || value === null || value?.length === 0) delete task.args[name];
    else task.args[name] = value;
    const after = sourcesOf(task);
    task.dep = task.dep.filter((number) => number >= 0 && (!before.has(number) || after.has(number)));
  }

  setModel(id, model) {
    const task = this.find(id);
    if (model) task.model = model;
    else delete task.model;
  }

  /** Has a task run in any case. */
  dropCondition(id) {
    delete this.find(id).when;
  }

  /** Adds a task; where there is only one file for an argument that it needs, it takes that. Returns its id. */
  add(type) {
    const id = Math.max(-1, ...this.tasks.map((task) => task.id)) + 1;
    const args = {};
    for (const { name, kind, required } of argumentsOf(type)) {
      const files = this.attached.filter((file) => takes(kind, file.kind));
      if (required && kind !== "text" && files.length === 1) args[name] = files[0].path;
    }
    this.tasks.push({ task: type, id, dep: [], args });
    return id;
  }

  /** Removes a task; arguments that were its result are then empty. */
  remove(id) {
    for (const task of this.tasks) {
      for (const [name, value] of Object.entries(task.args)) if (referenceIn(value) === id) this.set(task.id, name, "");
      task.dep = task.dep.filter((number) => number !== id);
    }
    this.tasks = this.tasks.filter((task) => task.id !== id);
  }

  /** The tasks whose results a task may take: those that do not need its own. */
  givers(id) {
    const needs = new Set([id]);
    for (let size = 0; size !== needs.size; ) {
      size = needs.size;
      for (const task of this.tasks) if ([...task.dep, ...sourcesOf(task)].some((number) => needs.has(number))) needs.add(task.id);
    }
    return this.tasks.filter((task) => !needs.has(task.id));
  }

  attach(file) {
    if (!this.attached.some(({ path }) => path === file.path)) this.attached.push(file);
  }

  /** Puts a file in the place of a slot, in its arguments and in the request. */
  fillSlot(slot, file) {
    const before = slot.file?.path ?? slot.name;
    slot.file = file;
    this.attach(file);
    const put = (value) => {
      if (Array.isArray(value)) return value.map(put);
      return value === before || String(value).startsWith(`${before}#`) ? file.path + value.slice(before.length) : value;
    };
    for (const task of this.tasks) for (const [name, value] of Object.entries(task.args)) task.args[name] = put(value);
    this.request = this.request.replaceAll(slot.named ?? slot.name, file.name);
    slot.named = file.name;
  }

  get files() {
    return this.attached.map(({ name, path }) => ({ name, path }));
  }

  /** For the server: each file is an input that is called by its path, in the order of `files`. */
  toPlan() {
    const inputs = [...this.attached.map(({ path, kind }) => ({ name: path, kind })), ...this.openSlots.map(({ name, kind }) => ({ name, kind }))];
    return { request: this.request, inputs, tasks: this.tasks, questions: this.questions };
  }

  /** For a file: names in place of the files, which others may take. */
  toFile() {
    const slots = new Map(this.openSlots.map(({ name, kind }) => [name, { name, kind }]));
    const put = (value) => {
      if (Array.isArray(value)) return value.map(put);
      const attached = this.attached.find(({ path }) => path === value);
      if (!attached && (typeof value !== "string" || ownFile(value) !== value || !kindOfFile(value))) return value;
      if (!slots.has(value)) {
        const name = attached?.name ?? shortName(value, 200);
        const taken = [...slots.values()].some((slot) => slot.name === name);
        slots.set(value, { name: taken ? `${slots.size + 1}-${name}` : name, kind: attached?.kind ?? kindOfFile(value) });
      }
      return slots.get(value).name;
    };
    const tasks = this.tasks.map((task) => ({ ...task, args: Object.fromEntries(Object.entries(task.args).map(([name, value]) => [name, put(value)])) }));
    let { request } = this;
    for (const [path, { name }] of slots) request = request.replaceAll(path, name);
    return { request, inputs: [...slots.values()], tasks, questions: this.questions };
  }
}

/** The number of the task whose result an argument is, or null. */
export function referenceIn(value) {
  const [, number] = (typeof value === "string" && WHOLE.exec(value)) || [];
  return number === undefined ? null : Number(number);
}

export function referenceTo(id) {
  return `<GENERATED>-${id}`;
}

function sourcesOf(task) {
  const values = Object.values(task.args).flat().filter((value) => typeof value === "string");
  return new Set(values.flatMap((value) => [...value.matchAll(REFERENCE)].map((match) => Number(match[1]))));
}
