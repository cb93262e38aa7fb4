import assert from "node:assert/strict";
import { before, test } from "node:test";

import { JSDOM } from "jsdom";

/** @type {typeof import("../../public/app/views/markdown.js")} */
let page;

before(async () => {
  const { window } = new JSDOM("<!doctype html><body></body>", { url: "http://127.0.0.1:8004/" });
  const { document, location, Node, NodeFilter } = window;
  Object.assign(globalThis, { window, document, location, Node, NodeFilter });
  const kinds = await import("../../public/app/model/kinds.js");
  kinds.setFileTypes({ image: ["jpg", "png"], audio: ["wav"] });
  page = await import("../../public/app/views/markdown.js");
});

/** The elements of a text in markdown. */
function drawn(text, names = undefined) {
  const root = document.createElement("div");
  root.append(page.markdown(text, names));
  return root;
}

const tags = (root, selector) => [...root.querySelectorAll(selector)].map(({ textContent }) => textContent);

test("markdown becomes elements, headings below those of the page, lists with their start", () => {
  const root = drawn("# One\n\n## Two\n\n#### Four\n\n3. *three*\n4. **four**\n\n~~gone~~");
  assert.deepEqual(tags(root, "h4"), ["One", "Two", "Four"]);
  assert.equal(root.querySelectorAll("h1, h2, h3").length, 0);
  assert.equal(root.querySelector("ol").getAttribute("start"), "3");
  assert.deepEqual([...tags(root, "em"), ...tags(root, "strong"), ...tags(root, "del")], ["three", "four", "gone"]);
});

test("a line break is one", () => {
  assert.equal(drawn("one\ntwo").querySelectorAll("br").length, 1);
});

test("HTML of an answer is text, whatever it is in", () => {
  for (const text of [
    "<img src=x onerror=alert(1)>",
    "one <script>alert(1)</script> two",
    "<svg onload=alert(1)><style>*{}</style></svg>",
    "| <iframe src=/v1/chats> |\n|---|\n| <b onclick=x>y</b> |",
    "`<script>`",
    "```html\n<script>alert(1)</script>\n```",
    '```x"onmouseover="alert(1)\ny\n```',
    '![<img src=x onerror=alert(1)>](http://a.example/" onerror="alert(1))',
    "$<img src=x onerror=alert(1)>$",
  ]) {
    const root = drawn(text);
    assert.equal(root.querySelectorAll("script, style, iframe, img, svg:not(.icon), b").length, 0, text);
    for (const element of root.querySelectorAll("*")) for (const { name } of element.attributes) assert.ok(!name.startsWith("on"), `${text}: ${name}`);
  }
  assert.ok(drawn("one <script>alert(1)</script>").textContent.includes("<script>alert(1)</script>"));
});

test("links lead to the web in a window of their own, and nowhere else", () => {
  const link = drawn("[ok](https://example.com/)").querySelector("a");
  assert.deepEqual([link.href, link.target, link.rel], ["https://example.com/", "_blank", "noopener noreferrer"]);
  assert.equal(drawn("<mail@example.com>").querySelector("a").protocol, "mailto:");
  for (const href of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "/v1/chats", "//evil.example/x", "blob:x"]) {
    const root = drawn(`[words](${href})`);
    assert.equal(root.querySelectorAll("a").length, 0, href);
    assert.equal(root.textContent.trim(), "words");
  }
});

test("no picture of another place is loaded", () => {
  const root = drawn("![a cat](https://example.com/cat.png)");
  assert.equal(root.querySelectorAll("img").length, 0);
  assert.deepEqual(tags(root, "a"), ["a cat"]);
});

test("files of this server are buttons with the user's names, in text, code, links and pictures", () => {
  const path = "/uploads/photo-0123456789ab.jpg";
  for (const text of [`It is ${path}.`, `It is \`${path}\`.`, `[here](${path})`, `![here](${path})`]) {
    const root = drawn(text, new Map([[path, "my zoo.jpg"]]));
    assert.deepEqual(tags(root, "button.file-chip"), ["my zoo.jpg"], text);
    assert.equal(root.querySelector("button").title, path);
  }
  assert.deepEqual(tags(drawn(`Two: ${path}, /examples/a.jpg`), "button.file-chip"), ["photo.jpg", "a.jpg"]);
  assert.equal(drawn(`\`\`\`\n${path}\n\`\`\``).querySelectorAll(".file-chip").length, 0);
  assert.equal(drawn("It is /etc/passwd.png").querySelectorAll(".file-chip").length, 0);
});

test("code and tables can be scrolled by the keyboard, and code be copied", () => {
  const root = drawn("```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |");
  assert.equal(root.querySelector("pre").tabIndex, 0);
  assert.deepEqual(tags(root, ".code-lang"), ["python"]);
  assert.equal(root.querySelector(".copy-code").getAttribute("aria-label"), "Copy the code");
  const frame = root.querySelector(".table-frame");
  assert.deepEqual([frame.tabIndex, frame.getAttribute("role")], [0, "region"]);
  assert.deepEqual(tags(root, "td"), ["1", "2"]);
});

test("each block has the direction of its own letters", () => {
  const root = drawn("Hello\n\n> שלום\n\n- one");
  for (const block of root.querySelectorAll("p, li, blockquote")) assert.equal(block.getAttribute("dir"), "auto");
});

test("formulas are told from amounts of money", () => {
  const formulas = (text) => [...drawn(text).querySelectorAll("[data-math]")].map(({ dataset, textContent }) => [dataset.math, textContent]);
  assert.deepEqual(formulas("It is $x^2$, \\(y\\)."), [["inline", "x^2"], ["inline", "y"]]);
  assert.deepEqual(formulas("$$\nx + 1\n$$"), [["block", "x + 1"]]);
  assert.deepEqual(formulas("It costs $5 or $6."), []);
  assert.deepEqual(formulas("`$x$`"), []);
});

test("a plain text is shown as it is, with its files", () => {
  const root = document.createElement("p");
  root.append(page.plainText("**no** <b>markup</b> /examples/a.jpg"));
  assert.equal(root.querySelectorAll("b, strong").length, 0);
  assert.deepEqual(tags(root, ".file-chip"), ["a.jpg"]);
});
