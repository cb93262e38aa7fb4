/** The window that shows a picture: zoom, what was marked in it on and off, and a slider to what it was made from. */

import { layered } from "./compare.js";
import { dialog } from "./dialogs.js";
import { fill, h, label, style } from "./dom.js";
import { icon } from "./icons.js";
import { hasBoxes, regionsOver } from "./regions.js";
import { Zoom } from "./zoom.js";

const STEP = 1.25;

/**
 * Shows the picture of a URL. `source` is the URL of the picture that it was made from, if there is one; `regions` are
 * those that were found in it ({label, box}), `tools` are elements for the row of buttons.
 */
export function showPicture({ url, title, alt = title, source = null, regions = null, tools = [] }) {
  const { element, body } = dialog({ title, className: "viewer" });
  const from = source !== url ? source : null;
  const image = h("img", { src: url, alt, draggable: "false" });
  const frame = h("div", { class: "zoom-frame", tabindex: "0", role: "group", "aria-label": "The picture. Plus and minus zoom, the arrows move it, 0 shows the whole." });
  const stage = h("div", { class: "zoom-stage" }, image);
  frame.append(stage);
  const scale = h("output", { class: "zoom-scale" });
  const size = () => ({ width: image.naturalWidth, height: image.naturalHeight });
  const zoom = new Zoom(frame, stage, size, { changed: (value) => (scale.textContent = `${Math.round(100 * value)} %`) });
  let known = "";
  const ready = () => {
    const now = `${image.naturalWidth} ${image.naturalHeight}`;
    if (now === known) return; // another picture of the same size, as one without marks, is seen as this one was
    known = now;
    style(stage, { width: `${image.naturalWidth}px`, height: `${image.naturalHeight}px` });
    zoom.fit();
  };
  image.addEventListener("load", ready);
  image.addEventListener("error", () => fill(stage, h("p", { class: "lost" }, icon("warning"), " It cannot be shown here.")));
  if (image.complete && image.naturalWidth) ready();
  const below = h("div", { class: "viewer-below" });
  const marks = markSwitch(stage, image, { url, from, regions });
  const switches = [marks, from && compareSwitch({ stage, image, below, from, alt, url, marks })];
  const button = (name, text, onclick) => {
    const made = h("button", { type: "button", class: "icon-button", onclick }, icon(name));
    label(made, text);
    return made;
  };
  const zooms = h(
    "div",
    { class: "zoom-tools", role: "group", "aria-label": "Zoom" },
    button("minus", "Smaller", () => zoom.by(1 / STEP)),
    scale,
    button("plus", "Larger", () => zoom.by(STEP)),
    button("fit", "Show the whole", () => zoom.fit()),
    h("button", { type: "button", class: "button small", onclick: () => zoom.zoomTo(1) }, "100 %"),
  );
  fill(body, frame, below, h("div", { class: "viewer-tools" }, zooms, switches, tools));
  frame.focus({ preventScroll: true });
  return element;
}

/** A switch for what is marked: drawn over the picture here, or into a picture of its own by the server. */
function markSwitch(stage, image, { url, from, regions }) {
  if (!regions?.length) return null;
  const overlay = !from && hasBoxes(regions) ? regionsOver(image, regions) : null;
  if (!from && !overlay) return null;
  if (overlay) stage.append(overlay);
  return toggle("boxes", "Marks", true, (on) => {
    if (overlay) overlay.classList.toggle("off", !on);
    else image.src = on ? url : from;
  });
}

/** A switch between the picture alone and a slider to the one that it was made from. */
function compareSwitch({ stage, image, below, from, alt, url, marks }) {
  return toggle("compare", "Compare with the input", false, (on) => {
    if (marks) {
      marks.hidden = on; // what is marked is what is compared
      marks.setAttribute("aria-pressed", "true");
    }
    image.src = url;
    if (!on) {
      fill(stage, image);
      fill(below);
      return;
    }
    const before = h("img", { src: from, alt: `Before: ${alt}`, draggable: "false" });
    const { stack, slider } = layered(before, image, ["Input", "Result"]);
    fill(stage, stack);
    fill(below, slider);
    slider.focus();
  });
}

/** A button that is on or off; `changed(on)` is called when it is pressed. */
export function toggle(name, text, on, changed) {
  const button = h("button", { type: "button", class: "button small switch", "aria-pressed": String(on) }, icon(name), text);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    changed(now);
  });
  return button;
}
