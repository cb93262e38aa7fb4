/** Making elements. Whatever is passed as a child becomes text, never markup. */

/**
 * h("button", { class: "x", "aria-label": "…", onclick: f }, "text", child)
 *
 * Functions are listened with, true is an attribute without a value; false, null and undefined are left out.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...present(children));
  return element;
}

/** An element of an SVG picture. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

/** Children without those that are not there, lists flattened. */
function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Names a button for those who see it and those who hear it. */
export function label(element, text) {
  element.setAttribute("aria-label", text);
  element.title = text;
}

export function hiddenText(text) {
  return h("span", { class: "hidden-text" }, text);
}

/** Sets a style from code, which the content security policy allows where an attribute is refused. */
export function style(element, values) {
  for (const [name, value] of Object.entries(values)) element.style.setProperty(name, value);
}

const announcer = byId("announcer");
let pending = [];

/** Says something to a screen reader; what comes within a moment is said together. */
export function announce(text) {
  pending.push(text);
  if (pending.length > 1) return;
  setTimeout(() => {
    announcer.textContent = pending.join(" ");
    pending = [];
  }, 150);
}
