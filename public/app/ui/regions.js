/** Regions over a picture: the boxes that were found in it. */

import { svg } from "./dom.js";

/** Whether regions have boxes to draw. */
export function hasBoxes(regions) {
  return regions.some(({ box }) => box && Number.isFinite(+box.xmax) && +box.xmax > 0);
}

/** The boxes of regions as an element that lies over an image; `faint` ones are seen only while they are marked. */
export function regionsOver(image, regions, { faint = false } = {}) {
  const overlay = svg("svg", { class: faint ? "overlay faint" : "overlay", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const { box } of regions) {
    const { xmin = 0, ymin = 0, xmax = 0, ymax = 0 } = box ?? {};
    overlay.append(svg("rect", { x: +xmin || 0, y: +ymin || 0, width: Math.max(0, xmax - xmin) || 0, height: Math.max(0, ymax - ymin) || 0 }));
  }
  const size = () => overlay.setAttribute("viewBox", `0 0 ${image.naturalWidth || 1} ${image.naturalHeight || 1}`);
  image.addEventListener("load", size);
  if (image.complete) size();
  return overlay;
}
