/** The batch that is shown, or the form of a new one. What a batch is stands on the server alone. */

import { api } from "../model/api.js";
import { Batch } from "../model/batch.js";
import { BatchForm } from "./batch-new.js";
import { BatchView } from "./batch-view.js";
import { toast } from "../ui/dialogs.js";
import { fill, h } from "../ui/dom.js";
import { chatTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { follow } from "../model/stream.js";

const NEW = "new";
const PAGE = 1000;

export class BatchSession {
  /**
   * Batches are shown in the place of `conversation`. `on.changed()` is called when another one or a state is shown,
   * `on.listed()` when their list changes.
   */
  constructor(conversation, on) {
    this.conversation = conversation;
    this.on = on;
    this.leaving = new AbortController();
    this.live = null;
    this.forget();
  }

  forget() {
    this.id = null;
    this.title = "";
    this.batch = null;
    this.view = null;
    this.form = null;
  }

  get running() {
    return this.batch?.working ?? false;
  }

  get path() {
    return this.id === NEW ? "#/batch" : `#/batch/${this.id}`;
  }

  /** Stops following; the batch goes on on the server. */
  close() {
    this.leaving.abort();
    this.leaving = new AbortController();
    this.form?.close();
    this.forget();
  }

  /** Shows the form; `files` are [{file, name}, …], `request` what was written before. */
  begin({ files = [], request = "" } = {}) {
    if (this.form) {
      this.form.add(files);
      return;
    }
    this.close();
    this.id = NEW;
    this.title = "Many files";
    this.form = new BatchForm({ planned: (state) => this.show(state, []) }, { request, files });
    this.conversation.startNew(this.form.element);
    this.form.element.querySelector("h2").focus({ preventScroll: true });
  }

  async open(id) {
    this.close();
    this.id = id;
    const { signal } = this.leaving;
    this.conversation.startNew(h("p", { class: "callout quiet", role: "status" }, icon("running"), "Opening the table …"));
    try {
      const state = await api.batch(id);
      const rows = state.status === "waiting" ? [] : await allRows(id);
      if (!signal.aborted) this.show(state, rows);
    } catch (error) {
      if (signal.aborted) return;
      const text = error.status === 404 ? "This is not there any more." : error.message;
      fill(this.conversation.column, h("p", { class: "callout bad", role: "alert" }, icon("warning"), text));
    }
  }

  show(state, rows) {
    this.close();
    this.id = state.id;
    this.title = chatTitle(state.title);
    this.batch = new Batch(state);
    this.batch.take(rows);
    this.view = new BatchView(this.batch, {
      start: (change) => this.start(change),
      stop: () => this.stop(),
      leave: () => this.drop(),
      anew: (request) => this.planAnew(request),
    });
    if (location.hash !== this.path) history.pushState(null, "", this.path);
    this.conversation.stick = false; // its beginning is to be seen
    this.conversation.startNew(this.view.element);
    this.view.shown();
    this.on.listed();
    if (this.running) this.follow();
  }

  /** Runs what is missing or has failed; with a plan, that one. */
  async start(change) {
    const { id } = this;
    const { signal } = this.leaving;
    try {
      const state = await api.startBatch(id, change);
      const rows = await allRows(id);
      if (signal.aborted) return;
      this.show(state, rows);
      this.view.heading?.focus({ preventScroll: true }); // the button is gone
    } catch (error) {
      if (!signal.aborted) toast(error.message, { bad: true });
    }
  }

  async follow() {
    const { view, id } = this;
    const { signal } = this.leaving;
    await follow(
      null,
      id,
      {
        accepted: () => {},
        event: (event) => view.take(event),
        link: (up) => {
          view.connected(up);
          if (up) this.refresh(view, signal); // more may have come than is told again
        },
        gone: (error) => toast(error?.message ?? "The server does not know this any more.", { bad: true }),
      },
      signal,
      { events: api.batchEvents, idOf: ({ batch_id: of }) => of, isLast: ({ name, data }) => name === "end" && data.status !== "working" },
    );
    if (signal.aborted) return;
    await this.refresh(view, signal);
    this.on.listed();
  }

  /** Asks for the state and all rows once more. */
  async refresh(view, signal) {
    try {
      const [state, rows] = await Promise.all([api.batch(this.id), allRows(this.id)]);
      if (signal.aborted) return;
      view.batch.update(state);
      view.batch.take(rows);
      view.update();
      this.on.changed();
    } catch (error) {
      if (!signal.aborted) toast(error.message, { bad: true });
    }
  }

  async stop() {
    try {
      await api.stopBatch(this.id); // its events come to their end
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }

  /** Drops a plan that was not wanted; the files are still on the server. */
  async drop() {
    const { request } = this.batch.state;
    await api.deleteBatch(this.id).catch((error) => toast(error.message, { bad: true }));
    history.pushState(null, "", "#/batch");
    this.begin({ request });
    this.on.listed();
  }

  /** Has another plan made for the same files. */
  async planAnew(request) {
    const before = this.id;
    try {
      const rows = await allRows(before);
      const state = await api.planBatch({ request, files: rows.map(({ name, files, texts }) => ({ name, path: files.file, texts })) });
      await api.deleteBatch(before).catch(() => {}); // the new one has the files
      this.show(state, []);
    } catch (error) {
      toast(error.message, { bad: true });
    }
  }

  cancel() {
    return this.stop();
  }
}

async function allRows(id) {
  const rows = [];
  for (;;) {
    const { rows: some, total } = await api.batchRows(id, rows.length, PAGE);
    rows.push(...some);
    if (rows.length >= total || !some.length) return rows;
  }
}
