/** Light and dark theme: the system's, until the user chooses another. */

import { label } from "./dom.js";
import { icon } from "./icons.js";

const system = matchMedia("(prefers-color-scheme: dark)");

function current() {
  return document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light");
}

/** A choice equal to the system's is not stored, so that the page follows the system again. */
function choose(theme) {
  const own = theme !== (system.matches ? "dark" : "light");
  if (own) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (own) localStorage.setItem("theme", theme);
    else localStorage.removeItem("theme");
  } catch {
    // the choice holds for this visit
  }
}

export function setUpTheme(button) {
  const show = () => {
    const other = current() === "dark" ? "light" : "dark";
    button.replaceChildren(icon(other === "dark" ? "moon" : "sun"));
    label(button, `Switch to ${other}`);
  };
  button.addEventListener("click", () => {
    choose(current() === "dark" ? "light" : "dark");
    show();
  });
  system.addEventListener("change", show);
  show();
}
