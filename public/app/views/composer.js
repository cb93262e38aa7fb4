/** The form for requests: text, and files that are chosen, dropped, pasted or recorded. */

import { api } from "../model/api.js";
import { announce, byId, fill, h, label } from "../ui/dom.js";
import { shortened } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { thumbnail, showFile } from "../ui/media.js";
import { Recorder } from "../ui/recorder.js";
import { tab } from "../model/kept.js";
import { Queue } from "./queue.js";

const MODES = {
  chat: { label: "Your request", placeholder: "Write a request, or drop a file", cancel: "Cancel the request" },
  goal: { label: "Your goal", placeholder: "Say what is to be reached", cancel: "Cancel the goal" },
};

const DRAFT = "draft"; // what this tab keeps of the form over a reload
const BOUNDS = ["steps", "tokens", "minutes", "cost", "continuous"];

export class Composer {
  /**
   * `on.send(text, files)` resolves to whether the request was accepted; `on.stop()` cancels the run. `on.canWait()` says
   * whether a request may wait for the one before it.
   */
  constructor(on) {
    this.on = on;
    this.files = new Set(); // {name, path, kind, leaving}
    this.running = false;
    this.stopping = false;
    this.mode = "chat";
    this.waits = false; // whether sending waits for uploads
    this.form = byId("composer");
    this.text = byId("request");
    this.note = byId("composer-note");
    this.sendButton = byId("send");
    this.queue = new Queue({ changed: () => this.keepDraft(), back: ({ text, files }) => this.giveBack(text, files) });
    this.setUpText();
    this.setUpFiles();
    this.setUpRecording();
    byId("modes").addEventListener("change", (event) => this.setMode(event.target.value));
    this.setRunning(false);
    this.readDraft();
  }

  /** Keeps text, files and what waits, should the page be loaded again. */
  keepDraft() {
    const files = [...this.files].filter(({ path }) => path).map(({ name, path, kind }) => ({ name, path, kind }));
    const waiting = this.queue.requests;
    tab.write(DRAFT, this.text.value || files.length || waiting.length ? { text: this.text.value, files, waiting } : null);
  }

  readDraft() {
    const { text, files, waiting } = tab.read(DRAFT) ?? {};
    const all = [...(Array.isArray(waiting) ? waiting : []), { text, files }];
    const texts = all.map((one) => String(one.text ?? "")).filter(Boolean);
    if (texts.length) this.text.value = texts.join("\n");
    for (const file of all.flatMap((one) => (Array.isArray(one.files) ? one.files : []))) this.files.add({ ...file, leaving: new AbortController() });
    if (this.files.size) this.drawFiles();
    this.fit();
  }

  /** What the text is: a request ("chat") or a "goal". */
  setMode(mode) {
    this.mode = mode;
    const { label: name, placeholder } = MODES[mode];
    byId("modes").querySelector(`[value=${mode}]`).checked = true;
    byId("request-label").textContent = name;
    this.text.placeholder = placeholder;
    byId("bounds").hidden = mode !== "goal";
    byId("asks-first").hidden = byId("open-plan").hidden = mode === "goal"; // goals ask by themselves
    this.setRunning(this.running, this.stopping);
  }

  /** What a goal may take, and how many commands may run without leave: {limits, continuous}; what is empty is left out. */
  bounds() {
    const [steps, tokens, minutes, cost, continuous] = BOUNDS.map((name) => byId(`bound-${name}`).valueAsNumber || undefined);
    return { limits: { steps, tokens, seconds: minutes && minutes * 60, cost }, continuous };
  }

  /** Whether the limits of a goal can be used; the browser says what is wrong. */
  checkBounds() {
    if (this.mode !== "goal" || this.form.checkValidity()) return true;
    byId("bounds").open = true; // what is hidden cannot be pointed at
    return this.form.reportValidity();
  }

  setUpText() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.running) this.on.stop();
      else this.submit();
    });
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.submit();
    });
    this.text.addEventListener("input", () => {
      this.keepDraft();
      this.fit();
      this.holdBack();
    });
  }

  /** Fits the height to the text, up to the limit of the style sheet. */
  fit() {
    this.text.style.height = "auto";
    this.text.style.height = `${this.text.scrollHeight}px`;
  }

  setUpFiles() {
    const input = byId("file-input");
    const button = byId("attach");
    button.append(icon("clip"));
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      if (!this.on.many(input.files)) this.attach(input.files);
      input.value = "";
    });
    this.text.addEventListener("paste", (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      this.attach(event.clipboardData.files);
    });
    const veil = byId("drop-veil");
    const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
    let depth = 0;
    const show = (change) => {
      depth = Math.max(0, depth + change);
      veil.hidden = depth === 0;
    };
    addEventListener("dragenter", (event) => holdsFiles(event) && show(+1));
    addEventListener("dragleave", (event) => holdsFiles(event) && show(-1));
    addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      depth = 0;
      veil.hidden = true;
      if (!this.on.dropped(event.dataTransfer)) this.attach(event.dataTransfer.files);
    });
  }

  setUpRecording() {
    const button = byId("record");
    const clock = byId("recording");
    const recorder = new Recorder({
      changed: (seconds) => {
        const on = seconds !== null;
        button.classList.toggle("on", on);
        fill(button, icon(on ? "stop" : "mic"));
        label(button, on ? "Stop recording" : "Record sound");
        clock.hidden = !on;
        if (on) clock.textContent = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
      },
      recorded: (file) => this.attach([file]),
      failed: (text) => this.holdBack(text),
    });
    button.addEventListener("click", () => recorder.toggle());
  }

  attach(files) {
    for (const file of files) this.upload(file);
    this.text.focus();
  }

  async upload(file) {
    const item = { name: file.name, path: null, kind: null, leaving: new AbortController(), bar: h("progress", { max: 1, value: 0, "aria-label": `Upload of ${file.name}` }) };
    this.files.add(item);
    if (!this.waits) this.tell("");
    this.drawFiles();
    try {
      const { path, kind } = await api.upload(file, file.name || "pasted", item.leaving.signal, (share) => (item.bar.value = share));
      Object.assign(item, { path, kind });
      announce(`${file.name} is attached.`);
    } catch (error) {
      this.files.delete(item);
      if (!item.leaving.signal.aborted) this.holdBack(`${file.name}: ${error.message}`);
    }
    this.drawFiles();
    if (this.waits && !this.uploading) this.submit();
  }

  drawFiles() {
    const chips = [...this.files].map((item) => {
      const remove = h("button", { type: "button", class: "icon-button tiny" }, icon("close"));
      label(remove, `Remove ${item.name}`);
      remove.addEventListener("click", () => {
        item.leaving.abort();
        this.files.delete(item);
        this.holdBack();
        this.drawFiles();
        this.text.focus();
      });
      const name = h("span", {}, shortened(item.name, 30));
      const shown = item.path
        ? h("button", { type: "button", class: "chip-open", title: item.name, onclick: () => showFile(item.path, item.kind, item.name) }, thumbnail(item.path, item.kind), name)
        : h("span", { class: "chip-open uploading" }, icon("running"), name, item.bar);
      return h("li", { class: "chip" }, shown, remove);
    });
    fill(byId("attachments"), chips);
    byId("attachments").hidden = !chips.length;
    this.keepDraft();
    this.setRunning(this.running, this.stopping);
  }

  get uploading() {
    return [...this.files].some((item) => !item.path);
  }

  async submit() {
    const text = this.text.value.trim();
    if (!text) {
      this.text.focus();
      return this.tell(this.files.size ? "Say what should be done with it." : "Write what should be done.");
    }
    if (this.uploading) {
      this.waits = true;
      return this.tell("This is sent when its files are uploaded.");
    }
    if (this.running && !this.on.canWait()) return this.tell("A goal is being worked on: stop it first, or begin a new conversation.");
    if (!this.checkBounds()) return;
    const files = [...this.files];
    const request = { text, files: files.map(({ name, path, kind }) => ({ name, path, kind })) };
    this.set("");
    this.files.clear();
    this.drawFiles();
    if (this.running) return this.queue.add(request);
    if (await this.on.send(request.text, request.files)) return;
    if (!this.text.value) {
      this.text.value = text; // it was refused, and the user sees why: the text is kept
      this.fit();
    }
    for (const item of files) this.files.add(item);
    this.drawFiles();
  }

  /** Sends the request that waits; to be called when the one before it is over. */
  async sendNext() {
    const request = this.queue.next();
    if (request && !(await this.on.send(request.text, request.files))) this.giveBack(request.text, request.files);
  }

  /** Gives back all that wait: the request before them was cancelled, or another conversation is shown. */
  takeBack() {
    const all = this.queue.takeAll();
    if (all) this.giveBack([all.text, this.text.value].filter(Boolean).join("\n"), all.files, true);
  }

  /** Gives back what was sent, so that it can be changed; what was written since stays, unless it is part of the text. */
  giveBack(text, files, whole = false) {
    if (whole || !this.text.value) this.set(text);
    for (const file of files) if (![...this.files].some(({ path }) => path === file.path)) this.files.add({ ...file, leaving: new AbortController() });
    this.drawFiles();
    this.text.focus();
  }

  set(text) {
    this.text.value = text;
    this.keepDraft();
    this.fit();
    this.holdBack();
  }

  /** Cancels sending after the uploads: the text changed, a file failed, or it was sent. */
  holdBack(why = "") {
    this.waits = false;
    this.tell(why);
  }

  tell(text) {
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  /** The button sends a request, or stops the current run. */
  setRunning(running, stopping = false) {
    this.running = running;
    this.stopping = stopping;
    fill(this.sendButton, icon(running ? "stop" : "send"));
    label(this.sendButton, running ? (stopping ? "Cancelling" : MODES[this.mode].cancel) : "Send");
    this.sendButton.classList.toggle("stops", running);
    this.sendButton.disabled = stopping;
    const after = running && this.on.canWait() ? " sends it after this one, " : " sends, ";
    fill(byId("composer-hint"), h("kbd", {}, "Enter"), after, h("kbd", {}, "Shift"), "+", h("kbd", {}, "Enter"), " breaks the line");
  }
}
