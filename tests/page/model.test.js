import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { choices, choose, chosenFields } from "../../public/app/model/choices.js";
import { chatTitle, escaped, seconds, setPrices, shortName, shortened, taskTitle, usageText } from "../../public/app/model/format.js";
import { graphOf } from "../../public/app/model/graph.js";
import { acceptedSuffixes, kindOfFile, ownFile, setFileTypes, setTaskTypes, takes } from "../../public/app/model/kinds.js";
import { setLimits, tooLarge } from "../../public/app/model/limits.js";
import { Run } from "../../public/app/model/run.js";

globalThis.location = /** @type {any} */ ({ origin: "http://127.0.0.1:8004" });
setFileTypes({ image: ["jpg", "png"], audio: ["wav"], table: ["csv"] });
setTaskTypes([{ name: "object-detection", args: [{ name: "image", kind: "image", required: true }] }]);
afterEach(() => choose({ planner: "", model: "", key: "" }));

test("names and numbers are written for people", () => {
  assert.equal(taskTitle("object-detection"), "Object detection");
  assert.deepEqual([0.0004, 0.5, 12.34, 59.96, 125].map(seconds), ["1 ms", "500 ms", "12.3 s", "1 min 0 s", "2 min 5 s"]);
  assert.equal(seconds(null), "");
  assert.equal(shortName("/uploads/photo-0123456789ab.jpg"), "photo.jpg");
  assert.equal(shortened("a".repeat(40) + ".jpg", 20).length, 20);
  assert.equal(chatTitle("What is\n in /examples/a.jpg?"), "What is in a.jpg?");
  assert.equal(chatTitle(" "), "Conversation");
});

test("characters that are not seen are written as codes", () => {
  assert.equal(escaped("a\u202eb\r\n\tc\u{e0041}"), "a\\u202eb\\r\n\tc\\U000e0041");
});

test("what a language model used is told, with its cost where the server has prices", () => {
  const usage = { prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500, calls: 1 };
  assert.equal(usageText(usage), "1,200 tokens read, 300 written in 1 call of the language model");
  setPrices({ prompt: 2, completion: 8 });
  assert.equal(usageText(usage), "1,200 tokens read, 300 written in 1 call of the language model; 0.0048 at the server's prices");
  setPrices({ prompt: null, completion: 8 });
  assert.ok(!usageText(usage).includes("prices"));
  assert.equal(usageText({ ...usage, calls: 0 }), "");
  assert.equal(usageText(null), "");
});

test("only files of this server are its own", () => {
  assert.equal(ownFile("/examples/a.jpg"), "/examples/a.jpg");
  for (const other of ["/v1/chats", "//evil.example/images/a.jpg", "https://evil.example/images/a.jpg", "/images/../v1/chats", "javascript:alert(1)", 7, null]) assert.equal(ownFile(other), null);
});

test("kinds of files, and what a field takes", () => {
  assert.deepEqual(["a.JPG", "a.wav?x", "a.xyz", "a"].map(kindOfFile), ["image", "audio", null, null]);
  assert.equal(acceptedSuffixes(), ".jpg,.png,.wav,.csv");
  assert.ok(takes("audio", "video") && !takes("image", "video"));
});

test("a file that is too large is told before it is sent", () => {
  assert.equal(tooLarge({ size: 1e12 }), "");
  setLimits({ file_bytes: 50_000_000 });
  assert.equal(tooLarge({ size: 50_000_000 }), "");
  assert.equal(tooLarge({ size: 51_000_000 }), "It has 51 MB, and this server takes 50 MB (limits.max_file_mb).");
});

test("a request says who plans, and a model goes with a key or to a server of one's own", () => {
  assert.deepEqual(chosenFields({ offline: true }), {});
  choose({ planner: "offline", model: " m ", key: "" });
  assert.deepEqual(choices(), { planner: "offline", model: "m", key: "" });
  assert.deepEqual(chosenFields({}), { planner: "offline" });
  assert.deepEqual(chosenFields({ chooses: true }), { planner: "offline", llm_model: "m" });
  choose({ planner: "", model: "m", key: "sk-1" });
  assert.deepEqual(chosenFields(null), { api_key: "sk-1", llm_model: "m" });
});

const PLAN = [
  { task: "object-detection", id: 0, dep: [-1], args: { image: "/examples/b.jpg" } },
  { task: "text-to-speech", id: 1, dep: [0], args: { text: "<GENERATED>-0" } },
];

test("a plan as a graph: files, data flow and order", () => {
  const run = new Run("x");
  run.apply({ event: "plan", plan: PLAN, kept: [], notes: [] });
  const { nodes, edges } = graphOf(run.tasks);
  assert.deepEqual(nodes.map(({ key }) => key), ["task 0", "task 1", "file /examples/b.jpg"]);
  assert.deepEqual(edges, [{ from: "file /examples/b.jpg", to: "task 0", kinds: ["image"] }, { from: "task 0", to: "task 1", kinds: ["text"] }]);
});

test("a run is what its events say", () => {
  const run = new Run("x", [{ name: "名前.png", path: "/uploads/file-0123456789ab.png", kind: "image" }]);
  assert.equal(run.nameOf("/uploads/file-0123456789ab.png"), "名前.png");
  assert.equal(run.stages.plan, "running");
  for (const event of [
    { event: "run", run_id: "1", llm: "openai", seconds: 0 },
    { event: "plan", plan: PLAN, kept: [], notes: ["a note"], planner: "llm", why: "it is long", seconds: 1 },
    { event: "selected", task_id: 0, choice: { id: "m" }, seconds: 1 },
    { event: "started", task_id: 0, seconds: 1 },
    { event: "failed", task_id: 0, reason: "broke", code: "backend", seconds: 2 },
    { event: "skipped", task_id: 1, reason: "needs it", code: "dependency", seconds: 2 },
    { event: "token", text: "Not ", seconds: 2.5 },
    { event: "answer", message: "Not done.", seconds: 3 },
    { event: "done", stop: "answered", error: "", code: null, usage: { total: { calls: 2, prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 } }, seconds: 3 },
  ]) run.apply(event);
  assert.deepEqual(run.stages, { plan: "finished", select: "finished", execute: "failed", answer: "finished" });
  assert.equal(run.message, "Not done.");
  assert.deepEqual([...run.tasks.values()].map(({ state }) => state), ["failed", "skipped"]);
  assert.equal(run.tasks.get(0).seconds, 1);
  assert.equal(run.usage.calls, 2);
  assert.deepEqual(run.planner, ["the language model", "it is long"]);
  assert.ok(run.over && run.repeatable && !run.resumable);
});

test("an event of a task that is not there changes nothing", () => {
  const run = new Run("x");
  assert.deepEqual(run.apply({ event: "finished", task_id: 9, files: null }), []);
  assert.deepEqual(run.apply({ event: "of a later version" }), []);
});
