/** Formulas in answers, in TeX: found in markdown, and drawn as MathML by Temml, which is loaded for the first one. */

import { h } from "../ui/dom.js";

const FOLDER = "/vendor/temml-0.13.5";
const MOST_CHARS = 5000;
const INLINE = /^(?:\\\((?<round>.+?)\\\)|\$\$(?<double>[^$]+?)\$\$|\$(?!\s)(?<single>(?:\\.|[^$\\\n])+?)(?<!\s)\$(?![\w$]))/s;
const BLOCK = /^ {0,3}(?:\$\$(?<double>[^$]+?)\$\$|\\\[(?<square>.+?)\\\])[ \t]*(?:\n|$)/s;
const MONEY = /^\d[\d.,]*(?:\s|[-–/]\s?\d|$)(?!.*[\\^_=+*])/s; // "$5 or 6$" is no formula

let temml = null;
let loading = null;

/** Extensions of marked: `$x$`, `\(x\)`, and in lines of their own `$$x$$`, `\[x\]`; `escaped` makes text of HTML. */
export function mathExtensions(escaped) {
  const token = (type, raw, tex, display) => ({ type, raw, tex: tex.trim(), display });
  const renderer = ({ tex, display }) => `<span data-math="${display ? "block" : "inline"}">${escaped(tex)}</span>`;
  const inline = (text) => {
    const match = INLINE.exec(text);
    if (!match || MONEY.test(match.groups.single ?? "")) return undefined;
    const { round, double, single } = match.groups;
    return token("formula", match[0], round ?? double ?? single, double !== undefined);
  };
  const block = (text) => {
    const match = BLOCK.exec(text);
    return match ? token("formulaBlock", match[0], match.groups.double ?? match.groups.square, true) : undefined;
  };
  const starts = (pattern) => (text) => {
    const at = text.search(pattern);
    return at < 0 ? undefined : at;
  };
  return [
    { name: "formula", level: "inline", start: starts(/\$|\\\(/), tokenizer: inline, renderer },
    { name: "formulaBlock", level: "block", start: starts(/(?:^|\n) {0,3}(?:\$\$|\\\[)/), tokenizer: block, renderer: (told) => `<p>${renderer(told)}</p>` },
  ];
}

/** Draws the formulas of an element; until Temml is there, and where one has a mistake, their TeX is seen. */
export function drawMath(root) {
  const formulas = [...root.querySelectorAll("[data-math]")];
  if (!formulas.length) return;
  if (temml) formulas.forEach(draw);
  else load().then(() => formulas.forEach(draw), () => {}); // without it the TeX stays
}

/** Resolves when the formulas of an element are drawn. */
export async function drawnMath(root) {
  if (!root.querySelector("[data-math]")) return;
  await load().catch(() => {});
  if (temml) root.querySelectorAll("[data-math]").forEach(draw);
}

function draw(element) {
  if (element.querySelector("math")) return;
  const tex = element.textContent;
  const display = element.dataset.math === "block";
  const shown = document.createElement("span");
  element.classList.add("formula");
  if (tex.length > MOST_CHARS) return;
  try {
    temml.render(tex, shown, { displayMode: display, throwOnError: true, trust: false, maxExpand: 500, maxSize: [20, 400] });
  } catch {
    return; // not TeX that it knows
  }
  shown.querySelector("math")?.setAttribute("aria-label", tex);
  element.replaceChildren(...shown.childNodes);
  if (display) element.tabIndex = 0; // it may scroll
}

function load() {
  loading ??= new Promise((loaded, failed) => {
    document.head.append(h("link", { rel: "stylesheet", href: `${FOLDER}/Temml-Local.css` }));
    const script = h("script", { src: `${FOLDER}/temml.min.js` });
    script.addEventListener("load", () => loaded((temml = globalThis.temml)));
    script.addEventListener("error", failed);
    document.head.append(script);
  });
  return loading;
}
