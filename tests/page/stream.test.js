import assert from "node:assert/strict";
import { test } from "node:test";

import { follow } from "../../public/app/model/stream.js";

globalThis.addEventListener ??= () => {}; // "online", which node does not tell
globalThis.removeEventListener ??= () => {};

const encoder = new TextEncoder();

/** A response whose body comes in the given pieces, then ends, or breaks off. */
function response(pieces, breaks = false) {
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (pieces.length) controller.enqueue(encoder.encode(pieces.shift()));
        else if (breaks) controller.error(new TypeError("network error"));
        else controller.close();
      },
    }),
  );
}

const event = (id, name, data = {}) => `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

async function followed(first, later = []) {
  const told = [];
  const asked = [];
  const on = {
    accepted: ({ run_id: id }) => told.push(`accepted ${id}`),
    event: (data, number) => told.push(`${number} ${data.text ?? ""}`),
    link: (up) => told.push(up ? "up" : "down"),
    gone: (error) => told.push(`gone ${error?.status ?? ""}`),
  };
  const source = {
    events: async (id, last) => {
      asked.push([id, last]);
      const next = later.shift();
      if (next instanceof Response) return next;
      throw next;
    },
    idOf: (data) => data.run_id,
    isLast: ({ name }) => name === "done",
  };
  await follow(first, null, on, new AbortController().signal, source);
  return { told, asked };
}

test("events arrive whole, however the connection cuts them", async () => {
  const text = `event: accepted\ndata: {"run_id": "7"}\n\n${event(1, "token", { text: "hé\u2028llo" })}: still there\n\n${event(2, "done")}`;
  const bytes = [...text].map((char) => char);
  const { told, asked } = await followed(response(bytes));
  assert.deepEqual(told, ["accepted 7", "1 hé\u2028llo", "2 "]);
  assert.deepEqual(asked, []);
});

test("a connection that breaks is taken up after the last event, each told once", async () => {
  const first = response([`event: accepted\ndata: {"run_id": "7"}\n\n`, event(1, "token", { text: "a" })], true);
  const second = response([event(1, "token", { text: "a" }), event(2, "token", { text: "b" }), event(3, "done")]);
  const { told, asked } = await followed(first, [Object.assign(new Error("busy"), { status: 429 }), second]);
  assert.deepEqual(told, ["accepted 7", "1 a", "down", "up", "2 b", "3 "]);
  assert.deepEqual(asked, [["7", 1], ["7", 1]]);
});

test("a run that the server does not know is gone", async () => {
  const first = response([`event: accepted\ndata: {"run_id": "7"}\n\n`]);
  const { told } = await followed(first, [Object.assign(new Error("none"), { status: 404 })]);
  assert.deepEqual(told, ["accepted 7", "down", "gone 404"]);
});
