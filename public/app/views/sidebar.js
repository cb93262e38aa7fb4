/** The earlier conversations, beside the page or, where it is narrow, in a drawer over it. */

import { api } from "../model/api.js";
import { confirm, dialog, toast } from "../ui/dialogs.js";
import { byId, fill, focusedElement, h, hiddenText, label } from "../ui/dom.js";
import { chatTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";

const DAY = 86_400_000;
const TYPING = 250; // ms without a key until what was typed is looked for
const CHAT = {
  kind: "conversation",
  what: "with its answers is deleted, and the files that no other conversation has; a request of it that is being worked on is cancelled. Run records stay in the log folder of the server.",
  remove: api.deleteChat,
};
const GOAL = {
  kind: "goal",
  what: "with its steps and all files of its workspace is deleted; if it is being worked on, it is ended first. Save the files that you want to keep.",
  remove: api.deleteGoal,
};

const BATCH = {
  kind: "table",
  what: "with its results is deleted, and the files that nothing else has; if it is being worked on, it is stopped first. Save the results that you want to keep.",
  remove: api.deleteBatch,
};
const ABOUT = { working: ["busy", "is being worked on"], waiting: ["asks", "waits for your decision"], interrupted: ["asks", "was interrupted: it can go on"] };

export class Sidebar {
  /** `on.deleted(id)` is called when a conversation or a goal was deleted, `on.renamed(id, title)` when one has another name. */
  constructor(on) {
    this.on = on;
    this.chats = [];
    this.words = "";
    this.more = false;
    this.element = byId("sidebar");
    this.narrow = matchMedia("(max-width: 860px)");
    fill(byId("new-chat"), icon("plus"), "New conversation");
    fill(byId("new-chat-top"), icon("plus"));
    fill(byId("many-files"), icon("table"), "Many files");
    fill(byId("all-files"), icon("image"), "Files");
    fill(byId("open-sidebar"), icon("menu"));
    fill(byId("close-sidebar"), icon("close"));
    byId("open-sidebar").addEventListener("click", () => this.setOpen(true));
    byId("close-sidebar").addEventListener("click", () => this.setOpen(false));
    byId("veil").addEventListener("click", () => this.setOpen(false));
    this.element.addEventListener("click", (event) => {
      if (!event.target.closest("a") || !this.narrow.matches) return;
      this.setOpen(false, { focus: false });
      byId("title").focus();
    });
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.narrow.matches && this.setOpen(false));
    this.narrow.addEventListener("change", () => this.setOpen(false, { focus: false }));
    this.setOpen(false, { focus: false });
    let typing = null;
    byId("find-chat").addEventListener("input", ({ target }) => {
      clearTimeout(typing);
      typing = setTimeout(() => {
        this.words = target.value.trim();
        this.load();
      }, TYPING);
    });
  }

  /** Makes the drawer inert while it is closed, and the page while it is open. */
  setOpen(open, { focus = true } = {}) {
    this.element.classList.toggle("open", open);
    this.element.inert = this.narrow.matches && !open;
    document.querySelector(".stage").inert = this.narrow.matches && open;
    byId("veil").hidden = !open;
    byId("open-sidebar").setAttribute("aria-expanded", String(open));
    if (focus) byId(open ? "close-sidebar" : "open-sidebar").focus();
  }

  async load() {
    const { words } = this;
    try {
      const [{ chats, more }, goals, batches] = await Promise.all([api.chats(words), api.goals(), api.batches()]);
      if (words !== this.words) return; // other words were typed meanwhile
      this.more = more;
      const others = [...goals.map((goal) => ({ ...goal, is: GOAL })), ...batches.map((batch) => ({ ...batch, is: BATCH }))];
      const meant = others.filter(({ title }) => title.toLowerCase().includes(words.toLowerCase()));
      this.chats = [...chats, ...meant].sort((a, b) => Number(b.pinned ?? false) - Number(a.pinned ?? false) || b.updated - a.updated);
    } catch (error) {
      fill(byId("chats"), h("p", { class: "quiet padded" }, error.message));
      return;
    }
    this.draw();
  }

  /** Lists further conversations. */
  async loadMore() {
    const known = this.chats.filter(({ is }) => !is);
    try {
      const { chats, more } = await api.chats(this.words, known.length);
      const ids = new Set(known.map(({ id }) => id));
      this.chats.push(...chats.filter(({ id }) => !ids.has(id)));
      this.more = more;
    } catch (error) {
      toast(error.message, { bad: true });
    }
    this.draw();
  }

  /** Marks the displayed conversation. */
  mark(id, running) {
    this.shown = id;
    this.running = running;
    byId("many-files").setAttribute("aria-current", String(id === "new"));
    byId("all-files").setAttribute("aria-current", String(id === "files"));
    this.draw();
  }

  draw() {
    const focused = focusedElement()?.closest(".chat-item")?.dataset.chat;
    const groups = Object.groupBy(this.chats, ({ updated, pinned }) => (pinned ? "Pinned" : dayOf(updated * 1000)));
    const sections = Object.entries(groups).map(([day, chats]) => [h("h2", { class: "chats-day" }, day), h("ul", {}, chats.map((chat) => this.item(chat)))]);
    const none = this.words ? "No conversation has these words." : "Conversations are kept on this server and listed here.";
    const more = this.more && h("button", { type: "button", class: "button small wide", onclick: () => this.loadMore() }, "Show more");
    fill(byId("chats"), sections.length ? [...sections, more] : h("p", { class: "quiet padded" }, none));
    if (focused) byId("chats").querySelector(`[data-chat="${CSS.escape(focused)}"] a`)?.focus();
  }

  item({ id, title, is, status, pinned }) {
    const shown = id === this.shown;
    const name = chatTitle(title);
    const what = is ?? CHAT;
    const remove = h("button", { type: "button", class: "icon-button tiny", onclick: () => this.remove(id, name, what) }, icon("trash"));
    label(remove, `Delete: ${name}`);
    if (is) return otherItem(id, name, status, shown, remove, is);
    const change = h("button", { type: "button", class: "icon-button tiny", onclick: () => this.change(id, title, pinned) }, icon("pen"));
    label(change, `Rename or pin: ${name}`);
    const link = h("a", { href: `#/${id}`, dir: "auto", "aria-current": shown ? "page" : null, title: name }, name);
    return h("li", { class: "chat-item", "data-chat": id }, link, shown && this.running && h("span", { class: "dot busy", role: "img", "aria-label": "running" }), change, remove);
  }

  /** Renames or pins a conversation. */
  async change(id, name, pinned) {
    const { body, close, closed } = dialog({ title: "This conversation", className: "small" });
    const field = h("input", { type: "text", dir: "auto", id: "chat-title", maxlength: 100, required: true, autocomplete: "off" });
    field.value = name;
    const pin = h("input", { type: "checkbox", checked: pinned });
    const form = h("form", {}, h("label", { for: "chat-title" }, "Name"), field, h("label", { class: "check" }, pin, " Keep it at the top"), h("div", { class: "dialog-actions" }, h("button", { type: "submit", class: "button primary" }, "Save")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      close({ title: field.value, pinned: pin.checked });
    });
    fill(body, form);
    field.select();
    const change = await closed;
    if (!change) return;
    try {
      const head = await api.changeChat(id, change);
      this.on.renamed(id, head.title);
    } catch (error) {
      toast(error.message, { bad: true });
    }
    await this.load();
  }

  async remove(id, name, { kind, what, remove }) {
    const sure = await confirm({ title: `Delete this ${kind}?`, text: `“${name}” ${what}`, action: "Delete" });
    if (!sure) return;
    try {
      await remove(id);
    } catch (error) {
      if (error.status !== 404) return toast(error.message, { bad: true });
    }
    toast(`The ${kind} is deleted.`);
    this.on.deleted(id);
    await this.load();
    byId("new-chat").focus();
  }
}

/** A goal or a batch. */
function otherItem(id, name, status, shown, remove, is) {
  const [look, text] = ABOUT[status] ?? [];
  const dot = text && h("span", { class: `dot ${look}`, role: "img", "aria-label": text, title: text });
  const [href, sign, what] = is === GOAL ? [`#/goal/${id}`, "goal", "Goal: "] : [`#/batch/${id}`, "table", "Many files: "];
  const link = h("a", { href, "aria-current": shown ? "page" : null, title: name }, icon(sign), hiddenText(what), h("span", {}, name));
  return h("li", { class: "chat-item goal-item", "data-chat": id }, link, dot, remove);
}

function dayOf(time) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (time >= midnight) return "Today";
  if (time >= midnight - DAY) return "Yesterday";
  if (time >= midnight - 7 * DAY) return "This week";
  return "Earlier";
}
