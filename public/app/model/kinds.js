/** The kinds of data in a plan, and the URLs of files that may be shown. */

const bySuffix = new Map();
const taskTypes = new Map();
const OPENED_AS = { audio: ["audio", "video"], table: ["table", "text"], text: ["text", "table"] }; // as the server does
const FOLDERS = ["images", "audios", "videos", "documents", "uploads", "examples"];

let below = ""; // of which path of this server the files lie, on the page of a link

/** Has the files of this server be loaded from below a path, where /files and /previews are. */
export function setFilesBelow(path) {
  below = path;
}

export const OWN_FILE = new RegExp(`/(?:${FOLDERS.join("|")})/[\\w.~+-]+\\.[A-Za-z0-9]{2,5}\\b`, "g");

/** Sets the file types that the server reads: {kind: [suffix, …]}. */
export function setFileTypes(types) {
  for (const [kind, suffixes] of Object.entries(types)) for (const suffix of suffixes) bySuffix.set(suffix, kind);
}

/** Takes the task types that the server knows: [{name, about, args: [{name, kind, required}, …]}, …]. */
export function setTaskTypes(types) {
  for (const type of types) taskTypes.set(type.name, type);
}

/** The task types by their names, in the order of the alphabet. */
export function allTaskTypes() {
  return [...taskTypes.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/** The arguments of a task type as {name, kind, required}; none where the server does not know it. */
export function argumentsOf(task) {
  return taskTypes.get(task)?.args ?? [];
}

/** Whether an argument of one kind takes a file of another. */
export function takes(wanted, kind) {
  return (OPENED_AS[wanted] ?? [wanted]).includes(kind);
}

/** The kind of what an argument of a task holds; text where the server knows neither. */
export function kindOfArgument(task, name) {
  return argumentsOf(task).find((arg) => arg.name === name)?.kind ?? "text";
}

/** The `accept` attribute of a file input. */
export function acceptedSuffixes() {
  return [...bySuffix.keys()].map((suffix) => `.${suffix}`).join(",");
}

/** The kind of a file by its suffix, or null. */
export function kindOfFile(name) {
  const suffix = /\.([a-z0-9]{2,5})(?:$|[?#])/i.exec(String(name).trim())?.[1];
  return bySuffix.get(suffix?.toLowerCase()) ?? null;
}

/**
 * The URL of a file on this server, or null for anything else.
 *
 * Paths come from models: only the server's own folders are ever loaded, whatever a path says.
 */
export function ownFile(path) {
  if (typeof path !== "string") return null;
  let url;
  try {
    url = new URL(path, location.origin);
  } catch {
    return null;
  }
  const prefix = below && `${below}/files`;
  const name = prefix && url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : url.pathname;
  return url.origin === location.origin && FOLDERS.includes(name.split("/")[1]) ? `${prefix}${name}` : null;
}

const NOT_SHOWN = /\.(?:tiff?|heic|heif)$/i; // no common browser shows these

/** The URL at which a picture of this server is shown: itself, or a preview where browsers cannot show its type. */
export function pictureUrl(url) {
  return NOT_SHOWN.test(url) ? previewOf(url, 2048) : url;
}

/** The URL of a smaller picture of one of this server; `size` is the longest side: 96, 480 or 2048 pixels. */
export function previewOf(url, size) {
  return `${below}/previews/${size}${url.slice(below && below.length + "/files".length)}.webp`;
}
