/** The empty page with example requests. */

import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { kindOfFile, OWN_FILE } from "../model/kinds.js";
import { thumbnail } from "../ui/media.js";

const EXAMPLES = [
  { title: "Count across pictures", request: "Given a collection of images A: /examples/a.jpg, B: /examples/b.jpg, C: /examples/c.jpg, how many giraffes are in these pictures?" },
  { title: "Read a page aloud", request: "Read the text in /examples/invoice.png aloud" },
  { title: "Who and where", request: "Transcribe /examples/speech.wav and tell me which people and places are named" },
  { title: "Pose and edges", request: "Find the pose of the person in /examples/person.jpg and show me its edges too" },
  { title: "Clean, write down, judge", request: "Clean up the noise in /examples/noisy.wav, then transcribe it and say whether it sounds positive" },
  { title: "What is in it?", request: "Find all objects in /examples/e.jpg" },
];

/** `send(request)` sends an example; `note` is shown above them. */
export function welcome(send, note) {
  const cards = EXAMPLES.map(({ title, request }) => {
    const files = [...request.matchAll(OWN_FILE)].map(([path]) => path);
    const words = request.replaceAll(OWN_FILE, (path) => path.split("/").pop());
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "example", onclick: () => send(request) },
        h("span", { class: "example-files" }, files.map((path) => thumbnail(path, kindOfFile(path)))),
        h("span", { class: "example-title" }, title),
        h("span", { class: "example-words" }, words),
      ),
    );
  });
  return h(
    "div",
    { class: "welcome" },
    h("h2", {}, "What shall be done?"),
    h("p", { class: "lead" }, "Ask for something with a picture, a recording or words. The request becomes a plan of tasks, each is given to an expert model, and you watch them work. Choose Goal for what takes many steps: they are taken one by one, with your leave."),
    note,
    h("h3", { class: "examples-head" }, icon("chat"), "Try an example"),
    h("ul", { class: "examples" }, cards),
  );
}
