/** The form of a new batch: many files, and what is to be done with each. */

import { api } from "../model/api.js";
import { chosenFiles, ofOneKind, uploadAll } from "../model/batch-files.js";
import { decoded, matched, readListing } from "../model/listing.js";
import { announce, fill, h } from "../ui/dom.js";
import { plural } from "../model/format.js";
import { icon } from "../ui/icons.js";

const KINDS = { image: "picture", audio: "recording", video: "video", table: "table", text: "document" };
const SHOWN_REFUSED = 5;
const LISTS = ".csv,.tsv,.txt,text/csv,text/plain";

export class BatchForm {
  /** `on.planned(state)` is called with the batch that the server has planned; `request` and `files` are there before. */
  constructor(on, { request = "", files = [] } = {}) {
    this.on = on;
    this.found = { kind: null, files: [], others: 0, unread: 0 };
    this.all = [];
    this.listing = null; // {name, columns, rows} of a table that lists the files
    this.listed = null; // its rows with their files
    this.uploads = new Map(); // what was uploaded, by the files
    this.leaving = null;
    this.told = h("p", { class: "batch-found", role: "status" });
    this.toldOfList = h("p", { class: "batch-listed", role: "status" });
    this.trouble = h("div", { class: "form-error", role: "alert" });
    this.request = h("textarea", { id: "batch-request", rows: 3, maxlength: 10000, placeholder: "Count the people in each picture" });
    this.request.value = request;
    this.go = h("button", { type: "submit", class: "button primary" });
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "Files that are uploaded", hidden: true });
    this.element = h("div", { class: "batch-new" }, h("h2", { tabindex: "-1" }, "One plan for many files"), h("p", { class: "lead" }, "Say once what is to be done. A plan is made for the first file, you look at it, and it is run for each of them; the results come as a table, and a question over all (“Which picture has the most people?”) is answered from it."), this.form());
    this.setWorking(false);
    this.add(files);
  }

  form() {
    const files = this.chooser("Choose files", { multiple: true }, "clip");
    const folder = this.chooser("Choose a folder", { webkitdirectory: true, multiple: true }, "file");
    const list = this.listChooser();
    const plan = h("input", { type: "file", class: "hidden-text", tabindex: "-1", accept: ".json,application/json", "aria-label": "A plan file for each of the files", onchange: () => this.usePlan(plan) });
    const usePlan = h("button", { type: "button", class: "button small", onclick: () => plan.click() }, icon("plan"), "Use a plan file");
    const form = h(
      "form",
      { class: "batch-form" },
      h("fieldset", { class: "batch-drop" }, h("legend", {}, "Files"), h("p", { class: "quiet" }, "Drop a folder or files here, or"), h("div", { class: "tools" }, files, folder, list), this.told, this.toldOfList),
      h("label", { for: "batch-request" }, "What should be done with each?"),
      this.request,
      this.trouble,
      this.bar,
      h("div", { class: "tools" }, this.go, usePlan, plan),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.leaving) this.leaving.abort();
      else this.plan();
    });
    return form;
  }

  chooser(text, options, name) {
    const input = h("input", { type: "file", class: "hidden-text", tabindex: "-1", "aria-label": text, ...options });
    input.addEventListener("change", () => {
      this.add(chosenFiles(input.files));
      input.value = "";
    });
    return [h("button", { type: "button", class: "button", onclick: () => input.click() }, icon(name), text), input];
  }

  listChooser() {
    const input = h("input", { type: "file", class: "hidden-text", tabindex: "-1", accept: LISTS, "aria-label": "A table that lists the files", onchange: () => this.useList(input) });
    return [h("button", { type: "button", class: "button", title: "A CSV whose columns can be named in the request, or a text with a file a line", onclick: () => input.click() }, icon("file"), "Choose a table of them"), input];
  }

  /** Takes a table with a column of files, and of words for the request. */
  async useList(input) {
    const [file] = input.files;
    input.value = "";
    this.tell("");
    try {
      this.listing = { name: file.name, ...readListing(decoded(new Uint8Array(await file.arrayBuffer())), file.name) };
    } catch (error) {
      return this.tell(error.message);
    }
    return this.drawFound();
  }

  /** Adds files: [{file, name}, …]; those of the kind that most have are taken. */
  add(files) {
    const known = new Set(this.all.map(({ name, file }) => `${name} ${file.size}`));
    this.all.push(...files.filter(({ name, file }) => !known.has(`${name} ${file.size}`)));
    this.drawFound();
  }

  /** Tells which files are taken: those that a table lists, else those of the kind that most have. */
  drawFound() {
    this.found = ofOneKind(this.all);
    this.drawList();
    const { kind, files: taken, others, unread } = this.found;
    const left = this.listing ? [] : [others && `${others} of another kind ${others === 1 ? "is" : "are"} left out`, unread && `${unread} cannot be read`].filter(Boolean);
    const number = this.listing && this.all.length ? plural(this.all.length, "file") : taken.length && plural(taken.length, KINDS[kind] ?? "file");
    const clear = h("button", { type: "button", class: "button small", onclick: () => this.clear() }, icon("close"), "Clear");
    fill(this.told, number ? [h("strong", {}, number), left.length > 0 && ` (${left.join(", ")})`, " ", clear] : left.length ? `None of these can be used: ${left.join(", ")}.` : "No files yet.");
  }

  drawList() {
    this.listed = null;
    if (!this.listing) return fill(this.toldOfList);
    const { name } = this.listing;
    const drop = h("button", { type: "button", class: "button small", onclick: () => this.dropList() }, icon("close"), "Without the table");
    try {
      this.listed = matched(this.listing, this.all);
    } catch (error) {
      return fill(this.toldOfList, h("strong", {}, name), ` ${error.message} `, drop);
    }
    const { column, texts, rows, lacking, others } = this.listed;
    const columns = texts.map((text) => `{${text}}`).join(", ");
    const shown = lacking.slice(0, SHOWN_REFUSED).join(", ") + (lacking.length > SHOWN_REFUSED ? ", …" : "");
    const parts = [
      `${plural(rows.length, "row")}, the files in ${column}.`,
      columns && `In the request, ${columns} ${texts.length === 1 ? "stands" : "stand"} for the words of a row.`,
      lacking.length > 0 && `${plural(lacking.length, "row")} ${lacking.length === 1 ? "is" : "are"} left out, of files that are not chosen: ${shown}.`,
      others > 0 && `${plural(others, "file")} ${others === 1 ? "is" : "are"} not listed in it.`,
    ];
    return fill(this.toldOfList, h("strong", {}, name), ` ${parts.filter(Boolean).join(" ")} `, drop);
  }

  dropList() {
    this.listing = null;
    this.drawFound();
    this.element.querySelector(".batch-drop button").focus();
  }

  clear() {
    this.all = [];
    this.listing = null;
    this.uploads.clear();
    this.add([]);
  }

  async usePlan(input) {
    const [file] = input.files;
    input.value = "";
    try {
      await this.plan(JSON.parse(await file.text()));
    } catch (error) {
      this.tell(error instanceof SyntaxError ? `${file.name} is no JSON.` : error.message);
    }
  }

  /** Uploads the files, and has the server plan for the first, or take a plan that there is. */
  async plan(plan = null) {
    const request = this.request.value.trim();
    const rows = this.listing ? this.listed?.rows ?? [] : this.found.files.map((source) => ({ source }));
    this.tell("");
    if (!rows.length) return this.tell("Choose the files first.");
    if (!request && !plan) {
      this.request.focus();
      return this.tell("Say what should be done with each file.");
    }
    const leaving = (this.leaving = new AbortController());
    this.setWorking(true);
    try {
      const taken = await this.upload(rows, leaving.signal);
      if (taken.length) {
        this.go.textContent = "Planning …";
        this.on.planned(await api.planBatch({ request: request || null, plan, files: taken }, leaving.signal));
      }
    } catch (error) {
      if (!leaving.signal.aborted) this.tell(error.message);
    }
    this.leaving = null;
    this.setWorking(false);
    return undefined;
  }

  /** The rows for the server, their files uploaded; files that it does not take are told. */
  async upload(rows, signal) {
    const fresh = [...new Set(rows.map(({ source }) => source))].filter((source) => source && !this.uploads.has(source));
    this.bar.max = fresh.length;
    const told = (count) => {
      this.bar.value = count;
      this.go.textContent = `Stop uploading (${count} of ${fresh.length})`;
    };
    told(0);
    const kept = async (file, name, signal_) => {
      const taken = await api.upload(file, name, signal_);
      const source = fresh.find((one) => one.file === file);
      this.uploads.set(source, taken.path);
      return taken;
    };
    const { refused } = await uploadAll(fresh, kept, told, signal);
    if (refused.length) this.tell(`${plural(refused.length, "file")} ${refused.length === 1 ? "is" : "are"} left out: ${refused.slice(0, SHOWN_REFUSED).map(({ name, why }) => `${name}: ${why}`).join(" ")}`);
    announce(`${plural(fresh.length - refused.length, "file")} uploaded.`);
    const placed = rows.map(({ source, url, texts }) => ({ name: source?.name, path: url ?? this.uploads.get(source), texts }));
    return placed.filter(({ path }) => path);
  }

  setWorking(on) {
    this.bar.hidden = !on;
    this.go.textContent = on ? "Stop uploading" : "Plan";
    this.request.readOnly = on;
  }

  tell(text) {
    this.trouble.textContent = text;
  }

  /** Gives up what is under way. */
  close() {
    this.leaving?.abort();
  }
}
