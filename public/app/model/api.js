/** The server's API. Every error is thrown as an `ApiError` with a text for the user. */

import { tooLarge } from "./limits.js";

export class ApiError extends Error {
  constructor(message, status, { code = null, retryAfter = null } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

let askForToken = async () => false;
let asking = null;
let logins = 0;

/** `ask` prompts the user for the token and logs in; it resolves to whether that succeeded. */
export function onUnauthorized(ask) {
  askForToken = ask;
}

function askOnce() {
  asking ??= askForToken()
    .then((well) => {
      if (well) logins += 1;
      return well;
    })
    .finally(() => (asking = null));
  return asking;
}

async function call(path, options = {}) {
  const { again = true, ...request } = options;
  const before = logins;
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...request });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server cannot be reached. Is it running, and is there a connection?", 0);
  }
  if (response.ok) return response;
  if (response.status === 401 && again) {
    // Concurrent calls share one prompt: a call that was sent before the login is only repeated.
    if (logins !== before || (await askOnce())) return call(path, { ...options, again: false });
  }
  throw await toldBy(response);
}

async function toldBy(response) {
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  let body = null;
  try {
    body = await response.json();
  } catch {
    // a proxy's page, not the server's answer
  }
  const { message, code } = body?.error ?? {};
  const unread = response.status === 413 ? "It is larger than the server takes." : `The server answered ${response.status}.`;
  const text = typeof message === "string" && message ? message : unread;
  return new ApiError(text, response.status, { code, retryAfter });
}

/** Sends a form; `progress(share)` is told how much of it has gone, from 0 to 1, which fetch does not tell. */
function sendForm(path, form, signal, progress) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.upload.addEventListener("progress", ({ loaded, total }) => progress(total ? loaded / total : 0));
    sending.addEventListener("load", () => {
      const retry = sending.getResponseHeader("Retry-After");
      resolve(new Response(sending.responseText, { status: sending.status, headers: retry ? { "Retry-After": retry } : {} }));
    });
    sending.addEventListener("error", () => reject(new ApiError("The server cannot be reached, or does not take it. Is it running, and is there a connection?", 0)));
    sending.addEventListener("abort", () => reject(new DOMException("It was given up.", "AbortError")));
    signal?.addEventListener("abort", () => sending.abort());
    sending.open("POST", path);
    sending.send(form);
  });
}

async function upload(file, name, { signal, progress, again = true }) {
  const why = tooLarge(file);
  if (why) throw new ApiError(why, 413);
  const form = new FormData();
  form.append("file", file, name);
  const before = logins;
  const response = await sendForm("/v1/files", form, signal, progress);
  if (response.ok) return response.json();
  if (response.status === 401 && again && (logins !== before || (await askOnce()))) return upload(file, name, { signal, progress, again: false });
  throw await toldBy(response);
}

async function json(path, options) {
  return (await call(path, options)).json();
}

const STREAM = { Accept: "text/event-stream" };
const JSON_BOTH = { "Content-Type": "application/json", Accept: "application/json" };

export const api = {
  status: () => json("/v1/status"),
  /** {chats, more}: those that have the words in a title, request or answer; `offset` are left out. */
  chats: (search = "", offset = 0) => json(`/v1/chats?${new URLSearchParams({ search, offset: String(offset) })}`),
  chat: (id) => json(`/v1/chats/${encodeURIComponent(id)}`),
  /** `change` is {title}, {pinned} or {tip}: the newest branch through that turn is shown. */
  changeChat: (id, change) => json(`/v1/chats/${encodeURIComponent(id)}`, { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify(change) }),
  deleteChat: (id) => json(`/v1/chats/${encodeURIComponent(id)}`, { method: "DELETE" }),
  /** The links to a conversation: {shares: [{id, created, expires}, …]}. */
  shares: (chat) => json(`/v1/chats/${encodeURIComponent(chat)}/shares`),
  /** A new link that is valid for some days: {id, path, …}. */
  addShare: (chat, days) => json(`/v1/chats/${encodeURIComponent(chat)}/shares`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ days }) }),
  revokeShare: (chat, share) => json(`/v1/chats/${encodeURIComponent(chat)}/shares/${encodeURIComponent(share)}`, { method: "DELETE" }),
  record: (run) => json(`/v1/runs/${encodeURIComponent(run)}`),
  cancel: (run) => json(`/v1/runs/${encodeURIComponent(run)}`, { method: "DELETE" }),

  /** The plan of a run, as a file. */
  plan: (run) => json(`/v1/runs/${encodeURIComponent(run)}/plan`),

  /** The tasks of a plan as they would be run, and their problems; nothing is run. */
  checkPlan: (plan) => json("/v1/plans", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ plan }) }),

  /** The models that may do a task: [{id, about, downloads, endpoint, place}, …]. */
  models: async (task) => (await json(`/v1/tasks/${encodeURIComponent(task)}/models`)).models,

  /**
   * `request` is {messages, files, chat}, with `after` the turn that it follows, {plan, files, messages, chat} to run a plan, {resume, chat} to resume a run, or
   * {again, chat} to do one of its tasks again; with `until: "plan"` a request is planned and not run.
   */
  startRun: (request, signal) =>
    call("/v1/runs", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...STREAM },
      body: JSON.stringify(request),
      signal,
    }),

  /** The events after a given one; the server keeps them during a run and for some time after it. */
  events: (run, after, signal) =>
    call(`/v1/runs/${encodeURIComponent(run)}/events`, {
      headers: { ...STREAM, "Last-Event-ID": String(after) },
      signal,
    }),

  goals: async () => (await json("/v1/goals")).goals,
  goal: (id) => json(`/v1/goals/${encodeURIComponent(id)}`),
  deleteGoal: (id) => json(`/v1/goals/${encodeURIComponent(id)}?remove=true`, { method: "DELETE" }),
  cancelGoal: (id) => json(`/v1/goals/${encodeURIComponent(id)}`, { method: "DELETE" }),

  /** `request` is {goal, files, limits, continuous}, or {resume} to go on with a goal; resolves to the state of the goal. */
  startGoal: (request) => json("/v1/goals", { method: "POST", headers: JSON_BOTH, body: JSON.stringify(request) }),

  /** `decision` is {step, hash, decision, count, text}. */
  decide: (id, decision) =>
    json(`/v1/goals/${encodeURIComponent(id)}/decisions`, { method: "POST", headers: JSON_BOTH, body: JSON.stringify(decision) }),

  goalEvents: (id, after, signal) =>
    call(`/v1/goals/${encodeURIComponent(id)}/events`, {
      headers: { ...STREAM, "Last-Event-ID": String(after) },
      signal,
    }),

  batches: async () => (await json("/v1/batches")).batches,
  batch: (id) => json(`/v1/batches/${encodeURIComponent(id)}`),
  /** {rows, total}: so many rows of a batch, from one on. */
  batchRows: (id, offset, limit) => json(`/v1/batches/${encodeURIComponent(id)}/rows?${new URLSearchParams({ offset, limit })}`),
  batchResults: (id, kind) => `/v1/batches/${encodeURIComponent(id)}/results/${kind}`,
  /** `request` is {request, files} or {plan, files}; resolves to the state of a batch that waits for leave. */
  planBatch: (request, signal) => json("/v1/batches", { method: "POST", headers: JSON_BOTH, body: JSON.stringify(request), signal }),
  /** Runs what is missing of a batch or has failed; `change` may have another plan. */
  startBatch: (id, change) => json(`/v1/batches/${encodeURIComponent(id)}/start`, { method: "POST", headers: JSON_BOTH, body: JSON.stringify(change) }),
  stopBatch: (id) => json(`/v1/batches/${encodeURIComponent(id)}`, { method: "DELETE" }),
  deleteBatch: (id) => json(`/v1/batches/${encodeURIComponent(id)}?remove=true`, { method: "DELETE" }),
  batchEvents: (id, after, signal) => call(`/v1/batches/${encodeURIComponent(id)}/events`, { headers: { ...STREAM, "Last-Event-ID": String(after) }, signal }),

  /** {files, total, bytes}: the files of the server, by kind, who made them, and words in their names. */
  files: (asked) => json(`/v1/files?${new URLSearchParams(asked)}`),
  /** Deletes a file; one that is used only if that is said. */
  deleteFile: (path, evenUsed) => json(`/v1/files${path}${evenUsed ? "?used=true" : ""}`, { method: "DELETE" }),
  /** Files in one archive. */
  zip: async (paths) => (await call("/v1/files/zip", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ paths }) })).blob(),

  /** Resolves to {name, path, kind, bytes}. A file that is too large is not even sent; `progress` is told the share that has gone. */
  upload: (/** @type {File} */ file, /** @type {string} */ name, /** @type {AbortSignal | undefined} */ signal = undefined, /** @type {(share: number) => unknown} */ progress = () => {}) => upload(file, name, { signal, progress }),

  logout: () => json("/v1/logout", { method: "POST" }),
  login: (token) => json("/v1/login", { method: "POST", headers: { Authorization: `Bearer ${token}` }, again: false }),
};
