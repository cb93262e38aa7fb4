/** One task done again: the window in which it is changed, and the new results beside those before. */

import { api } from "../model/api.js";
import { compared } from "../ui/compare.js";
import { dialog } from "../ui/dialogs.js";
import { fill, focusedElement, h, hiddenText } from "../ui/dom.js";
import { difference } from "../model/difference.js";
import { Draft } from "../model/draft.js";
import { placeName, shortName, taskTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { ownFile, pictureUrl } from "../model/kinds.js";
import { plainText } from "./markdown.js";
import { argumentField, modelField } from "./plan-fields.js";
import { resultOf } from "./results.js";
import { Run } from "../model/run.js";

const BESIDE = new Set(["image", "boxes", "masks", "video", "audio"]);

/** Asks how a task of a run shall be done again; resolves to {task, model, args} with what is changed, else undefined. */
export async function askAgain(run, { id }) {
  const tasks = [...run.tasks.values()].map(({ id: number, task, dep, planned }) => ({ id: number, task, dep, args: planned }));
  const draft = new Draft({ request: run.request, attached: run.attached, tasks });
  const task = draft.find(id);
  const before = { ...task.args };
  const { body, close, closed } = dialog({ title: `Run again: ${taskTitle(task.task)}`, className: "again" });
  const trouble = h("p", { class: "form-error", role: "alert" });
  const fields = h("div", { class: "draft-task" });
  let model = "";
  const chosenModel = modelField(task, "Chosen anew", (chosen) => (model = chosen));
  const draw = () =>
    fill(fields, draft.argumentsOf(task).map((arg) =>
      argumentField(draft, task, arg, {
        failed: (text) => (trouble.textContent = text),
        changed: (value, isText) => {
          const field = focusedElement()?.dataset.field;
          draft.set(id, arg.name, value);
          if (isText) return;
          draw();
          [...fields.querySelectorAll("[data-field]")].find((element) => element.dataset.field === field)?.focus();
        },
      }),
    ), chosenModel);
  draw();
  const changes = () => {
    const names = new Set([...Object.keys(before), ...Object.keys(task.args)]);
    const changed = [...names].filter((name) => !isSame(before[name], task.args[name]));
    return { task: id, model: model || null, args: Object.fromEntries(changed.map((name) => [name, task.args[name] ?? ""])) };
  };
  const go = h("button", { type: "button", class: "button primary", onclick: () => close(changes()) }, icon("retry"), "Run again");
  fill(body, h("p", { class: "quiet" }, "Only this task, and those that need its result, are run; the results of the others stand."), fields, trouble, h("div", { class: "dialog-actions" }, go));
  return closed;
}

/** What a run that is a version of another did otherwise: the results of both. */
export async function versionsOf(run) {
  let before;
  try {
    before = Run.fromRecord(await api.record(run.versionOf));
  } catch (error) {
    return h("p", { class: "quiet" }, error.status === 404 ? "The version before is not kept any more." : error.message);
  }
  const changed = [...run.tasks.values()].filter((task) => isChanged(task, before.tasks.get(task.id)));
  return [h("h3", {}, "Before and now"), changed.map((task) => pair(before.tasks.get(task.id), task)), before.message && before.message !== run.message && answers(before, run)];
}

function isChanged(now, before) {
  const said = ({ value, state, planned, choice }) => [value, state, planned, choice?.id ?? null];
  return before !== undefined && !isSame(said(now), said(before));
}

/** Whether two values of JSON say the same, in whatever order their fields are. */
function isSame(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

function pair(before, now) {
  const forms = [before, now].map(({ form }) => form).filter(Boolean);
  const beside = forms.length > 0 && forms.every((form) => BESIDE.has(form));
  return h("section", { "aria-label": `Task ${now.id}` }, h("h4", {}, `Task ${now.id}: ${taskTitle(now.task)}`), h("div", { class: beside ? "pair beside" : "pair" }, version("Before", before, now), version("Now", now, before)), slider(before, now), textDifference(before, now));
}

/** What differs between the texts of both versions. */
function textDifference(...tasks) {
  const texts = tasks.map(textOf);
  return texts.every((text) => text !== null) && texts[0] !== texts[1] && differences(...texts);
}

/** The text that a task gave; null where it gave another thing. */
function textOf({ state, value, form }) {
  if (state !== "finished") return null;
  const text = { text: value?.["generated text"], "text-file": value?.["generated text"], answer: value?.answer, answers: value?.[0]?.answer }[form];
  return typeof text === "string" ? text : null;
}

function differences(before, now) {
  const parts = difference(before, now);
  const words = { same: (text) => text, before: (text) => h("del", {}, hiddenText(" [was: "), text, hiddenText("] ")), now: (text) => h("ins", {}, hiddenText(" [now: "), text, hiddenText("] ")) };
  return h("div", { class: "differences" }, h("h5", {}, "The difference"), h("p", { class: "said diff", dir: "auto" }, parts.map(({ kind, text }) => words[kind](text))));
}

/** The pictures of both versions over each other. */
function slider(...tasks) {
  const urls = tasks.map(({ value, state }) => state === "finished" && ownFile(value?.["generated image"]));
  if (!urls.every(Boolean)) return null;
  return compared(...urls.map(pictureUrl), { alts: ["Before", "Now"].map((when) => `${when}: ${taskTitle(tasks[1].task)}`) });
}

function version(when, task, other) {
  const different = Object.entries(task.planned).filter(([name, value]) => !isSame(value, other.planned[name]));
  return h(
    "figure",
    {},
    h(
      "figcaption",
      {},
      h("strong", {}, when),
      task.choice && [": ", h("span", { class: "model" }, task.choice.id), ` on ${placeName(task.choice)}`],
      different.map(([name, value]) => h("span", { class: "block quiet" }, `${name}: ${shown(value)}`)),
    ),
    task.state === "finished" ? resultOf(task, { full: true, alt: `${when}: ${task.reading || taskTitle(task.task)}` }) : h("p", { class: "node-why" }, task.reason || task.state),
  );
}

function shown(value) {
  if (typeof value !== "string") return JSON.stringify(value);
  return value.startsWith("/") && ownFile(value) ? shortName(value, 60) : value;
}

function answers(before, run) {
  return h("details", {}, h("summary", {}, "The answer before"), h("p", { class: "said", dir: "auto" }, plainText(before.message)), run.message && differences(before.message, run.message));
}
