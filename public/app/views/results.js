/**
 * Results of tasks as elements. The server names the form of a result; one of an unknown form, for example of a
 * plug-in, is shown as JSON. All text in a result is untrusted.
 */

import { h, style } from "../ui/dom.js";
import { percent } from "../model/format.js";
import { kindOfFile, ownFile, pictureUrl } from "../model/kinds.js";
import { mediaOf } from "../ui/media.js";
import { hasBoxes, regionsOver } from "../ui/regions.js";
import { toggle } from "../ui/viewer.js";

const FORMS = new Map([
  ["text", (value, more) => showText(value["generated text"], more)],
  ["text-file", showTextFile],
  ["labels", showLabels],
  ["boxes", showRegions],
  ["masks", showRegions],
  ["entities", showEntities],
  ["answer", (value, more) => showAnswers([value], more)],
  ["answers", showAnswers],
  ["scores", (value) => h("p", { class: "figure" }, value.map((score) => score.toFixed(2)).join(", "))],
  ["classes", (value, more) => showText(value.join(", "), more)],
  ["filled", (value, more) => showText(String(value[0].sequence), more)],
  ["image", showFileOf("image")],
  ["audio", showFileOf("audio")],
  ["video", showFileOf("video")],
  ["document", showFileOf("document")],
]);

/** The element for a task's result: abbreviated for a card of the graph, or in `full`. */
export function resultOf({ value, form, args = {} }, { full = false, alt = "" } = {}) {
  /** @type {(value: any, more: any) => any} */
  const show = FORMS.get(form) ?? showJson;
  let shown;
  try {
    shown = show(value, { full, alt, args });
  } catch {
    shown = showJson(value); // a damaged record: its value does not have the form that it names
  }
  return h("div", { class: "result" }, shown);
}

/**
 * What a picture of a task's result can be looked at with: {source, regions}, as `showPicture` takes them.
 *
 * @param {{value?: any, args?: Record<string, any>}} task
 */
export function pictureFacts({ value, args = {} }, path) {
  const pictures = Object.values(args).filter((arg) => typeof arg === "string" && ownFile(arg) && kindOfFile(arg) === "image");
  const source = ownFile(args.image) ? args.image : (pictures[0] ?? null);
  return { source: source === path ? null : source, regions: Array.isArray(value?.predicted) ? value.predicted : null };
}

function showJson(value) {
  return h("pre", { class: "json" }, JSON.stringify(value, null, 1) ?? "");
}

function showFileOf(kind) {
  return (value, { alt, full, args }) => {
    const paths = value[`generated ${kind}s`] ?? [value[`generated ${kind}`]];
    return paths.slice(0, full ? paths.length : 1).map((path) => mediaOf(path, kind, { alt, zoom: full, ...pictureFacts({ value, args }, path) }));
  };
}

/** A text and, where it was made, too, the file that it is in. */
function showTextFile(value, more) {
  const hasFile = value["generated document"] ?? value["generated documents"];
  return [showText(value["generated text"], more), hasFile && showFileOf("document")(value, more)];
}

function showText(text, { full }) {
  return h("p", { class: full ? "said" : "said clamp", dir: "auto" }, text.trim() || "(no text)");
}

function showAnswers(value, { full }) {
  const lines = value.slice(0, full ? 20 : 1).map((row) => [
    h("p", { class: full ? "said" : "said clamp", dir: "auto" }, String(row.answer)),
    typeof row.score === "number" && h("p", { class: "sure" }, `${percent(row.score)} sure`),
  ]);
  return lines;
}

function showLabels(value, { full }) {
  const shown = value.slice(0, full ? 50 : 3);
  const bars = shown.map(({ label, score }) => {
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    style(bar, { "--share": String(Math.min(1, Math.max(0, Number(score) || 0))) });
    return h("li", {}, h("span", { class: "bar-label" }, String(label)), h("span", { class: "bar-score" }, percent(score)), bar);
  });
  const more = value.length - shown.length;
  return [h("ul", { class: "bars" }, bars), more > 0 && h("p", { class: "sure" }, `and ${more} more`)];
}

const ENTITY_KINDS = {
  PER: "people", PERSON: "people", LOC: "places", GPE: "places", FAC: "places", ORG: "organisations", NORP: "groups",
  DATE: "dates", MISC: "other names",
};

function showEntities(value, { full }) {
  const named = new Map();
  for (const { entity_group: group, word } of value) {
    const kind = ENTITY_KINDS[String(group).toUpperCase()] ?? String(group ?? "names").toLowerCase();
    named.set(kind, (named.get(kind) ?? new Set()).add(String(word)));
  }
  const lines = [...named].slice(0, full ? 50 : 4).map(([kind, words]) =>
    h("div", {}, h("dt", {}, kind), h("dd", {}, [...words].map((word) => h("span", { class: "tag", dir: "auto" }, word)))),
  );
  return h("dl", { class: "entities" }, lines);
}

/** A picture with regions: drawn by the server into its generated picture, else drawn here. */
function showRegions(value, { full, alt, args }) {
  const made = value["generated image"];
  const path = typeof made === "string" ? made : args.image;
  const isDrawn = typeof made === "string";
  const facts = pictureFacts({ value, args }, path);
  const shown = ownFile(path) && mediaOf(path, "image", { alt, zoom: full, ...facts });
  const counts = h("p", { class: "counts" }, counted(value.predicted));
  if (!full || !shown) return [shown, counts, full && regionList(value.predicted, null)];
  const image = shown.querySelector("img");
  const overlay = regionsOver(image, value.predicted, { faint: isDrawn });
  shown.append(overlay);
  const source = isDrawn && ownFile(facts.source);
  const isSwitched = source || (!isDrawn && hasBoxes(value.predicted));
  const marks = isSwitched && toggle("boxes", "Marks", true, (on) => {
    overlay.classList.toggle("off", !on);
    if (source) image.src = on ? pictureUrl(ownFile(path)) : pictureUrl(source);
  });
  return [h("div", { class: "regions" }, shown), marks, counts, regionList(value.predicted, overlay)];
}

function counted(predicted) {
  if (!predicted.length) return "nothing recognised";
  const counts = new Map();
  for (const { label } of predicted) counts.set(String(label), (counts.get(String(label)) ?? 0) + 1);
  return [...counts].map(([label, count]) => h("span", { class: "tag" }, count > 1 ? `${label} ×${count}` : label));
}

/** The regions as a list; hovering over or focusing one highlights it in the picture. */
function regionList(predicted, overlay) {
  const items = predicted.map(({ label, score }, number) => {
    const mark = (on) => overlay?.children[number]?.classList.toggle("marked", on);
    const text = [h("span", {}, String(label)), typeof score === "number" && h("span", { class: "bar-score" }, percent(score))];
    const row = overlay
      ? h("button", { type: "button", onfocus: () => mark(true), onblur: () => mark(false), onmouseenter: () => mark(true), onmouseleave: () => mark(false) }, text)
      : h("span", {}, text);
    return h("li", {}, row);
  });
  return h("ol", { class: "region-list" }, items);
}
