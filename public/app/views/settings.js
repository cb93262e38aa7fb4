/** The settings of this browser: who plans, and a language model of one's own. */

import { choices, choose, PLANNERS } from "../model/choices.js";
import { dialog } from "../ui/dialogs.js";
import { byId, fill, h, label } from "../ui/dom.js";
import { icon } from "../ui/icons.js";

const PLANNER_WORDS = {
  "": "As the server is set up",
  auto: "The offline planner where it is sure, else the language model",
  llm: "The language model",
  offline: "The offline planner",
};

/**
 * Has the button open the settings. `status()` resolves to what the server tells of itself, to null where it cannot be
 * reached; `changed()` is called after a change.
 */
export function setUpSettings(status, changed) {
  const button = byId("settings");
  fill(button, icon("settings"));
  label(button, "Settings");
  let opening = false;
  button.addEventListener("click", async () => {
    if (opening) return; // one window, however often it is clicked before the server has answered
    opening = true;
    const known = await status();
    opening = false;
    show(known, changed);
  });
}

async function show(status, changed) {
  const { body, close, closed } = dialog({ title: "Settings" });
  const { llm } = status ?? {};
  const now = choices();
  const planner = h("select", { id: "set-planner" }, ["", ...PLANNERS].map((name) => h("option", { value: name }, PLANNER_WORDS[name])));
  planner.value = now.planner;
  const key = h("input", { type: "password", id: "set-key", autocomplete: "off", spellcheck: "false", maxlength: 500, pattern: "[!-~]*", "aria-describedby": "about-key" });
  key.value = now.key;
  const model = h("input", { type: "text", id: "set-model", autocomplete: "off", spellcheck: "false", maxlength: 200, list: "served-models", "aria-describedby": "about-model settings-error" });
  model.value = now.model;
  const trouble = h("p", { class: "form-error", id: "settings-error", role: "alert" });
  const service = !llm || llm.offline || llm.here ? "OpenAI" : `the service of this server (${llm.name})`;
  const form = h(
    "form",
    { novalidate: true, autocomplete: "off" },
    h("label", { for: "set-planner" }, "Who plans"),
    planner,
    h("h3", {}, "Language model"),
    h("p", {}, `Of this server: ${llmText(llm)}.`),
    h("label", { for: "set-key" }, "A key of your own"),
    key,
    h("p", { class: "quiet", id: "about-key" }, `For ${service}. This tab keeps it until it is closed; it goes with your requests and is stored nowhere else. Goals are worked on with the server's model.`),
    h("label", { for: "set-model" }, "Model"),
    model,
    h("datalist", { id: "served-models" }, (llm?.models ?? []).map((name) => h("option", { value: name }))),
    h("p", { class: "quiet", id: "about-model" }, llm?.chooses ? "By its name; empty: the one that this server has chosen." : "By its name, for requests with a key of your own; empty: the usual one."),
    trouble,
    h("div", { class: "dialog-actions" }, h("button", { type: "button", class: "button", onclick: () => close({ planner: "", model: "", key: "" }) }, "Forget all"), h("button", { type: "submit", class: "button primary" }, "Save")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!key.checkValidity()) return tell("A key has printable characters without blanks.", key);
    if (model.value.trim() && !key.value.trim() && !llm?.chooses) return tell("A model by its name needs a key of your own here.", key);
    return close({ planner: planner.value, model: model.value, key: key.value });
  });
  const tell = (text, field) => {
    trouble.textContent = text;
    field.focus();
  };
  fill(body, form);
  planner.focus();
  const given = await closed;
  if (!given) return;
  choose(given);
  changed();
}

function llmText(llm) {
  if (!llm) return "not known, as it cannot be reached";
  if (llm.offline) return "none; requests are planned and answered offline";
  return `${llm.model ?? "the service's own choice"} (${llm.name})`;
}
