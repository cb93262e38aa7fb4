/** Creating elements. Strings passed as children become text, never markup. */

/**
 * h("button", { class: "x", "aria-label": "…", onclick: f }, "text", child)
 *
 * Functions become event listeners, true an attribute without a value; false, null and undefined are omitted.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} attributes
 * @param {...unknown} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...present(children));
  return element;
}

/**
 * An element of an SVG picture.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} attributes
 * @param {...(Node | string)} children
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Puts children in the place of those that an element has.
 *
 * @template {Element | DocumentFragment} E
 * @param {E} element
 * @param {...unknown} children
 * @returns {E}
 */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

/**
 * Children without empty ones, with lists flattened.
 *
 * @param {unknown[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  return /** @type {any[]} */ (children.flat(Infinity)).filter((child) => child !== null && child !== undefined && child !== false);
}

/**
 * An element of index.html, of whatever type it has there.
 *
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * The element with the focus.
 *
 * @returns {HTMLElement | null}
 */
export function focusedElement() {
  return /** @type {HTMLElement | null} */ (document.activeElement);
}

/** Labels a button by a tooltip and for screen readers. */
export function label(element, text) {
  element.setAttribute("aria-label", text);
  element.title = text;
}

export function hiddenText(text) {
  return h("span", { class: "hidden-text" }, text);
}

/** Sets a style by script, which the content security policy allows, unlike style attributes. */
export function style(element, values) {
  for (const [name, value] of Object.entries(values)) element.style.setProperty(name, value);
}

const announcer = byId("announcer");
let pending = [];

/** Announces a text to screen readers; texts in quick succession are announced together. */
export function announce(text) {
  pending.push(text);
  if (pending.length > 1) return;
  setTimeout(() => {
    announcer.textContent = pending.join(" ");
    pending = [];
  }, 150);
}
