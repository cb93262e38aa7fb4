/** Conversations as files: HTML that needs nothing else, Markdown, JSON, and PDF by the browser's printing. */

import { api } from "../model/api.js";
import { documentOf, withoutButtons } from "./document-view.js";
import { dialog, toast } from "../ui/dialogs.js";
import { byId, fill, h } from "../ui/dom.js";
import { save, saveJson } from "../ui/downloads.js";
import { chatTitle, plural, seconds, STATES, taskTitle } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { ownFile } from "../model/kinds.js";
import { drawnMath } from "./math.js";
import { Run } from "../model/run.js";
import { shareDialog } from "./share.js";

const STYLES = ["page.css", "run.css", "viewer.css", "document.css"];
const MOST_BYTES = 30_000_000; // of all files within one HTML file; further ones are named
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src data:";

/** Asks in which form a conversation shall be kept, or to whom it shall be shown. */
export async function exportDialog(id, { canShare }) {
  const { body, close, closed } = dialog({ title: "Keep or show this conversation", className: "small" });
  const choice = (name, value, text, about) => h("li", {}, h("button", { type: "button", class: "choice", onclick: () => close(value) }, icon(name), h("span", {}, h("strong", {}, text), h("span", { class: "quiet block" }, about))));
  fill(
    body,
    h(
      "ul",
      { class: "choices" },
      choice("print", "pdf", "PDF", "Opens the browser's printing: choose “Save as PDF” there."),
      choice("file", "html", "Web page (HTML)", "One file with its pictures and recordings, which needs no server."),
      choice("text", "markdown", "Markdown", "The texts, the plans and the names of the files."),
      choice("table", "json", "JSON", "All that is stored, for programs."),
      canShare && choice("share", "share", "Link to read it", "For people who do not have the token of this server."),
    ),
  );
  const form = await closed;
  if (form === "share") return shareDialog(id);
  if (form) await exported(id, form);
}

async function exported(id, form) {
  try {
    const chat = await api.chat(id);
    const name = fileName(chat);
    if (form === "json") saveJson(`${name}.json`, chat);
    if (form === "markdown") save(`${name}.md`, asMarkdown(chat), "text/markdown");
    if (form === "html") save(`${name}.html`, await asHtml(chat), "text/html");
    if (form === "pdf") await print(chat, name);
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

function fileName({ title, id }) {
  const words = chatTitle(title).replaceAll(/[^\p{L}\p{N}._-]+/gu, " ").slice(0, 50).replaceAll(/^[\s.]+|[\s.]+$/g, "");
  return words || `conversation-${id.slice(0, 8)}`;
}

function noteOf({ turns }) {
  return `${plural(turns.length, "request")}, saved from HuggingGPT on ${new Date().toISOString().slice(0, 10)}.`;
}

/** A conversation as the text of a Markdown file; files have the addresses that they have on this server. */
export function asMarkdown(chat) {
  const parts = [`# ${chatTitle(chat.title)}`, noteOf(chat)];
  for (const run of chat.turns.map((turn) => Run.fromTurn(turn))) {
    parts.push("## Request", run.request);
    if (run.attached.length) parts.push(run.attached.map(({ name, path }) => link(name, path)).join("\n"));
    if (run.tasks.size) parts.push("### Plan", [...run.tasks.values()].map(planLine).join("\n"));
    parts.push("### Answer", run.message || run.error || "There is no answer.");
    if (run.files.size) parts.push("### Files", [...run.files].map(([path, task]) => link(taskTitle(task.task), path)).join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}

function link(name, path) {
  const url = ownFile(path) ? new URL(path, location.origin).href : path;
  return `- [${name.replaceAll(/[[\]\\]/g, "\\$&")}](<${url}>)`;
}

function planLine({ id, task, dep, choice, state, seconds: took, reading }) {
  const facts = [choice?.id && `\`${choice.id}\``, [STATES[state], took !== null && seconds(took)].filter(Boolean).join(" in "), dep.length > 0 && `after ${dep.join(", ")}`].filter(Boolean);
  return `- **${id}** ${taskTitle(task)} (${facts.join("; ")})${reading ? `: ${reading.replaceAll(/\s+/g, " ")}` : ""}`;
}

/** A conversation as the text of an HTML file in which all is that it needs, and from which nothing is loaded or run. */
export async function asHtml(chat) {
  const shown = withoutButtons(documentOf(chatTitle(chat.title), chat.turns, { note: noteOf(chat) }));
  await drawnMath(shown);
  await embed(shown);
  const styles = await Promise.all(STYLES.map(async (name) => (await fetch(`/app/${name}`)).text()));
  const heading = h("title", {}, chatTitle(chat.title)).outerHTML;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${heading}
<style>${styles.join("\n")}</style>
</head>
<body class="shared">${shown.outerHTML}</body>
</html>
`;
}

/** Puts the files of pictures and players into their addresses; what is too large is named instead. */
async function embed(root) {
  let left = MOST_BYTES;
  for (const element of root.querySelectorAll("img, audio, video, svg image")) {
    const attribute = element.localName === "image" ? "href" : "src";
    const url = element.getAttribute(attribute);
    const data = url && (await dataOf(url, left).catch(() => null));
    if (data) {
      left -= data.length;
      element.setAttribute(attribute, data);
    } else element.replaceWith(...(attribute === "href" ? [] : [h("span", { class: "file-name" }, `${url ?? ""} (not in this file)`)]));
  }
  for (const anchor of root.querySelectorAll("a[href^='/']")) anchor.replaceWith(...anchor.childNodes);
}

async function dataOf(url, most) {
  const answer = await fetch(url);
  const blob = answer.ok ? await answer.blob() : null;
  if (!blob || 1.4 * blob.size > most) return null;
  return new Promise((read, failed) => {
    const reader = new FileReader();
    reader.onload = () => read(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}

/**
 * Prints a conversation. PDF is left to the browser: it has the fonts for all scripts, draws formulas, and needs neither
 * a renderer on the server nor its time; what it saves has a text that can be searched and copied.
 */
export async function print(chat, name = fileName(chat)) {
  const shown = withoutButtons(documentOf(chatTitle(chat.title), chat.turns, { note: noteOf(chat) }));
  for (const player of shown.querySelectorAll("audio, video")) player.replaceWith(h("span", { class: "file-name" }, player.getAttribute("src").split("/").pop()));
  const sheet = h("div", { class: "print-sheet", "aria-hidden": "true" }, shown);
  document.body.append(sheet);
  const before = document.title;
  await drawnMath(shown);
  await Promise.allSettled([...sheet.querySelectorAll("img")].map((image) => image.decode()));
  const over = new Promise((end) => addEventListener("afterprint", end, { once: true }));
  document.title = name; // the browser proposes it as the name of the file
  globalThis.print();
  await over;
  document.title = before;
  sheet.remove();
}

/** The button of the page's head. */
export function setUpExport(idOf, canShare) {
  byId("save-chat").addEventListener("click", () => exportDialog(idOf(), { canShare: canShare() }));
}
