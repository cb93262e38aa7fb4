/** The server's configuration, what a key would add, and the prompt for its token. */

import { api, onUnauthorized } from "../model/api.js";
import { choices, chosenFields } from "../model/choices.js";
import { dialog, toast } from "../ui/dialogs.js";
import { byId, fill, h } from "../ui/dom.js";
import { plural, taskTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";

export class ServerStatus {
  /** `on.known(status)` is called when the status has arrived. */
  constructor(on) {
    this.on = on;
    this.status = null;
    this.loading = null; // resolves when the server has answered, or cannot be reached
    byId("status").addEventListener("click", () => this.show());
    onUnauthorized(askForToken);
  }

  load() {
    return (this.loading = this.ask());
  }

  async ask() {
    const button = byId("status");
    try {
      this.status = await api.status();
    } catch (error) {
      fill(button, h("span", { class: "dot bad" }), h("span", {}, "The server cannot be reached"));
      button.title = error.message;
      return;
    }
    this.draw();
    this.on.known(this.status);
  }

  /** The button: the language model of the requests of this browser, and how many experts there are. */
  draw() {
    if (!this.status) return;
    const { llm, experts } = this.status;
    const { key, planner } = choices();
    const { llm_model: named } = chosenFields(llm);
    const isOffline = (llm.offline && !key) || planner === "offline";
    const text = key ? `${named ?? "Language model"}, your key` : llm.offline ? "Offline" : (named ?? llm.model ?? llm.name);
    fill(byId("status"), h("span", { class: isOffline ? "dot" : "dot good" }), h("span", {}, text), experts.length > 0 && h("span", { class: "quiet" }, plural(experts.length, "expert")));
  }

  show() {
    if (!this.status) return this.load();
    const { llm, endpoints, experts, hints, signed_in: signedIn } = this.status;
    const { body } = dialog({ title: "What this server works with" });
    return fill(
      body,
      h("h3", {}, "Language model"),
      h("p", {}, llm.here ? `${llm.model}, on this server (${hereText(llm.here)})` : llm.offline ? "None: requests are planned and answered offline, by a small learned planner, in English." : `${llm.model ?? "the service's own choice"} (${llm.name})`),
      h("h3", {}, "Where experts run"),
      h("ul", { class: "places" }, endpoints.map(({ label, about, ready, untried, problem, details }) => h("li", {}, h("span", { class: ready && !untried ? "dot good" : "dot" }), h("span", {}, h("strong", {}, taskTitle(label)), ` ${untried ? "configured" : ready ? "ready" : problem}`, about !== label && h("span", { class: "quiet block" }, about), details?.map((line) => h("span", { class: "quiet block" }, line)))))),
      hints.length > 0 && [h("h3", {}, "What would add more"), h("ul", { class: "hints" }, hints.map((hint) => h("li", {}, hint)))],
      experts.length > 0 && [h("h3", {}, plural(experts.length, "embedded expert")), h("ul", { class: "experts" }, experts.map(({ id, task, about }) => h("li", {}, h("strong", {}, taskTitle(task)), h("span", { class: "model" }, id), h("span", { class: "quiet block" }, about))))],
      signedIn && h("div", { class: "dialog-actions" }, h("button", { type: "button", class: "button", onclick: signOut }, "Sign out")),
    );
  }
}

async function signOut() {
  try {
    await api.logout();
    location.reload();
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

/** A language model that runs on the server: its file, and how fast it was when it ran last. */
function hereText({ bytes, memory, threads, read, written, running }) {
  const parts = [`${(bytes / 1e9).toFixed(1)} GB`, running ? "running" : "starts when it is needed"];
  if (memory) parts.push(`${(memory / 1e9).toFixed(1)} GB of memory`, `threads ${threads}`);
  if (read && written) parts.push(`${read} tokens a second read, ${written} written`);
  return parts.join(", ");
}

/** The note on the empty page when there is no language model; nothing when there is one. */
export function offlineNote({ llm, experts, hints }) {
  if (!llm.offline) return null;
  return h(
    "details",
    { class: "offline-note" },
    h("summary", {}, icon("key"), h("span", {}, h("strong", {}, "Running offline. "), `Requests are planned by a small learned planner and done by ${plural(experts.length, "small expert")} on this machine. `, h("span", { class: "ask-more" }, "What would a key add?"))),
    h("p", {}, "A language model plans any request in any language, chooses among models and writes the answers. Hugging Face adds thousands of models, such as those that paint, translate or make videos."),
    h("ul", {}, hints.map((hint) => h("li", {}, hint))),
  );
}

async function askForToken() {
  const { body, heading, close, closed } = dialog({ title: "This server asks for its token", className: "small", closable: false });
  const field = h("input", { type: "password", id: "token", autocomplete: "current-password", required: true, "aria-describedby": "token-about token-error" });
  const trouble = h("p", { class: "form-error", id: "token-error", role: "alert" });
  const enter = h("button", { type: "submit", class: "button primary" }, "Enter");
  const form = h(
    "form",
    {},
    h("p", { id: "token-about", class: "quiet" }, "It is set as http_listen.token in the server's settings, and this browser stays signed in for 30 days."),
    h("input", { type: "text", autocomplete: "username", value: "hugginggpt", readonly: true, hidden: true }), // for password managers
    h("label", { for: "token" }, "Token"),
    field,
    trouble,
    h("div", { class: "dialog-actions" }, enter),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    enter.disabled = true;
    try {
      await api.login(field.value);
      close(true);
    } catch (error) {
      trouble.textContent = error.message;
      field.select();
    }
    enter.disabled = false;
  });
  fill(body, form);
  heading.tabIndex = -1;
  field.focus();
  return (await closed) === true;
}
