/** Copying and saving. */

import { toast } from "./dialogs.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

export async function copy(text, what = "It") {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyByHand(text);
    toast(`${what} is copied.`);
  } catch {
    toast("The browser does not allow copying here.", { bad: true });
  }
}

/** Pages loaded over plain HTTP from another machine have no clipboard API; for them the older command works. */
function copyByHand(text) {
  const area = h("textarea", { class: "hidden-text", readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("refused");
}

export function save(name, text, type = "text/plain") {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBlob(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function saveJson(name, value) {
  save(name, `${JSON.stringify(value, null, 2)}\n`, "application/json");
}

export function copyButton(text, what, className = "button small") {
  return h("button", { type: "button", class: className, onclick: () => copy(text, what) }, icon("copy"), "Copy");
}
