/** The kinds of what flows through a plan, and which URLs of files may be shown. */

const KINDS = {
  image: ["jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff"],
  audio: ["wav", "mp3", "flac", "ogg", "opus", "m4a", "aac", "wma"],
  video: ["mp4", "webm", "mkv", "mov", "avi"],
  table: ["csv", "tsv"],
};
const BY_SUFFIX = new Map(Object.entries(KINDS).flatMap(([kind, suffixes]) => suffixes.map((suffix) => [suffix, kind])));
const FOLDERS = ["images", "audios", "videos", "uploads", "examples"];

export const OWN_FILE = new RegExp(`/(?:${FOLDERS.join("|")})/[\\w.~+-]+\\.[A-Za-z0-9]{2,5}\\b`, "g");

/** The kind of file that a name's suffix tells, or null. */
export function kindOfFile(name) {
  const suffix = /\.([a-z0-9]{2,5})(?:$|[?#])/i.exec(String(name).trim())?.[1];
  return BY_SUFFIX.get(suffix?.toLowerCase()) ?? null;
}

/**
 * The URL of a file that this server keeps, or null for anything else.
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
  const folder = url.pathname.split("/")[1];
  return url.origin === location.origin && FOLDERS.includes(folder) ? url.pathname : null;
}
