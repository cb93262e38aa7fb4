/** The earlier conversations, beside the page or, where it is narrow, in a drawer over it. */

import { api } from "./api.js";
import { confirm, toast } from "./dialogs.js";
import { byId, fill, h, hiddenText, label } from "./dom.js";
import { chatTitle } from "./format.js";
import { icon } from "./icons.js";

const DAY = 86_400_000;
const CHAT = {
  kind: "conversation",
  what: "with its answers is deleted; a request of it that is being worked on is cancelled. Files that were made stay in the server's public folder, and run records in its log folder.",
  remove: api.deleteChat,
};
const GOAL = {
  kind: "goal",
  what: "with its steps and all files of its workspace is deleted; if it is being worked on, it is ended first. Save the files that you want to keep.",
  remove: api.deleteGoal,
};

export class Sidebar {
  /** `on.deleted(id)` is called when a conversation or a goal was deleted. */
  constructor(on) {
    this.on = on;
    this.chats = [];
    this.element = byId("sidebar");
    this.narrow = matchMedia("(max-width: 860px)");
    fill(byId("new-chat"), icon("plus"), "New conversation");
    fill(byId("new-chat-top"), icon("plus"));
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
    try {
      const [chats, goals] = await Promise.all([api.chats(), api.goals()]);
      this.chats = [...chats, ...goals.map((goal) => ({ ...goal, isGoal: true }))].sort((a, b) => b.updated - a.updated);
    } catch (error) {
      fill(byId("chats"), h("p", { class: "quiet padded" }, error.message));
      return;
    }
    this.draw();
  }

  /** Marks the displayed conversation. */
  mark(id, running) {
    this.shown = id;
    this.running = running;
    this.draw();
  }

  draw() {
    const focused = document.activeElement?.closest?.(".chat-item")?.dataset.chat;
    const groups = Object.groupBy(this.chats, ({ updated }) => dayOf(updated * 1000));
    const sections = Object.entries(groups).map(([day, chats]) => [h("h2", { class: "chats-day" }, day), h("ul", {}, chats.map((chat) => this.item(chat)))]);
    fill(byId("chats"), sections.length ? sections : h("p", { class: "quiet padded" }, "Conversations are kept on this server and listed here."));
    if (focused) byId("chats").querySelector(`[data-chat="${CSS.escape(focused)}"] a`)?.focus();
  }

  item({ id, title, isGoal, status }) {
    const shown = id === this.shown;
    const name = chatTitle(title);
    const what = isGoal ? GOAL : CHAT;
    const remove = h("button", { type: "button", class: "icon-button tiny", onclick: () => this.remove(id, name, what) }, icon("trash"));
    label(remove, `Delete: ${name}`);
    if (isGoal) return goalItem(id, name, status, shown, remove);
    const link = h("a", { href: `#/${id}`, "aria-current": shown ? "page" : null, title: name }, name);
    return h("li", { class: "chat-item", "data-chat": id }, link, shown && this.running && h("span", { class: "dot busy", role: "img", "aria-label": "running" }), remove);
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

function goalItem(id, name, status, shown, remove) {
  const text = { working: "is being worked on", waiting: "waits for your decision" }[status];
  const dot = text && h("span", { class: `dot ${status === "working" ? "busy" : "asks"}`, role: "img", "aria-label": text, title: text });
  const link = h("a", { href: `#/goal/${id}`, "aria-current": shown ? "page" : null, title: name }, icon("goal"), hiddenText("Goal: "), h("span", {}, name));
  return h("li", { class: "chat-item goal-item", "data-chat": id }, link, dot, remove);
}

function dayOf(time) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (time >= midnight) return "Today";
  if (time >= midnight - DAY) return "Yesterday";
  if (time >= midnight - 7 * DAY) return "This week";
  return "Earlier";
}
