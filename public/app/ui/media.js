/** Pictures, sounds and videos on this server: showing, playing and saving them. */

import { dialog } from "./dialogs.js";
import { fill, h } from "./dom.js";
import { shortName } from "../model/format.js";
import { icon } from "./icons.js";
import { kindOfFile, ownFile, pictureUrl, previewOf } from "../model/kinds.js";
import { showPicture } from "./viewer.js";
import { withWaveform } from "./waveform.js";

/**
 * The element for a file: a picture or a player; for other kinds, and for other hosts, its name. A small one, without
 * `zoom`, is for a card. `source` and `regions` of a picture are those of `showPicture`.
 */
export function mediaOf(path, kind, { alt = "", zoom = true, source = null, regions = null } = {}) {
  const url = ownFile(path);
  if (!url) return elsewhere(path);
  if (kind === "image") return picture(url, alt, zoom && { source, regions });
  if (kind === "audio") {
    const audio = player(h("audio", { controls: true, preload: "metadata", src: url }), url, "sound");
    return zoom ? withWaveform(audio, url) : audio;
  }
  if (kind === "video") return player(h("video", { controls: true, preload: "metadata", playsinline: true, src: url }), url, "video");
  return fileLink(url);
}

function picture(url, alt, zoom) {
  const image = h("img", { src: zoom ? pictureUrl(url) : previewOf(url, 480), alt, loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => frame.replaceWith(lost(url)));
  const frame = zoom
    ? h("button", { type: "button", class: "picture", "aria-label": `Enlarge: ${alt || shortName(url)}`, onclick: () => enlarge(url, alt, zoom) }, image)
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

/** A picture in a window of its own; `more` are `source` and `regions` as for `showPicture`. */
export function enlarge(path, alt = "", { source = null, regions = null } = {}) {
  const url = ownFile(path);
  if (!url) return;
  const from = ownFile(source);
  showPicture({ url: pictureUrl(url), title: alt || shortName(url), source: from && pictureUrl(from), regions, tools: [saveLink(url)] });
}

export function saveLink(path, text = "Download") {
  const url = ownFile(path);
  return url && h("a", { class: "button small", href: url, download: true }, icon("download"), text);
}

/** A thumbnail for a picture, else the icon of the file's kind. */
export function thumbnail(path, kind = kindOfFile(path)) {
  const url = ownFile(path);
  if (kind !== "image" || !url) return h("span", { class: `thumb kind-${kind ?? "file"}` }, icon(kind ?? "file"));
  const image = h("img", { src: previewOf(url, 96), alt: "", loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => image.replaceWith(icon("image")));
  return h("span", { class: "thumb" }, image);
}

/** Opens an attached file: pictures large, others in a dialog with a player. */
export function showFile(path, kind = kindOfFile(path), name = shortName(path, 60)) {
  if (kind === "image") return enlarge(path, name);
  const { body } = dialog({ title: name, className: "viewer" });
  return fill(body, mediaOf(path, kind), saveLink(path));
}
