/** The page's icons: strokes on a square of 20. */

import { svg } from "./dom.js";

const PATHS = {
  pen: "M4 16l.8-3.4L13 4.4l2.6 2.6-8.2 8.2zM11.5 6l2.6 2.6",
  back: "M12 5l-5 5 5 5",
  forward: "M8 5l5 5-5 5",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  fit: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  full: "M11.5 3.5h5v5M16.5 3.5l-5.5 5.5M8.5 16.5h-5v-5M3.5 16.5L9 11",
  boxes: "M3.5 3.5h8v8h-8zM8.5 8.5h8v8h-8z",
  compare: "M10 3v14M7 6H3.5v8H7M13 6h3.5v8H13",
  share: "M7.5 11l5 3M12.5 6l-5 3M5.5 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM14.5 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM14.5 13a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  print: "M6 8V3.5h8V8M6 14H3.5V8h13v6H14M6 12h8v4.5H6z",
  menu: "M3 6h14M3 10h14M3 14h9",
  close: "M5 5l10 10M15 5L5 15",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M6 6h8v8H6z",
  down: "M10 4v12M5 11l5 5 5-5",
  clip: "M14.5 9.5l-5 5a3 3 0 0 1-4.3-4.3l6-6a2 2 0 0 1 2.9 2.9l-5.8 5.8a1 1 0 0 1-1.4-1.4l5-5",
  mic: "M10 3a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V5a2 2 0 0 1 2-2zM5.5 9a4.5 4.5 0 0 0 9 0M10 13.5V17M7.5 17h5",
  image: "M4 4h12v12H4zM4 13l3.5-3.5 3 3 2-2L16 14M12.5 7.5h.01",
  audio: "M4 8v4M7 6v8M10 3.5v13M13 6.5v7M16 8.5v3",
  video: "M3 5.5h10v9H3zM13 9l4-2.5v7L13 11",
  text: "M4 5h12M4 8.5h12M4 12h12M4 15.5h7",
  table: "M4 4.5h12v11H4zM4 8h12M4 12h12M9 4.5v11",
  order: "M4 10h11M11 6l4 4-4 4",
  file: "M5.5 3h6l3.5 3.5V17h-9.5zM11.5 3v3.5H15",
  copy: "M7 7h9v9H7zM4 13V4h9",
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  download: "M10 3.5v9M6.5 9.5L10 13l3.5-3.5M4 16.5h12",
  trash: "M4 6h12M8 6V4h4v2M5.5 6l.8 10.5h7.4L14.5 6M8.5 9v4.5M11.5 9v4.5",
  sun: "M10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM10 2.5v1.5M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.7l1 1M14.3 14.3l1 1M15.3 4.7l-1 1M5.7 14.3l-1 1",
  moon: "M16 11.5A6.5 6.5 0 1 1 8.5 4a5 5 0 0 0 7.5 7.5z",
  waiting: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 6.5V10l2.5 1.5",
  running: "M10 3a7 7 0 1 1-7 7",
  finished: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM6.8 10.3l2.2 2.2 4.2-4.6",
  failed: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM7.5 7.5l5 5M12.5 7.5l-5 5",
  skipped: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM6.5 10h7",
  unneeded: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM6.5 10h7",
  chat: "M3.5 4.5h13v9H9l-3.5 3v-3h-2z",
  retry: "M15.5 8A6 6 0 1 0 16 11M16 4v4h-4",
  settings: "M3 6h7M14 6h3M10 6a2 2 0 1 0 4 0 2 2 0 1 0-4 0zM3 14h3M10 14h7M6 14a2 2 0 1 0 4 0 2 2 0 1 0-4 0z",
  key: "M7 9.5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM9.2 10.3L16 3.5M13 6.5l2.5 2.5",
  info: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 9v4.5M10 6.5h.01",
  warning: "M10 3.5l7 12.5H3zM10 8.5v3.5M10 14h.01",
  plan: "M3 7.5h5v5H3zM12 3h5v4.5h-5zM12 12.5h5V17h-5zM8 10h2M12 5h-2v10h2",
  goal: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
  play: "M7 4.5l8.5 5.5L7 15.5z",
  pause: "M7.5 5v10M12.5 5v10",
  open: "M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7",
};

/** An icon; it is decorative, so the element beside it needs a text label. */
export function icon(name) {
  return svg(
    "svg",
    { class: `icon icon-${name}`, viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? PATHS.file }),
  );
}
