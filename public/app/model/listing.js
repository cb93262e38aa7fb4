/** A list of files for a batch: a table with columns (CSV), or a text with a file a line. No DOM in this module. */

const DELIMITERS = [",", ";", "\t", "|"];
const FILE = "file"; // what the server calls the column of the files
const URL_OF_FILE = /^https?:\/\/\S+$/i;

/** The text of a file: UTF-8 or UTF-16 with or without a mark, else Windows-1252, as the server reads tables. */
export function decoded(bytes) {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The listing of a text by its name: {columns: [name, …], rows: [[value, …], …]}. Throws an error in words. */
export function readListing(text, name) {
  if (/\.txt$/i.test(name)) {
    const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
    if (!lines.length) throw new Error(`${name} names no file.`);
    return { columns: [FILE], rows: [...new Set(lines)].map((line) => [line]) };
  }
  const [columns, ...rows] = cells(text);
  if (!rows.length) throw new Error(`${name} needs a row with the names of its columns, and one row at least.`);
  if (columns.some((column) => !column) || new Set(columns).size < columns.length) throw new Error(`The columns of ${name} need names, each another one.`);
  const odd = rows.findIndex((row) => row.length !== columns.length);
  if (odd >= 0) throw new Error(`Row ${odd + 2} of ${name} has another number of columns than its first row.`);
  return { columns, rows };
}

/** The cells of a table in CSV, row by row, without empty rows. */
function cells(text) {
  const delimiter = delimiterOf(text);
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    row.push(cell.trim());
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (row.some(Boolean)) rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[++at];
      else quoted = false;
    } else if (letter === '"' && !cell.trim()) {
      cell = "";
      quoted = true;
    } else if (letter === delimiter) endCell();
    else if (letter === "\n") endRow();
    else cell += letter;
  }
  endRow();
  return rows;
}

/** The delimiter that the first row has most often; of a single column a comma. */
function delimiterOf(text) {
  const first = text.trimStart().split("\n", 1)[0].replace(/"[^"]*"/g, "");
  const number = (delimiter) => first.split(delimiter).length;
  return DELIMITERS.toSorted((one, other) => number(other) - number(one))[0];
}

/**
 * The rows of a listing with the files that they name: {column, texts: [column, …], rows: [{source, url, texts}, …],
 * lacking: [name, …], others}.
 *
 * `files` are [{file, name}, …]. The column of the files is the one that names most of them, or addresses of the web;
 * every other column is a text. A row has a `source`, one of the files, or a `url`. `lacking` are the names for which there is no file, and
 * `others` is how many files no row names. Throws where no column names a file, and for a text that is called "file".
 */
export function matched({ columns, rows }, files) {
  const find = finder(files);
  const found = columns.map((_, at) => rows.filter((row) => find(row[at]) || URL_OF_FILE.test(row[at])).length);
  const at = found.indexOf(Math.max(...found));
  if (!found[at]) throw new Error("None of its columns names the files: choose those that it lists, too.");
  const texts = columns.filter((_, other) => other !== at);
  if (texts.includes(FILE)) throw new Error(`The files stand in its column ${columns[at]}: call its column “file” otherwise.`);
  const lacking = [];
  const used = new Set();
  const made = [];
  for (const row of rows) {
    const source = find(row[at]);
    const url = !source && URL_OF_FILE.test(row[at]) ? row[at] : null;
    if (!source && !url) {
      lacking.push(row[at] || "(empty)");
      continue;
    }
    if (source) used.add(source);
    made.push({ source, url, texts: Object.fromEntries(columns.map((name, other) => [name, row[other]]).filter((_, other) => other !== at)) });
  }
  return { column: columns[at], texts, rows: made, lacking, others: files.length - used.size };
}

/** Finds a file by a path that a listing has: by the whole of it, or by its end where only one file has it. */
function finder(files) {
  const byEnd = new Map(); // null where several files have that end
  for (const source of files) {
    const parts = source.name.split("/");
    for (let from = 0; from < parts.length; from++) {
      const end = parts.slice(from).join("/");
      byEnd.set(end, byEnd.has(end) ? null : source);
    }
  }
  for (const source of files) byEnd.set(source.name, source);
  return (value) => {
    const parts = value.replaceAll("\\", "/").split("/").filter((part) => part && part !== ".");
    for (let from = 0; from < parts.length; from++) {
      const end = parts.slice(from).join("/");
      if (byEnd.has(end)) return byEnd.get(end);
    }
    return null;
  };
}
