/** A plan as a picture of its own: SVG that needs no style sheet, and PNG. */

import { svg } from "../ui/dom.js";
import { placeName, seconds, shortened, STATES, taskTitle } from "../model/format.js";
import { graphOf } from "../model/graph.js";
import { inLayers } from "../model/layout.js";

const FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif";
const MONO = "Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const INK = { text: "#1c2220", quiet: "#59625d", line: "#cbc6bb", card: "#ffffff", ground: "#f7f5f1", accent: "#0b5d48" };
const STATE_INK = { running: "#1a56b0", finished: "#0b664d", failed: "#a92a1f" };
const CARD = { width: 230, pad: 12, line: 17, lines: 4 };
const FILE = { width: 130, height: 96 };
const MARGIN = 20;
const MOST_PIXELS = 16_000; // of a side: more than that no browser draws

const pen = document.createElement("canvas").getContext("2d");

/** The plan of a run as an SVG element; `pictures` has the URLs (for a file of its own: of data) of files by their paths. */
export function graphPicture(run, pictures = new Map()) {
  const graph = graphOf(run.tasks);
  const cards = new Map(graph.nodes.map((node) => [node.key, node.task ? taskCard(node.task, pictures) : fileCard(node, run, pictures)]));
  const placed = inLayers(graph.nodes.map(({ key, file }) => ({ key, file, width: cards.get(key).width, height: cards.get(key).height, port: 20 })), graph.edges, { gapX: 70, gapY: 20 });
  const [width, height] = [placed.width, placed.height].map((length) => Math.ceil(length + 2 * MARGIN));
  const lines = graph.edges.flatMap((edge) => line(placed.lines.get(edge), edge.kinds.map((kind) => (kind === "order" ? "after" : kind)).join(", ")));
  const nodes = graph.nodes.map(({ key }) => {
    const { x, y } = placed.at.get(key);
    return svg("g", { transform: `translate(${round(x)} ${round(y)})` }, ...cards.get(key).parts);
  });
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": spoken(run), "font-family": FONT },
    svg("rect", { width, height, fill: INK.ground }),
    svg("g", { transform: `translate(${MARGIN} ${MARGIN})` }, ...lines, ...nodes),
  );
}

/** The picture as the text of an SVG file. */
export function svgText(picture) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
}

/** The picture as a blob of PNG, twice as large where that can be drawn. */
export async function pngOf(picture) {
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const scale = Math.min(2, MOST_PIXELS / width, MOST_PIXELS / height);
  const url = URL.createObjectURL(new Blob([svgText(picture)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((made, failed) => canvas.toBlob((blob) => (blob ? made(blob) : failed(new Error("too large"))), "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The pictures at URLs as data, by the same paths; one that cannot be loaded is left out. */
export async function withData(urls) {
  const found = await Promise.all([...urls].map(async ([path, url]) => [path, await dataOf(url).catch(() => null)]));
  return new Map(/** @type {[string, string][]} */ (found.filter(([, data]) => data)));
}

/** A picture as the data of a PNG, which all programs know that show SVG. */
async function dataOf(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/png");
}

function spoken({ tasks }) {
  return `The plan: ${[...tasks.values()].map(({ id, task, state }) => `task ${id}, ${taskTitle(task)}, ${STATES[state]}`).join("; ")}.`;
}

function taskCard(task, pictures) {
  const inner = CARD.width - 2 * CARD.pad;
  const parts = [];
  let y = CARD.pad;
  const write = (words, { size = 12, fill = INK.text, weight = 400, family = FONT, lines = 1 } = {}) => {
    for (const row of wrapped(words, `${weight} ${size}px ${family}`, inner, lines)) {
      parts.push(text(row, CARD.pad, y + size, { size, fill, weight, family }));
      y += CARD.line;
    }
  };
  write(`${task.id} · ${taskTitle(task.task)}`, { size: 13, weight: 700, lines: 2 });
  if (task.choice) {
    write(shortened(task.choice.id, 30), { size: 11, family: MONO });
    const place = placeName(task.choice);
    if (place) write(`on ${place}`, { size: 11, fill: INK.quiet });
  }
  const picture = task.files.find((path) => pictures.has(path));
  if (picture) {
    parts.push(svg("image", { href: pictures.get(picture), x: CARD.pad, y: y + 2, width: inner, height: 110, preserveAspectRatio: "xMidYMid meet" }));
    y += 118;
  }
  const said = task.state === "finished" ? (task.files.includes(task.reading) ? "" : task.reading) : task.reason;
  if (said) write(said, { fill: task.state === "failed" ? STATE_INK.failed : INK.text, lines: CARD.lines });
  const time = seconds(task.seconds);
  write(`${STATES[task.state]}${time && task.state === "finished" ? ` in ${time}` : ""}`, { size: 11, fill: STATE_INK[task.state] ?? INK.quiet });
  const height = y + CARD.pad - 4;
  return { width: CARD.width, height, parts: [frame(CARD.width, height, task.state === "failed" ? STATE_INK.failed : INK.line), ...parts] };
}

function fileCard({ file, kind }, run, pictures) {
  const has = pictures.has(file);
  const height = has ? FILE.height : 44;
  const parts = [frame(FILE.width, height, INK.line)];
  if (has) parts.push(svg("image", { href: pictures.get(file), x: 8, y: 8, width: FILE.width - 16, height: FILE.height - 34, preserveAspectRatio: "xMidYMid slice" }));
  parts.push(text(shortened(run.nameOf(file), 18), FILE.width / 2, height - (has ? 10 : 24), { size: 11, anchor: "middle" }));
  if (!has) parts.push(text(kind, FILE.width / 2, height - 9, { size: 11, fill: INK.quiet, anchor: "middle" }));
  return { width: FILE.width, height, parts };
}

function frame(width, height, stroke) {
  return svg("rect", { width, height, rx: 10, fill: INK.card, stroke });
}

function text(words, x, y, { size = 12, fill = INK.text, weight = 400, family = FONT, anchor = "start" } = {}) {
  return svg("text", { x, y, fill, "font-size": size, "font-weight": weight, "font-family": family, "text-anchor": anchor }, words);
}

/** A text in lines of at most a width; what is more than `most` of them ends in an ellipsis. */
function wrapped(words, font, width, most) {
  pen.font = font;
  const fits = (line) => pen.measureText(line).width <= width;
  const lines = [];
  let line = "";
  for (const word of String(words).split(/\s+/).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (fits(longer)) line = longer;
    else {
      if (line) lines.push(line);
      line = word;
      while (!fits(line) && line.length > 1) {
        let cut = line.length - 1;
        while (cut > 1 && !fits(line.slice(0, cut))) cut -= 1;
        lines.push(line.slice(0, cut));
        line = line.slice(cut);
        if (lines.length > most) break;
      }
    }
    if (lines.length > most) break;
  }
  if (line) lines.push(line);
  if (lines.length <= most) return lines;
  let last = lines[most - 1];
  while (last && !fits(`${last}…`)) last = last.slice(0, -1);
  return [...lines.slice(0, most - 1), `${last}…`];
}

function line(points, label) {
  const [first, ...rest] = points;
  let path = `M${round(first.x)} ${round(first.y)}`;
  let last = first;
  rest.forEach((point, at) => {
    const middle = round((last.x + point.x) / 2);
    path += at % 2 === 1 ? `L${round(point.x)} ${round(point.y)}` : `C${middle} ${round(last.y)} ${middle} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    last = point;
  });
  const [start, end] = points.slice(-2);
  const [x, y] = [(start.x + end.x) / 2, (start.y + end.y) / 2];
  const width = 6.2 * label.length + 8;
  return [
    svg("path", { d: path, fill: "none", stroke: INK.accent, "stroke-opacity": 0.6, "stroke-width": 1.5 }),
    svg("circle", { cx: round(end.x), cy: round(end.y), r: 3, fill: INK.accent }),
    svg("rect", { x: round(x - width / 2), y: round(y - 8), width: round(width), height: 16, rx: 5, fill: INK.ground }),
    text(label, round(x), round(y + 4), { size: 11, fill: INK.quiet, anchor: "middle" }),
  ];
}

function round(number) {
  return Math.round(number * 10) / 10;
}
