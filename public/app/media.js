/** Pictures, sounds and videos on this server: showing, playing and saving them. */

import { dialog } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { shortName } from "./format.js";
import { icon } from "./icons.js";
import { kindOfFile, ownFile } from "./kinds.js";

/** The element for a file: a picture or a player; for other kinds, and for other hosts, its name. */
export function mediaOf(path, kind, { alt = "", zoom = true } = {}) {
  const url = ownFile(path);
  if (!url) return elsewhere(path);
  if (kind === "image") return picture(url, alt, zoom);
  if (kind === "audio") return player(h("audio", { controls: true, preload: "metadata", src: url }), url, "sound");
  if (kind === "video") return player(h("video", { controls: true, preload: "metadata", playsinline: true, src: url }), url, "video");
  return fileLink(url);
}

function picture(url, alt, zoom) {
  const image = h("img", { src: url, alt, loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => frame.replaceWith(lost(url)));
  const frame = zoom
    ? h("button", { type: "button", class: "picture", "aria-label": `Enlarge: ${alt || shortName(url)}`, onclick: () => enlarge(url, alt) }, image)
    : h("span", { class: "picture" }, image);
  return frame;
}

function player(element, url, what) {
  element.setAttribute("aria-label", `${what}: ${shortName(url)}`);
  element.addEventListener("error", () => element.replaceWith(lost(url)));
  return element;
}

/** Replaces a file that cannot be shown, such as a deleted one or one that the browser does not support. */
function lost(url) {
  return h("p", { class: "lost" }, icon("warning"), " It cannot be shown here. ", fileLink(url));
}

function fileLink(url) {
  return h("a", { href: url, download: true, class: "file-link" }, icon("file"), shortName(url));
}

/** A file of another host is named, not loaded. */
function elsewhere(path) {
  const text = String(path);
  if (!/^https?:\/\//.test(text)) return h("span", { class: "file-link" }, text);
  return h("a", { href: text, class: "file-link", target: "_blank", rel: "noopener noreferrer" }, icon("open"), text);
}

/** A picture as large as the window allows. */
export function enlarge(path, alt = "") {
  const url = ownFile(path);
  if (!url) return;
  const { body } = dialog({ title: alt || shortName(url), className: "viewer" });
  const image = h("img", { src: url, alt: alt || shortName(url) });
  fill(body, image, saveLink(url));
}

export function saveLink(path, text = "Download") {
  const url = ownFile(path);
  return url && h("a", { class: "button small", href: url, download: true }, icon("download"), text);
}

/** A thumbnail for a picture, else the icon of the file's kind. */
export function thumbnail(path, kind = kindOfFile(path)) {
  const url = ownFile(path);
  if (kind !== "image" || !url) return h("span", { class: `thumb kind-${kind ?? "file"}` }, icon(kind ?? "file"));
  const image = h("img", { src: url, alt: "", loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => image.replaceWith(icon("image")));
  return h("span", { class: "thumb" }, image);
}

/** Opens an attached file: pictures large, others in a dialog with a player. */
export function showFile(path, kind = kindOfFile(path), name = shortName(path, 60)) {
  if (kind === "image") return enlarge(path, name);
  const { body } = dialog({ title: name, className: "viewer" });
  return fill(body, mediaOf(path, kind), saveLink(path));
}
