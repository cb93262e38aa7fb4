/** A plan as a graph: tasks, input files, and the data flow between them. No DOM in this module. */

import { kindOfArgument, kindOfFile } from "./kinds.js";

const REFERENCE = /<(?:generated|resource|node)(?:>-|-)(\w+)>?/gi;

/**
 * {nodes, edges} of a run's tasks.
 *
 * A node is {key, task} or {key, file, kind}; an edge {from, to, kinds}. A kind is text, image, audio, video, table,
 * or order, for a task that waits for another without using its result.
 */
export function graphOf(tasks) {
  const nodes = new Map();
  const edges = new Map();
  const join = (from, to, kind) => {
    const key = `${from}>${to}`;
    if (!edges.has(key)) edges.set(key, { from, to, kinds: [] });
    const { kinds } = edges.get(key);
    if (!kinds.includes(kind)) kinds.push(kind);
  };
  for (const task of tasks.values()) nodes.set(taskKey(task.id), { key: taskKey(task.id), task });
  for (const task of tasks.values()) {
    const to = taskKey(task.id);
    for (const [name, value] of argumentsOf(task)) {
      const holds = kindOfArgument(task.task, name);
      for (const id of references(value)) if (tasks.has(id) && id !== task.id) join(taskKey(id), to, holds);
      const kind = fileKind(holds, value);
      if (!kind) continue;
      const key = `file ${value}`;
      if (!nodes.has(key)) nodes.set(key, { key, file: value, kind });
      join(key, to, kind);
    }
    for (const id of task.dep) if (tasks.has(id) && !edges.has(`${taskKey(id)}>${to}`)) join(taskKey(id), to, "order");
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

export function taskKey(id) {
  return `task ${id}`;
}

/** [name, value] of each planned argument, one per item of a list. */
function argumentsOf(task) {
  const pairs = [];
  for (const [name, value] of Object.entries(task.planned)) {
    for (const item of Array.isArray(value) ? value : [value]) if (typeof item === "string") pairs.push([name, item]);
  }
  return pairs;
}

function references(value) {
  return [...value.matchAll(REFERENCE)].map((match) => Number(match[1]));
}

/** The kind of the file that an argument names, or null: a table may also be the text of one. */
function fileKind(holds, value) {
  if (holds === "text" || references(value).length) return null;
  return holds === "table" && value.includes("\n") ? null : (kindOfFile(value) ?? holds);
}
