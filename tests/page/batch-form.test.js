import assert from "node:assert/strict";
import { before, test } from "node:test";

import { JSDOM } from "jsdom";

/** @type {typeof import("../../public/app/views/batch-new.js").BatchForm} */
let Form;

before(async () => {
  const { window } = new JSDOM("<!doctype html><body></body>", { url: "http://127.0.0.1:8004/" });
  const { document, location, Node, NodeFilter } = window;
  Object.assign(globalThis, { window, document, location, Node, NodeFilter });
  const kinds = await import("../../public/app/model/kinds.js");
  kinds.setFileTypes({ image: ["png"], text: ["txt"] });
  Map.groupBy ??= (items, key) => {
    const groups = new Map();
    for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
    return groups;
  };
  ({ BatchForm: Form } = await import("../../public/app/views/batch-new.js"));
});

/** The form with files, and a table that is chosen: how its two lines read. */
async function formWith(names, table = null) {
  const form = new Form({ planned: () => {} }, { files: names.map((name) => ({ name, file: { size: 1 } })) });
  if (table) await form.useList({ files: [new File([table.text], table.name)], value: "" });
  return form;
}

const lines = ({ element }) => [".batch-found", ".batch-listed", ".form-error"].map((one) => [...element.querySelectorAll(one)].map(({ textContent }) => textContent.trim()));

test("without a table the files of one kind are taken, and nothing is said of one", async () => {
  assert.deepEqual(lines(await formWith(["0.png", "1.png", "a.txt"])), [["2 pictures (1 of another kind is left out) Clear"], [""], [""]]);
});

test("of a table its rows, columns and what is left out are told, and it can be left", async () => {
  const form = await formWith(["0.png", "1.png"], { name: "owners.csv", text: "owner,picture\nAda,0.png\nEve,9.png\n" });
  const told = "owners.csv 1 row, the files in picture. In the request, {owner} stands for the words of a row. 1 row is left out, of files that are not chosen: 9.png. 1 file is not listed in it. Without the table";
  assert.deepEqual(lines(form), [["2 files Clear"], [told], [""]]);
  form.dropList();
  assert.deepEqual(lines(form), [["2 pictures Clear"], [""], [""]]);
});

test("a table that cannot be used is said", async () => {
  assert.deepEqual(lines(await formWith(["0.png"], { name: "odd.csv", text: "a,b\n1\n" }))[2], ["Row 2 of odd.csv has another number of columns than its first row."]);
  const none = await formWith(["0.png"], { name: "x.csv", text: "a\nb.png\n" });
  assert.deepEqual(lines(none)[1], ["x.csv None of its columns names the files: choose those that it lists, too. Without the table"]);
  await none.plan();
  assert.deepEqual(lines(none)[2], ["Choose the files first."]);
});
