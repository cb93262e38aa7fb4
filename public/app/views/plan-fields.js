/** The fields in which a task of a plan is changed: where an argument comes from, what it says, and which model does it. */

import { api } from "../model/api.js";
import { fill, h } from "../ui/dom.js";
import { referenceIn, referenceTo } from "../model/draft.js";
import { plural, shortName, taskTitle } from "../model/format.js";
import { acceptedSuffixes, takes } from "../model/kinds.js";
import { icon } from "../ui/icons.js";

const WORDS = "words";
const known = new Map(); // the candidates of each task type, asked for once
let count = 0;

/**
 * The field of an argument: a list of the files and results that it may take, and a box for words.
 *
 * `on.changed(value, isText)` is called with a new value, which may have been written in the box, `on.failed(message)` when
 * a file cannot be uploaded. An argument that is a list has a line for each item.
 */
export function argumentField(draft, task, { name, kind, required }, on) {
  const id = `field-${++count}`;
  const value = task.args[name];
  const [chosen, options] = sources(draft, task, kind, value);
  const select = h("select", { id, "data-field": `${task.id} ${name}`, onchange: () => on.changed(select.value === WORDS ? "" : select.value, false) }, options);
  select.value = chosen;
  const words = chosen === WORDS && isWords(kind) && h("textarea", { rows: 1, "data-field": `${task.id} ${name} words`, "aria-label": `${name}, in words`, onchange: (event) => on.changed(fromText(event.target.value, value), true) });
  if (words) words.value = asText(value);
  const label = h("label", { for: id }, name, !required && h("span", { class: "quiet" }, " (may be empty)"));
  return h("div", { class: "field" }, label, h("div", { class: "field-body" }, select, words, uploadButton(`Another file for ${name}`, on, (file) => {
    draft.attach(file);
    on.changed(file.path, false);
  })));
}

function isWords(kind) {
  return kind === "text" || kind === "table";
}

/** [the chosen source, the sources] of an argument: files, results of other tasks, and words. */
function sources(draft, task, kind, value) {
  const files = draft.attached.filter((file) => takes(kind, file.kind)).map(({ path, name }) => [path, name]);
  const slots = draft.openSlots.filter((slot) => takes(kind, slot.kind)).map(({ name }) => [name, `${name} (no file yet)`]);
  const results = draft.givers(task.id).map((other) => [referenceTo(other.id), `Result of task ${other.id}: ${taskTitle(other.task)}`]);
  const source = referenceIn(value);
  const current = source === null ? value : referenceTo(source);
  const named = [...files, ...slots, ...results];
  const isNamed = named.some(([path]) => path === current);
  const isFile = kind !== "text" && !isNamed && typeof current === "string" && current !== "" && !current.includes("\n");
  if (isFile || (source !== null && !isNamed)) named.push([current, source === null ? shortName(current, 40) : `Result of task ${source}, which is not there`]);
  const own = isWords(kind) ? "Words" : "None";
  const options = [[WORDS, own], ...named].map(([of, text]) => h("option", { value: of }, text));
  return [isNamed || isFile || source !== null ? current : WORDS, options];
}

function asText(value) {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

/** A text as the value that it stands for: a list has a line for each item. */
function fromText(text, before) {
  if (Array.isArray(before)) return text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (typeof before !== "object" || before === null) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // the check says what is wrong with it
  }
}

/** A button for a file of this device; `use(file)` gets {name, path, kind} when it is uploaded. */
export function uploadButton(text, on, use) {
  const input = h("input", { type: "file", class: "hidden-text", tabindex: "-1", accept: acceptedSuffixes(), "aria-label": text });
  const button = h("button", { type: "button", class: "icon-button tiny", "aria-label": text, title: text, onclick: () => input.click() }, icon("clip"));
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    button.disabled = true;
    try {
      const { path, kind } = await api.upload(file, file.name);
      use({ name: file.name, path, kind });
    } catch (error) {
      on.failed(`${file.name}: ${error.message}`);
    }
    button.disabled = false;
    input.value = "";
  });
  return [button, input];
}

/** The field of the model: the candidates, and what is known of the chosen one. `none` says what no choice means. */
export function modelField(task, none, changed) {
  const id = `field-${++count}`;
  const facts = h("p", { class: "facts quiet", id: `${id}-facts` });
  const select = h("select", { id, "data-field": `${task.id} model`, "aria-describedby": facts.id });
  const draw = (models) => {
    const chosen = select.isConnected || select.value ? select.value : (task.model ?? "");
    const others = chosen && !models.some((model) => model.id === chosen) ? [{ id: chosen }] : [];
    fill(select, h("option", { value: "" }, none), [...models, ...others].map((model) => h("option", { value: model.id }, model.place ? `${model.id}, on ${model.place}` : model.id)));
    select.value = chosen;
    tell(models);
  };
  const tell = (models) => {
    const model = models.find((one) => one.id === select.value);
    facts.textContent = model ? [model.about, model.downloads > 0 && plural(model.downloads.toLocaleString("en"), "download")].filter(Boolean).join(" · ") : "";
  };
  let models = [];
  draw(models);
  select.value = task.model ?? "";
  select.addEventListener("change", () => {
    tell(models);
    changed(select.value);
  });
  candidates(task.task).then(
    (found) => draw((models = found)),
    (error) => (facts.textContent = error.message),
  );
  return h("div", { class: "field" }, h("label", { for: id }, "Model"), h("div", { class: "field-body" }, select, facts));
}

function candidates(task) {
  if (!known.has(task)) {
    known.set(task, api.models(task).catch((error) => {
      known.delete(task); // it is asked for again
      throw error;
    }));
  }
  return known.get(task);
}
