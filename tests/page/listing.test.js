import assert from "node:assert/strict";
import { test } from "node:test";

import { decoded, matched, readListing } from "../../public/app/model/listing.js";

const files = (...names) => names.map((name) => ({ name, file: { size: 1 } }));
const rowsOf = ({ rows }) => rows.map(({ source, url, texts }) => [source?.name ?? url, texts]);

test("a table is read with quotes, line ends and delimiters of several kinds", () => {
  const wanted = { columns: ["picture", "owner"], rows: [["a.png", "Ada, \"the first\"\nof all"], ["b.png", ""]] };
  assert.deepEqual(readListing('picture,owner\r\n"a.png","Ada, ""the first""\nof all"\r\n\r\nb.png,\r\n', "x.csv"), wanted);
  for (const delimiter of [";", "\t", "|"]) assert.deepEqual(readListing(`picture${delimiter}owner\na.png${delimiter}Ada, Bob\n`, "x.csv").rows, [["a.png", "Ada, Bob"]]);
  assert.deepEqual(readListing("picture\na.png", "x.csv"), { columns: ["picture"], rows: [["a.png"]] });
});

test("a text names a file a line", () => {
  assert.deepEqual(readListing("# mine\na.png\n\n b.png \na.png\n", "x.txt"), { columns: ["file"], rows: [["a.png"], ["b.png"]] });
});

test("what is no table is said", () => {
  assert.throws(() => readListing("a,b\n", "x.csv"), /names of its columns, and one row/);
  assert.throws(() => readListing("a,b\n1,2\n1\n", "x.csv"), /Row 3 of x\.csv/);
  assert.throws(() => readListing("a,a\n1,2\n", "x.csv"), /need names/);
  assert.throws(() => readListing("# nothing\n", "x.txt"), /names no file/);
});

test("a table may have the letters of any usual program", () => {
  const utf8 = new TextEncoder().encode("\ufeffname;ä\n");
  assert.equal(decoded(utf8), "name;ä\n");
  assert.equal(decoded(new Uint8Array([0xe4, 0x0a])), "ä\n");
  assert.equal(decoded(new Uint8Array([0xff, 0xfe, 0xe4, 0x00])), "ä");
  assert.equal(decoded(new Uint8Array([0xfe, 0xff, 0x00, 0xe4])), "ä");
});

test("the column of the files is the one that names them; the others are texts", () => {
  const listing = readListing("owner,picture\nAda,trip/a.png\nBob,b.png\nEve,c.png\nDan,https://example.com/d.png\n", "x.csv");
  const found = matched(listing, files("trip/a.png", "trip/sub/b.png", "trip/e.png"));
  assert.deepEqual([found.column, found.texts, found.lacking, found.others], ["picture", ["owner"], ["c.png"], 1]);
  assert.deepEqual(rowsOf(found), [["trip/a.png", { owner: "Ada" }], ["trip/sub/b.png", { owner: "Bob" }], ["https://example.com/d.png", { owner: "Dan" }]]);
});

test("a file is known by the end of its path where only one has it", () => {
  const both = files("one/a.png", "two/a.png", "two/b.png");
  const listing = (...paths) => ({ columns: ["file"], rows: paths.map((path) => [path]) });
  assert.deepEqual(rowsOf(matched(listing("one/a.png", "./two/a.png", "C:\\pictures\\two\\b.png"), both)), [["one/a.png", {}], ["two/a.png", {}], ["two/b.png", {}]]);
  assert.deepEqual(matched(listing("a.png", "b.png"), both).lacking, ["a.png"]);
});

test("the same file may stand in several rows, and a table must name some", () => {
  const listing = readListing("file,word\na.png,cat\na.png,dog\n", "x.csv");
  assert.deepEqual(rowsOf(matched(listing, files("a.png"))), [["a.png", { word: "cat" }], ["a.png", { word: "dog" }]]);
  assert.throws(() => matched(listing, files("z.png")), /None of its columns/);
  assert.throws(() => matched({ columns: ["picture", "file"], rows: [["a.png", "x"]] }, files("a.png")), /otherwise/);
});
