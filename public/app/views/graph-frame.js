/** The frame of a plan's graph: zoom, an overview of a large one, full screen, and the graph as a file. */

import { svgText, graphPicture, pngOf, withData } from "./graph-picture.js";
import { thumbnails } from "./document-view.js";
import { dialog, toast } from "../ui/dialogs.js";
import { fill, h, label, style, svg } from "../ui/dom.js";
import { save, saveBlob } from "../ui/downloads.js";
import { icon } from "../ui/icons.js";

const STEP = 1.25;
const SCALE = { least: 0.2, most: 2, legible: 0.6 }; // a large graph begins no smaller than what can be read
const OVERVIEW = { width: 150, height: 110 };
const MOST_HEIGHT = 620; // pixels of a graph in the page: a higher one is scrolled within its frame
const MARK = { width: 90, height: 60 }; // least pixels of cards that are worth an overview

export class GraphFrame {
  /** `canvas` is drawn at its own size; the frame scales it. */
  constructor(run, canvas) {
    this.run = run;
    this.canvas = canvas;
    this.scale = 1;
    this.isChosen = this.narrow = false;
    this.size = { width: 0, height: 0 };
    this.boxes = [];
    this.sizer = h("div", { class: "graph-sizer" }, canvas);
    this.scroller = h("div", { class: "graph" }, this.sizer);
    this.overview = h("div", { class: "overview", "aria-hidden": "true", hidden: true });
    this.percent = h("output", { class: "zoom-scale" });
    this.element = h("div", { class: "graph-frame" }, this.scroller, this.overview, this.tools());
    this.scroller.addEventListener("scroll", () => this.markView());
    this.scroller.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    this.element.addEventListener("keydown", (event) => this.typed(event));
    this.overview.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.overview.setPointerCapture(event.pointerId);
      this.lookAt(event);
    });
    this.overview.addEventListener("pointermove", (event) => this.overview.hasPointerCapture(event.pointerId) && this.lookAt(event));
  }

  tools() {
    const button = (name, text, onclick) => {
      const made = h("button", { type: "button", class: "icon-button tiny", onclick }, icon(name));
      label(made, text);
      return made;
    };
    this.zooms = h("span", { class: "graph-zooms" }, button("minus", "Smaller", () => this.by(1 / STEP)), this.percent, button("plus", "Larger", () => this.by(STEP)), button("fit", "Show the whole plan", () => this.fit()));
    this.fullButton = button("full", "Full screen", () => this.showFull());
    const files = [["SVG", () => save(this.fileName("svg"), svgText(this.dataPicture), "image/svg+xml")], ["PNG", async () => saveBlob(this.fileName("png"), await pngOf(this.dataPicture))]];
    const saves = files.map(([name, kept]) => h("button", { type: "button", class: "button small", "aria-label": `Save the plan as ${name}`, onclick: () => this.keep(kept) }, icon("download"), name));
    return h("div", { class: "graph-tools", role: "group", "aria-label": "The plan as a picture" }, this.zooms, this.fullButton, saves);
  }

  fileName(suffix) {
    return `plan-${this.run.id ?? "draft"}.${suffix}`;
  }

  /** Keeps the graph in a file, with its pictures within. */
  async keep(kept) {
    try {
      this.dataPicture = graphPicture(this.run, await withData(thumbnails(this.run)));
      await kept();
    } catch {
      toast("The browser cannot draw this plan as a picture.", { bad: true });
    }
  }

  /** Is told how large the graph is, and where its cards are: [{x, y, width, height, state}, …]. */
  placed(size, boxes, narrow) {
    Object.assign(this, { size, boxes, narrow });
    this.scroller.classList.toggle("stacked", narrow);
    this.zooms.hidden = narrow;
    if (narrow) this.scale = 1;
    else if (!this.isChosen) this.scale = Math.max(SCALE.legible, this.whole());
    this.draw();
  }

  /** The scale at which the whole is seen, 1 at most. */
  whole() {
    const { width, height } = this.room();
    return Math.min(1, width / this.size.width, height / this.size.height) || 1;
  }

  room() {
    const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(this.scroller);
    const full = this.element.closest("dialog");
    const height = full ? this.scroller.clientHeight : MOST_HEIGHT;
    return { width: this.scroller.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight), height: height - parseFloat(paddingTop) - parseFloat(paddingBottom) };
  }

  fit() {
    this.isChosen = true;
    this.scale = this.whole();
    this.draw();
  }

  by(factor, at = { x: this.scroller.clientWidth / 2, y: this.scroller.clientHeight / 2 }) {
    const scale = Math.min(SCALE.most, Math.max(SCALE.least, this.scale * factor));
    const ratio = scale / this.scale;
    const { scrollLeft, scrollTop } = this.scroller;
    this.isChosen = true;
    this.scale = scale;
    this.draw();
    this.scroller.scrollTo((scrollLeft + at.x) * ratio - at.x, (scrollTop + at.y) * ratio - at.y); // what is under the pointer stays there
  }

  draw() {
    const { width, height } = this.size;
    style(this.sizer, { width: `${Math.ceil(width * this.scale)}px`, height: `${Math.ceil(height * this.scale)}px` });
    style(this.canvas, { transform: this.scale === 1 ? "none" : `scale(${this.scale})` });
    style(this.scroller, { "max-height": this.narrow ? "none" : `${MOST_HEIGHT}px` });
    this.percent.textContent = `${Math.round(100 * this.scale)} %`;
    this.drawOverview();
  }

  drawOverview() {
    const { width, height } = this.size;
    const { scroller } = this;
    const isLarger = scroller.scrollWidth > scroller.clientWidth + MARK.width || scroller.scrollHeight > scroller.clientHeight + MARK.height;
    this.overview.hidden = this.narrow || !isLarger;
    if (this.overview.hidden) return;
    this.mini = Math.min(OVERVIEW.width / width, OVERVIEW.height / height);
    const cards = this.boxes.map(({ x, y, width: wide, height: high, state }) => svg("rect", { class: `mini state-${state}`, x, y, width: wide, height: high, rx: 12 }));
    this.view = svg("rect", { class: "mini-view" });
    fill(this.overview, svg("svg", { viewBox: `0 0 ${width} ${height}`, width: Math.ceil(width * this.mini), height: Math.ceil(height * this.mini), focusable: "false" }, ...cards, this.view));
    this.markView();
  }

  /** Marks in the overview which part is seen. */
  markView() {
    if (this.overview.hidden || !this.view) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.scroller;
    for (const [name, value] of Object.entries({ x: scrollLeft, y: scrollTop, width: clientWidth, height: clientHeight })) this.view.setAttribute(name, String(value / this.scale));
  }

  /** Scrolls to where the overview is pressed. */
  lookAt(event) {
    const { left, top } = this.overview.firstElementChild.getBoundingClientRect();
    const [x, y] = [(event.clientX - left) / this.mini, (event.clientY - top) / this.mini].map((place) => place * this.scale);
    this.scroller.scrollTo(x - this.scroller.clientWidth / 2, y - this.scroller.clientHeight / 2);
  }

  wheeled(event) {
    if (this.narrow || !(event.ctrlKey || event.metaKey)) return; // a plain wheel scrolls
    event.preventDefault();
    const { left, top } = this.scroller.getBoundingClientRect();
    this.by(Math.exp(-event.deltaY / 200), { x: event.clientX - left, y: event.clientY - top });
  }

  typed(event) {
    if (this.narrow || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = { "+": () => this.by(STEP), "=": () => this.by(STEP), "-": () => this.by(1 / STEP), 0: () => this.fit() }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  /** Shows the graph in a window as large as the screen, until that is closed. */
  async showFull() {
    const place = document.createComment("graph");
    this.element.replaceWith(place);
    const { body, closed } = dialog({ title: "Plan", className: "full" });
    this.fullButton.hidden = true;
    this.isChosen = false;
    body.append(this.element);
    await closed;
    place.replaceWith(this.element);
    this.fullButton.hidden = false;
    this.isChosen = false;
    this.fullButton.focus({ preventScroll: true });
  }
}
