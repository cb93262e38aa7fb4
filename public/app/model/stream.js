/** Follows a run's events to the end, reconnecting as needed. */

import { api } from "./api.js";

const SILENCE = 45_000; // the server sends a heartbeat every 15 s
const LONGEST_PAUSE = 8_000;

const RUNS = { events: api.events, idOf: (data) => data.run_id, isLast: ({ name }) => name === "done" };

/**
 * Delivers every event of a run, once and in order.
 *
 * `response` is the stream that POST /v1/runs answered, or null to follow run `id`. `on.accepted(data)` is called
 * first for a new run, `on.event(data, number)` for each event, `on.link(up)` when the connection is lost or restored,
 * and `on.gone()` when the server does not know the run any more. Ends after the last event or when aborted.
 * `source` says where the events come from; those of goals differ.
 *
 * @param {Response | null} response
 * @param {string | null} id
 * @param {{accepted: (data: any) => void, event: (event: any, number: number) => void, link: (up: boolean) => void, gone: (error: any) => void}} on
 * @param {AbortSignal} signal
 * @param {{events: (id: string, after: number, signal: AbortSignal) => Promise<Response>, idOf: (data: any) => string, isLast: (event: {id: number, name: string, data: any}) => boolean}} source
 */
export async function follow(response, id, on, signal, source = RUNS) {
  let last = 0;
  let failures = 0;
  while (!signal.aborted) {
    try {
      response ??= await source.events(id, last, signal);
      if (failures) on.link(true);
      for await (const event of events(response.body)) {
        failures = 0;
        if (event.name === "accepted") {
          id = source.idOf(event.data);
          on.accepted(event.data);
        } else if (event.id > last) {
          last = event.id;
          on.event(event.data, event.id);
        }
        if (source.isLast(event)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const busy = error.status === 429; // too many clients follow runs at the moment
      if (error.status >= 400 && error.status < 500 && !busy) return on.gone(error);
    }
    if (!id) return on.gone(null);
    response = null;
    if (!failures) on.link(false);
    await pause(Math.min(LONGEST_PAUSE, 250 * 2 ** failures++), signal);
  }
}

/** The events of one connection as {id, name, data}. Throws when it breaks or falls silent. */
async function* events(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let held = "";
  try {
    for (;;) {
      const { value, done } = await withinTime(reader.read());
      if (done) return;
      held += decoder.decode(value, { stream: true });
      const blocks = held.split("\n\n");
      held = blocks.pop();
      for (const block of blocks) {
        const event = parsed(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): (.*)$/s.exec(line) ?? [];
    if (name) fields[name] = value;
  }
  return fields.data && { id: Number(fields.id ?? 0), name: fields.event, data: JSON.parse(fields.data) };
}

async function withinTime(reading) {
  let timer;
  const silence = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing was heard for too long")), SILENCE);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits some time, until the browser is online again, or until aborted. */
function pause(milliseconds, signal) {
  return new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
