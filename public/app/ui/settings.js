/** Switches that this browser keeps. */

/** Has a checkbox keep its state under a name; where the browser keeps nothing, it holds for this visit. */
export function keepSwitch(checkbox, name) {
  try {
    checkbox.checked = localStorage.getItem(name) === "on";
  } catch {
    // it begins as it is
  }
  checkbox.addEventListener("change", () => {
    try {
      if (checkbox.checked) localStorage.setItem(name, "on");
      else localStorage.removeItem(name);
    } catch {
      // the choice holds for this visit
    }
  });
}
