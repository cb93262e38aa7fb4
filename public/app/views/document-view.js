/** A conversation as a document to be read: on the page of a link, in a file, on paper. */

import { h } from "../ui/dom.js";
import { plural, seconds, STATES, taskTitle } from "../model/format.js";
import { graphPicture } from "./graph-picture.js";
import { kindOfFile, ownFile, previewOf } from "../model/kinds.js";
import { markdown, plainText } from "./markdown.js";
import { mediaOf } from "../ui/media.js";
import { pictureFacts } from "./results.js";
import { Run } from "../model/run.js";

/** The element for stored turns under a title; a `note` stands below it. */
export function documentOf(title, turns, { note = "" } = {}) {
  const runs = turns.map((turn) => Run.fromTurn(turn));
  return h("article", { class: "document" }, h("h1", { dir: "auto" }, title), note && h("p", { class: "quiet document-note" }, note), runs.map(turnOf));
}

function turnOf(run) {
  const files = run.attached.map(({ path, kind, name }) => h("li", {}, mediaFigure(path, kind, name)));
  return h(
    "section",
    { class: "document-turn", "aria-label": `Request: ${run.request.slice(0, 80)}` },
    h("h2", {}, "Request"),
    h("p", { class: "document-request", dir: "auto" }, plainText(run.request)),
    files.length > 0 && h("ul", { class: "document-files" }, files),
    run.tasks.size > 0 && planOf(run),
    run.message && [h("h2", {}, "Answer"), h("div", { class: "answer markdown" }, markdown(run.message, namesOf(run)))],
    !run.message && h("p", { class: "quiet" }, run.error || "There is no answer."),
    run.files.size > 0 && h("ul", { class: "document-files" }, [...run.files].map(([path, task]) => h("li", {}, mediaFigure(path, kindOfFile(path), taskTitle(task.task), pictureFacts(task, path))))),
  );
}

function planOf(run) {
  const rows = [...run.tasks.values()].map((task) =>
    h("tr", {}, h("td", {}, String(task.id)), h("td", {}, taskTitle(task.task)), h("td", {}, task.choice?.id ?? ""), h("td", { dir: "auto" }, task.state === "finished" && !task.files.includes(task.reading) ? task.reading : ""), h("td", {}, [STATES[task.state], seconds(task.seconds)].filter(Boolean).join(", "))),
  );
  const heads = ["Task", "What", "Model", "Result", "State"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "details",
    { class: "document-plan", open: true },
    h("summary", {}, `Plan of ${plural(run.tasks.size, "task")}`),
    h("div", { class: "document-graph", tabindex: "0", role: "group", "aria-label": "The plan as a picture" }, graphPicture(run, thumbnails(run))),
    h("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Tasks" }, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))),
  );
}

/** The URLs of small pictures of all pictures of a run, by their paths. */
export function thumbnails(run) {
  const paths = [...run.files.keys(), ...[...run.tasks.values()].flatMap(({ planned }) => Object.values(planned).flat())];
  const pictures = paths.filter((path) => typeof path === "string" && kindOfFile(path) === "image" && ownFile(path));
  return new Map(pictures.map((path) => [path, previewOf(ownFile(path), 480)]));
}

function mediaFigure(path, kind, name, facts = {}) {
  return h("figure", {}, mediaOf(path, kind, { alt: name, ...facts }), h("figcaption", { dir: "auto" }, name));
}

function namesOf(run) {
  const made = [...run.files].map(([path, task]) => [path, `${taskTitle(task.task)}.${path.split(".").pop()}`]);
  return new Map([...run.attached.map(({ path }) => [path, run.nameOf(path)]), ...made]);
}

/** Replaces what needs the page by what does not: buttons by what they show, players by names, where that is wanted. */
export function withoutButtons(root) {
  for (const chip of root.querySelectorAll("button.file-chip")) chip.replaceWith(h("span", { class: "file-name" }, chip.textContent));
  for (const button of root.querySelectorAll("button")) {
    const image = button.querySelector("img");
    if (image) button.replaceWith(image);
    else button.remove();
  }
  for (const wave of root.querySelectorAll(".wave")) wave.remove();
  for (const element of root.querySelectorAll("[tabindex]")) element.removeAttribute("tabindex");
  for (const image of root.querySelectorAll("img")) image.loading = "eager";
  return root;
}

