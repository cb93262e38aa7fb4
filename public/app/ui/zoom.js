/** Zooming and moving what a frame shows: by wheel, fingers, mouse and keyboard. */

import { style } from "./dom.js";

const STEP = 1.25; // of a press of a button or a key
const MOST = 8; // times its own size, or the size at which it fits if that is more
const MOVE = 60; // pixels of an arrow key

export class Zoom {
  /**
   * `stage` lies in the corner of `frame`; `size()` gives its own {width, height}, 0 while it is not known.
   * `changed(scale)` is told each scale.
   *
   * @param {HTMLElement} frame
   * @param {HTMLElement} stage
   * @param {() => {width: number, height: number}} size
   * @param {{changed?: (scale: number) => unknown}} options
   */
  constructor(frame, stage, size, { changed = () => {} } = {}) {
    this.frame = frame;
    this.stage = stage;
    this.size = size;
    this.changed = changed;
    this.scale = 1;
    this.x = this.y = 0;
    this.fits = true;
    this.fingers = new Map();
    frame.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    frame.addEventListener("pointerdown", (event) => this.pressed(event));
    frame.addEventListener("pointermove", (event) => this.moved(event));
    for (const name of ["pointerup", "pointercancel"]) frame.addEventListener(name, (/** @type {PointerEvent} */ event) => this.fingers.delete(event.pointerId));
    frame.addEventListener("dblclick", (event) => (this.fits ? this.zoomTo(Math.max(1, 2 * this.scale), this.within(event)) : this.fit()));
    frame.addEventListener("keydown", (event) => this.typed(event));
    new ResizeObserver(() => this.fits && this.fit()).observe(frame);
  }

  /** Shows the whole; what is small is not enlarged. */
  fit() {
    const { width, height } = this.size();
    if (!width || !height) return;
    this.fits = true;
    this.scale = this.least(width, height);
    this.place(0, 0);
  }

  least(width, height) {
    return Math.min(1, this.frame.clientWidth / width, this.frame.clientHeight / height);
  }

  by(factor, at) {
    this.zoomTo(this.scale * factor, at);
  }

  /** Zooms to a scale; the point `at` of the frame, by default its middle, stays where it is. */
  zoomTo(wanted, at = { x: this.frame.clientWidth / 2, y: this.frame.clientHeight / 2 }) {
    const { width, height } = this.size();
    if (!width) return;
    const least = this.least(width, height);
    const scale = Math.min(Math.max(wanted, least), Math.max(MOST, least));
    const ratio = scale / this.scale;
    this.fits = scale === least;
    this.scale = scale;
    this.place(at.x - (at.x - this.x) * ratio, at.y - (at.y - this.y) * ratio);
  }

  /** Puts the corner of the stage at a place, so that as much of it is seen as can be. */
  place(x, y) {
    const { width, height } = this.size();
    this.x = held(x, this.frame.clientWidth, width * this.scale);
    this.y = held(y, this.frame.clientHeight, height * this.scale);
    style(this.stage, { transform: `translate(${this.x}px, ${this.y}px) scale(${this.scale})` });
    this.changed(this.scale);
  }

  within({ clientX, clientY }) {
    const { left, top } = this.frame.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  wheeled(event) {
    event.preventDefault();
    this.by(Math.exp(-event.deltaY / (event.ctrlKey ? 100 : 400)), this.within(event));
  }

  pressed(event) {
    if (event.button !== 0 || event.target.closest("input, button, a")) return;
    event.preventDefault(); // no dragging of the picture as a file
    this.frame.focus({ preventScroll: true });
    this.frame.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, this.within(event));
  }

  moved(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = this.within(event);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.fingers.set(event.pointerId, now);
    if (!other) return this.place(this.x + now.x - before.x, this.y + now.y - before.y);
    const apart = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
    this.by(apart(now) / apart(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  typed(event) {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = {
      "+": () => this.by(STEP), "=": () => this.by(STEP), "-": () => this.by(1 / STEP), 0: () => this.fit(), 1: () => this.zoomTo(1),
      ArrowLeft: () => this.place(this.x + MOVE, this.y), ArrowRight: () => this.place(this.x - MOVE, this.y),
      ArrowUp: () => this.place(this.x, this.y + MOVE), ArrowDown: () => this.place(this.x, this.y - MOVE),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }
}

/** A place in the middle where there is room to spare, else one that leaves no room. */
function held(at, room, length) {
  return length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, at));
}
