/** Requests that wait until the one that is being worked on is over. */

import { announce, byId, fill, h, label } from "../ui/dom.js";
import { shortened } from "../model/format.js";
import { icon } from "../ui/icons.js";

export class Queue {
  /** `on.back(request)` is called with a request that is taken out of it, `on.changed()` after each change. */
  constructor(on) {
    this.on = on;
    this.requests = []; // {text, files}
    this.element = byId("queue");
  }

  add(request) {
    this.requests.push(request);
    announce("It is sent when the request before it is over.");
    this.changed();
  }

  /** The first one, taken out; undefined where there is none. */
  next() {
    const request = this.requests.shift();
    if (request) this.changed();
    return request;
  }

  /** All of them as one request, taken out; null where there is none. */
  takeAll() {
    if (!this.requests.length) return null;
    const all = this.requests.splice(0);
    this.changed();
    return { text: all.map(({ text }) => text).join("\n"), files: all.flatMap(({ files }) => files) };
  }

  changed() {
    const items = this.requests.map((request) => {
      const back = h("button", { type: "button", class: "icon-button tiny" }, icon("close"));
      label(back, `Take back: ${shortened(request.text, 60)}`);
      back.addEventListener("click", () => {
        this.requests = this.requests.filter((one) => one !== request);
        this.changed();
        this.on.back(request);
      });
      return h("li", {}, icon("waiting"), h("span", { dir: "auto" }, request.text), request.files.length > 0 && icon("clip"), back);
    });
    fill(this.element, items);
    this.element.hidden = !items.length;
    this.on.changed();
  }
}
