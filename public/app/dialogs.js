/** Windows over the page. The browser keeps the focus in them, closes them on Escape, and gives the focus back. */

import { byId, fill, h } from "./dom.js";
import { icon } from "./icons.js";

let count = 0;

/**
 * Opens a window with a heading; returns {element, body, close, closed}.
 *
 * `closed` resolves to what `close(value)` was given, to undefined after Escape or a click beside it.
 */
export function dialog({ title, className = "", closable = true }) {
  const heading = h("h2", { id: `dialog-${++count}` }, title);
  const body = h("div", { class: "dialog-body" });
  const closer = closable && h("button", { type: "button", class: "icon-button", "aria-label": "Close" }, icon("close"));
  const element = h(
    "dialog",
    { class: `dialog ${className}`, "aria-labelledby": heading.id },
    h("div", { class: "dialog-head" }, heading, closer),
    body,
  );
  const before = document.activeElement;
  const { promise: closed, resolve } = Promise.withResolvers();
  let result;
  const close = (value) => {
    result = value;
    element.close();
  };
  if (closer) closer.addEventListener("click", () => close());
  element.addEventListener("click", (event) => {
    if (event.target === element && closable) close(); // the veil is the element itself, its content is not
  });
  element.addEventListener("close", () => {
    element.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
    resolve(result);
  });
  document.body.append(element);
  element.showModal();
  return { element, heading, body, close, closed };
}

/** Asks before something is done that cannot be undone; resolves to whether to do it. */
export async function confirm({ title, text, action }) {
  const { body, close, closed } = dialog({ title, className: "small" });
  const cancel = h("button", { type: "button", class: "button", onclick: () => close(false) }, "Keep it");
  const go = h("button", { type: "button", class: "button danger", onclick: () => close(true) }, action);
  fill(body, h("p", {}, text), h("div", { class: "dialog-actions" }, cancel, go));
  cancel.focus();
  return (await closed) === true;
}

/** Says something in passing, in a corner and aloud. */
export function toast(text, { bad = false } = {}) {
  const element = h("div", { class: bad ? "toast bad" : "toast" }, icon(bad ? "warning" : "check"), text);
  byId("toasts").append(element);
  setTimeout(() => element.remove(), bad ? 8000 : 3500);
}
