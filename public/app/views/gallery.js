/** All files of the server: what was uploaded, and what experts made. */

import { api } from "../model/api.js";
import { confirm, toast } from "../ui/dialogs.js";
import { announce, fill, h, hiddenText, label } from "../ui/dom.js";
import { bytes, plural } from "../model/format.js";
import { previewOf } from "../model/kinds.js";
import { icon } from "../ui/icons.js";
import { showFile, thumbnail } from "../ui/media.js";

const KINDS = { "": "All kinds", image: "Pictures", audio: "Recordings", video: "Videos", table: "Tables", text: "Documents" };
const FROM = { "": "Made and uploaded", true: "Made", false: "Uploaded" };
const TYPING = 250; // ms without a key until what was typed is looked for

export class Gallery {
  /** Files are shown in the place of `conversation`; `on.reuse(files)` attaches some to the next request. */
  constructor(conversation, on) {
    this.conversation = conversation;
    this.on = on;
    this.id = null;
    this.running = false;
    this.live = null;
    this.title = "Files";
    this.path = "#/files";
    this.view = { kind: "", made: "", search: "" };
    this.files = [];
    this.total = 0;
    this.size = 0; // of all that were asked for, in bytes
    this.chosen = new Map();
  }

  close() {
    this.id = null;
    clearTimeout(this.typing);
  }

  open() {
    this.id = "files";
    this.view = { kind: "", made: "", search: "" };
    this.files = [];
    this.total = 0;
    this.chosen = new Map();
    this.list = h("ul", { class: "gallery", "aria-label": "Files" });
    this.told = h("p", { class: "quiet", role: "status" });
    this.more = h("button", { type: "button", class: "button small", hidden: true, onclick: () => this.load(this.files.length) }, "Show more");
    this.tools = h("div", { class: "tools gallery-tools", role: "group", "aria-label": "What is done with the chosen files" });
    const heading = h("h2", { tabindex: "-1" }, "Files");
    const element = h("div", { class: "gallery-page" }, heading, h("p", { class: "quiet" }, "What was uploaded to this server, and what its experts made."), this.filters(), this.tools, this.told, this.list, this.more);
    this.conversation.startNew(element);
    heading.focus({ preventScroll: true });
    this.drawTools();
    return this.load();
  }

  filters() {
    const choice = (name, text, options) => h("label", {}, hiddenText(text), h("select", { onchange: (event) => this.look({ [name]: event.target.value }) }, Object.entries(options).map(([value, said]) => h("option", { value }, said))));
    const words = h("input", {
      type: "search",
      placeholder: "Find by name",
      "aria-label": "Find a file by its name",
      autocomplete: "off",
      oninput: () => {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.look({ search: words.value }), TYPING);
      },
    });
    return h("div", { class: "gallery-filters" }, words, choice("kind", "Kind", KINDS), choice("made", "From", FROM));
  }

  look(change) {
    Object.assign(this.view, change);
    return this.load();
  }

  async load(offset = 0) {
    const { view } = this;
    const asked = JSON.stringify(view);
    try {
      const { files, total, bytes: size } = await api.files({ ...view, offset });
      if (!this.id || asked !== JSON.stringify(this.view)) return; // something else was asked for meanwhile
      const known = new Set(offset ? this.files.map(({ path }) => path) : []);
      this.files = offset ? [...this.files, ...files.filter(({ path }) => !known.has(path))] : files;
      this.total = total;
      this.size = size;
      this.draw();
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  draw() {
    this.told.textContent = this.total ? `${plural(this.total, "file")}, ${bytes(this.size)}` : "There are no such files.";
    this.more.hidden = this.files.length >= this.total;
    fill(this.list, this.files.map((file) => this.item(file)));
  }

  item(file) {
    const { path, name, kind, bytes: size, made } = file;
    const box = h("input", { type: "checkbox", checked: this.chosen.has(path), "aria-label": `Choose ${name}`, onchange: () => this.choose(file, box.checked) });
    const open = h("button", { type: "button", class: "gallery-open", onclick: () => showFile(path, kind, name) }, kind === "image" ? h("span", { class: "thumb" }, h("img", { src: previewOf(path, 480), alt: "", loading: "lazy", decoding: "async" })) : thumbnail(path, kind), h("span", { class: "gallery-name" }, name), h("span", { class: "quiet" }, `${made ? "made" : "uploaded"}, ${bytes(size)}`));
    return h("li", { class: "gallery-file", "data-path": path }, box, open);
  }

  choose(file, on) {
    if (on) this.chosen.set(file.path, file);
    else this.chosen.delete(file.path);
    this.drawTools();
  }

  drawTools() {
    const chosen = [...this.chosen.values()];
    const button = (name, text, onclick) => h("button", { type: "button", class: "button small", disabled: !chosen.length, onclick }, icon(name), text);
    const all = h("button", { type: "button", class: "button small", onclick: () => this.chooseAll(chosen.length === 0) }, icon("check"), chosen.length ? "Choose none" : "Choose all that are shown");
    const zip = button("download", "Save as ZIP", () => this.zip(chosen));
    const remove = button("trash", "Delete", () => this.remove(chosen));
    label(zip, "Save the chosen files as ZIP");
    label(remove, "Delete the chosen files");
    fill(this.tools, all, button("clip", "Use in a request", () => this.on.reuse(chosen)), zip, remove, h("span", { class: "quiet" }, chosen.length ? `${chosen.length} chosen` : ""));
  }

  chooseAll(on) {
    this.chosen = new Map(on ? this.files.map((file) => [file.path, file]) : []);
    this.drawTools();
    this.draw();
    this.tools.querySelector("button").focus();
  }

  async zip(files) {
    try {
      const url = URL.createObjectURL(await api.zip(files.map(({ path }) => path)));
      const link = h("a", { href: url, download: "files.zip" });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }

  /** Deletes files; those that a conversation or a table has only once that is confirmed. */
  async remove(files) {
    if (!(await confirm({ title: "Delete these files?", text: `${plural(files.length, "file")} will be deleted from the server.`, action: "Delete" }))) return;
    const used = await this.removed(files, false);
    const also = used.length > 0 && (await confirm({ title: "Delete files that are used?", text: `${plural(used.length, "file")} of them ${used.length === 1 ? "is" : "are"} in a conversation or a table, which then cannot show ${used.length === 1 ? "it" : "them"} any more.`, action: "Delete them, too" }));
    if (also) await this.removed(used, true);
    announce("The files are deleted.");
    await this.load();
    this.drawTools();
  }

  /** Deletes files; resolves to those that are used. */
  async removed(files, evenUsed) {
    const used = [];
    for (const file of files) {
      try {
        await api.deleteFile(file.path, evenUsed);
      } catch (error) {
        if (error.status === 409) {
          used.push(file);
          continue;
        }
        if (error.status !== 404) {
          toast(error.message, { bad: true });
          return [];
        }
      }
      this.chosen.delete(file.path);
    }
    return used;
  }

  cancel() {}
}
