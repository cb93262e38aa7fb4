/** Modal dialogs. The browser traps the focus, closes them on Escape, and restores the focus. */

import { byId, fill, focusedElement, h } from "./dom.js";
import { icon } from "./icons.js";

let count = 0;

/**
 * Opens a window with a heading; returns {element, body, close, closed}.
 *
 * `closed` resolves to the argument of `close(value)`, to undefined after Escape or a click outside.
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
  const before = focusedElement();
  const { promise: closed, resolve } = Promise.withResolvers();
  let result;
  const close = (value) => {
    result = value;
    element.close();
  };
  if (closer) closer.addEventListener("click", () => close());
  element.addEventListener("click", (event) => {
    if (event.target === element && closable) close(); // a click on the backdrop has the element itself as target
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

/** Asks for confirmation of an irreversible action; resolves to whether it was confirmed. */
export async function confirm({ title, text, action }) {
  const { body, close, closed } = dialog({ title, className: "small" });
  const cancel = h("button", { type: "button", class: "button", onclick: () => close(false) }, "Keep it");
  const go = h("button", { type: "button", class: "button danger", onclick: () => close(true) }, action);
  fill(body, h("p", {}, text), h("div", { class: "dialog-actions" }, cancel, go));
  cancel.focus();
  return (await closed) === true;
}

/** A transient notification in a corner, also announced to screen readers. */
export function toast(text, { bad = false } = {}) {
  const element = h("div", { class: bad ? "toast bad" : "toast" }, icon(bad ? "warning" : "check"), text);
  byId("toasts").append(element);
  setTimeout(() => element.remove(), bad ? 8000 : 3500);
}
