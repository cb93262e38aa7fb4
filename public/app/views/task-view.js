/** The details of a task, in a dialog. */

import { dialog } from "../ui/dialogs.js";
import { fill, h } from "../ui/dom.js";
import { copyButton, saveJson } from "../ui/downloads.js";
import { placeName, seconds, STATES, taskTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { fileChip, plainText } from "./markdown.js";
import { ownFile } from "../model/kinds.js";
import { saveLink } from "../ui/media.js";
import { resultOf } from "./results.js";

export function showTask(task, run) {
  const { body } = dialog({ title: taskTitle(task.task), className: "task" });
  fill(
    body,
    h("p", { class: `task-state state-${task.state}` }, h("span", { class: "node-state" }, icon(task.state), STATES[task.state]), task.seconds !== null && ` in ${seconds(task.seconds)}`),
    task.reason && h("p", { class: "node-why" }, task.reason),
    task.state === "finished" && section("Result", resultOf(task, { full: true, alt: task.reading || taskTitle(task.task) }), resultTools(task)),
    section("Model", model(task)),
    section("Takes", inputs(task, run)),
    task.retries.length > 0 && section("Tried before", h("ul", { class: "tried" }, task.retries.map(({ reason, choice }) => h("li", {}, choice && h("span", { class: "model" }, `${choice.id}: `), reason)))),
    h("p", { class: "task-id" }, `Task ${task.id} of run ${run.id ?? ""}`),
  );
}

function section(title, ...content) {
  return h("section", {}, h("h3", {}, title), content);
}

function model({ choice }) {
  if (!choice) return h("p", { class: "quiet" }, "None was chosen.");
  return [
    h("p", {}, h("span", { class: "model" }, choice.id), h("span", { class: "place" }, `on ${placeName(choice)}`)),
    choice.reason && h("p", { class: "quiet" }, choice.reason),
  ];
}

function inputs(task, run) {
  const rows = Object.entries(task.args).map(([name, value]) => {
    const items = (Array.isArray(value) ? value : [value]).map((item) => (ownFile(item) && String(item).startsWith("/") ? fileChip(ownFile(item), run.nameOf(item)) : plainText(typeof item === "string" ? item : JSON.stringify(item))));
    return [h("dt", {}, name), h("dd", {}, items)];
  });
  return rows.length ? h("dl", { class: "inputs" }, rows) : h("p", { class: "quiet" }, "Nothing.");
}

function resultTools(task) {
  const json = JSON.stringify(task.value, null, 2);
  const save = h("button", { type: "button", class: "button small", onclick: () => saveJson(`task-${task.id}.json`, task.value) }, icon("download"), "Result as JSON");
  return h("div", { class: "tools" }, copyButton(task.reading || json, "The result"), task.files.map((path) => saveLink(path)), save);
}
