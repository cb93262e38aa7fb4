/** The page of a link: one conversation, to be read. It asks nothing but /share/. */

import { documentOf } from "./views/document-view.js";
import { byId, fill, h } from "./ui/dom.js";
import { chatTitle } from "./model/format.js";
import { icon } from "./ui/icons.js";
import { kindOfFile, setFilesBelow, setFileTypes, setTaskTypes } from "./model/kinds.js";

const link = location.pathname.split("/").slice(0, 3).join("/");
const NAMES = new Set(["image", "audio", "video", "table"]); // of arguments, as JARVIS calls those that take a file

async function show() {
  setFilesBelow(link);
  const answer = await fetch(`${link}/conversation`);
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.message);
  setFileTypes(told.file_types);
  setTaskTypes(told.turns.flatMap(({ record }) => record.plan.map(typeOf)));
  const title = chatTitle(told.title);
  const until = new Date(1000 * told.expires).toLocaleDateString([], { dateStyle: "medium" });
  document.title = `${title} – HuggingGPT`;
  fill(byId("turns"), documentOf(title, told.turns, { note: `A shared conversation, to be read until ${until}.` }));
}

/** The type of a task as far as its arguments tell: a link does not say which types the server knows. */
function typeOf({ task, args }) {
  return { name: task, args: Object.entries(args ?? {}).map(([name, value]) => ({ name, kind: NAMES.has(name) ? name : (kindOfFile(value) ?? "text"), required: false })) };
}

try {
  await show();
} catch (error) {
  fill(byId("turns"), h("p", { class: "callout bad", role: "alert" }, icon("warning"), error instanceof SyntaxError ? "The server cannot be reached." : error.message));
}
