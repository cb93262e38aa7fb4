/** Two pictures over each other, and a slider that says how much of the first is seen. */

import { h, style } from "./dom.js";

/**
 * {stack, slider} of two elements that show pictures, each called by a name: `stack` holds both, the picture `now` in
 * the flow, `slider` is a range from 0 (only `now`) to 100 (only `before`).
 */
export function layered(before, now, names = ["Before", "Now"]) {
  before.classList.add("layer-before");
  const line = h("span", { class: "split-line", "aria-hidden": "true" });
  const tags = names.map((name) => h("span", { class: "split-tag", "aria-hidden": "true" }, name));
  const stack = h("span", { class: "split" }, now, before, line, ...tags);
  const slider = h("input", { type: "range", class: "split-slider", min: 0, max: 100, step: 1, value: 50, "aria-label": `How much of “${names[0]}” is seen` });
  const show = () => {
    style(stack, { "--split": `${slider.value}%` });
    slider.setAttribute("aria-valuetext", `${slider.value} % ${names[0]}, ${100 - Number(slider.value)} % ${names[1]}`);
  };
  slider.addEventListener("input", show);
  show();
  return { stack, slider };
}

/** The element that compares two pictures of this server. */
export function compared(before, now, { names = ["Before", "Now"], alts = ["", ""] } = {}) {
  const [first, second] = [before, now].map((url, at) => h("img", { src: url, alt: alts[at], loading: "lazy", decoding: "async" }));
  const { stack, slider } = layered(first, second, names);
  return h("div", { class: "compared" }, stack, slider);
}
