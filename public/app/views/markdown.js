/**
 * Markdown as elements. The text comes from a model: HTML in it is shown as text, the output of marked is sanitised
 * by DOMPurify, and only files of this server are loaded.
 */

import createDOMPurify from "../../vendor/dompurify-3.4.18/purify.es.mjs";
import { Marked } from "../../vendor/marked-18.2.1/marked.esm.js";
import { colourCode } from "./code-colours.js";
import { copy } from "../ui/downloads.js";
import { h, label } from "../ui/dom.js";
import { shortName } from "../model/format.js";
import { icon } from "../ui/icons.js";
import { kindOfFile, OWN_FILE, ownFile } from "../model/kinds.js";
import { drawMath, mathExtensions } from "./math.js";
import { showFile, thumbnail } from "../ui/media.js";

const marked = new Marked({ gfm: true, breaks: true });
marked.use({
  extensions: mathExtensions(escaped),
  renderer: {
    code: ({ text, lang }) => `<pre><code data-lang="${escaped(/^[\w+#.-]{1,20}/.exec(lang ?? "")?.[0] ?? "")}">${escaped(text)}\n</code></pre>\n`,
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`, // never loaded automatically
  },
});
/** @type {Parameters<typeof createDOMPurify.sanitize>[1]} */
const RULES = {
  ALLOWED_TAGS: [
    "p", "br", "strong", "em", "del", "code", "pre", "a", "ul", "ol", "li", "blockquote", "hr", "h1", "h2", "h3", "h4",
    "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span",
  ],
  ALLOWED_ATTR: ["href", "start", "data-lang", "data-math"],
  ADD_URI_SAFE_ATTR: ["start", "data-lang", "data-math"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const BLOCKS = "p, li, h4, h5, h6, blockquote, td, th";

/** A fragment for a text in markdown; the server's files in it become buttons, labelled by `names` (path -> name). */
export function markdown(text, names = new Map()) {
  const fragment = createDOMPurify.sanitize(marked.parse(String(text)), RULES);
  for (const link of fragment.querySelectorAll("a")) settle(link, names);
  for (const heading of fragment.querySelectorAll("h1, h2, h3")) renamed(heading, "h4"); // below the headings of the page
  for (const table of fragment.querySelectorAll("table")) {
    const frame = h("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Table" });
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const block of fragment.querySelectorAll("pre")) {
    block.tabIndex = 0; // it scrolls
    const button = h("button", { type: "button", class: "icon-button copy-code" }, icon("copy"));
    label(button, "Copy the code");
    button.addEventListener("click", () => copy(block.textContent, "The code"));
    const language = block.querySelector("code")?.dataset.lang;
    const frame = h("div", { class: "code-frame" });
    block.replaceWith(frame);
    frame.append(...(language ? [h("span", { class: "code-lang" }, language)] : []), block, button);
  }
  for (const block of fragment.querySelectorAll(BLOCKS)) block.dir = "auto"; // each by its own first letters
  colourCode(fragment);
  drawMath(fragment);
  withFiles(fragment, names);
  return fragment;
}

/** A plain text with its files as buttons. */
export function plainText(text) {
  const fragment = document.createDocumentFragment();
  fragment.append(String(text));
  withFiles(fragment, new Map());
  return fragment;
}

/** A file of this server within a text. */
export function fileChip(path, name = shortName(path), kind = kindOfFile(path)) {
  const chip = h("button", { type: "button", class: "file-chip", title: path }, thumbnail(path, kind), h("span", {}, name));
  chip.addEventListener("click", () => showFile(path, kind, name));
  return chip;
}

function settle(link, names) {
  const href = link.getAttribute("href") ?? "";
  const own = ownFile(href);
  if (own) return link.replaceWith(fileChip(own, names.get(own)));
  if (!/^(?:https?:|mailto:)/i.test(href)) return link.replaceWith(...link.childNodes);
  link.target = "_blank";
  link.rel = "noopener noreferrer";
}

function withFiles(root, names) {
  for (const code of root.querySelectorAll("code")) {
    if (!code.closest("pre") && new RegExp(`^${OWN_FILE.source}$`).test(code.textContent)) code.replaceWith(fileChip(code.textContent, names.get(code.textContent)));
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (!walker.currentNode.parentElement?.closest("pre, code, a, button, [data-math]")) texts.push(walker.currentNode);
  for (const node of texts) {
    const parts = [];
    let end = 0;
    for (const match of node.data.matchAll(OWN_FILE)) {
      parts.push(node.data.slice(end, match.index), fileChip(match[0], names.get(match[0])));
      end = match.index + match[0].length;
    }
    if (end) node.replaceWith(...parts, node.data.slice(end));
  }
}

function renamed(element, tag) {
  const other = document.createElement(tag);
  other.append(...element.childNodes);
  element.replaceWith(other);
}

function escaped(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
