/** Formatting of numbers and names. */

/** "object-detection" -> "Object detection". */
export function taskTitle(task) {
  const words = String(task).replaceAll(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function seconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (value < 0.95) return `${Math.max(1, Math.round(value * 1000))} ms`;
  if (value < 59.95) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** A text with the codes of characters that are not seen, or that change the direction of writing, in their places. */
export function escaped(text) {
  return String(text).replaceAll(HIDDEN, (char) => (char === "\n" || char === "\t" ? char : codeOf(char.codePointAt(0))));
}

function codeOf(number) {
  if (number === 13) return "\\r";
  const digits = number.toString(16);
  return number < 256 ? `\\x${digits.padStart(2, "0")}` : number < 65536 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

/** 1234567 -> "1.2 MB". */
export function bytes(value) {
  const at = Math.min(3, value < 1000 ? 0 : Math.floor(Math.log10(value) / 3));
  const number = value / 1000 ** at;
  return `${at && number < 9.95 ? number.toFixed(1) : Math.round(number)} ${["bytes", "kB", "MB", "GB"][at]}`;
}

export function percent(score) {
  return `${Math.round(100 * score)} %`;
}

let prices = null;

/** Sets what a million tokens cost, {prompt, completion}, from GET /v1/status; null where it is not known. */
export function setPrices(given) {
  prices = given && given.prompt !== null && given.completion !== null ? given : null;
}

/** What a language model used, in words, with its cost where the server has prices; "" where it used nothing. */
export function usageText(usage) {
  if (!usage?.calls) return "";
  const { prompt_tokens: read, completion_tokens: written, calls } = usage;
  const number = (value) => value.toLocaleString("en");
  const cost = prices && (prices.prompt * read + prices.completion * written) / 1e6;
  const parts = [`${number(read)} tokens read, ${number(written)} written`, `in ${plural(calls, "call")} of the language model`];
  return `${parts.join(" ")}${cost ? `; ${cost.toFixed(4)} at the server's prices` : ""}`;
}

/** A file's display name: without its folder and the upload prefix, a long middle elided. */
export function shortName(path, most = 26) {
  const full = String(path).split("/").pop();
  return shortened(String(path).startsWith("/uploads/") ? full.replace(/-[0-9a-f]{10,12}(?=\.\w+$)/, "") : full, most);
}

/** A name with a long middle elided. */
export function shortened(name, most = 26) {
  return name.length <= most ? name : `${name.slice(0, most - 12)}…${name.slice(-11)}`;
}

const labels = new Map();

/** Sets the display names of endpoints, from GET /v1/status. */
export function setEndpoints({ llm, endpoints }) {
  for (const { name, label } of [...endpoints, { name: llm.endpoint, label: llm.label }]) labels.set(name, label);
}

/** Where a chosen model runs, without the "on" of the server's words. Records of older versions name the endpoint alone. */
export function placeName({ endpoint, place }) {
  return String(place || labels.get(endpoint) || endpoint || "").replace(/^on /, "");
}

export const STATES = {
  waiting: "waiting",
  running: "running",
  finished: "finished",
  failed: "failed",
  skipped: "skipped",
  unneeded: "not needed",
};

export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const TITLE_CHARS = 60; // the server's limit for the title of a conversation

/** A conversation's display title: files without folders, a truncated end marked. */
export function chatTitle(title) {
  const whole = String(title).replaceAll(/\s+/g, " ").trim().slice(0, TITLE_CHARS);
  const cut = whole.length < TITLE_CHARS ? whole : `${whole.replace(/\s+\S*$/, "")} …`;
  return cut.replaceAll(/\/(?:\w+)\/([\w.~+-]+)/g, "$1") || "Conversation";
}
