/** What this browser keeps: for this tab until it is closed, or for all visits. Where it keeps nothing, nothing is read. */

/** @param {() => Storage} storage */
function store(storage) {
  return {
    /** What was kept under a name, or null. */
    read(name) {
      try {
        return JSON.parse(storage().getItem(name));
      } catch {
        return null; // the browser keeps nothing, or it is not ours
      }
    },
    /** Keeps a value; null and "" are forgotten. */
    write(name, value) {
      try {
        if (value === null || value === "") storage().removeItem(name);
        else storage().setItem(name, JSON.stringify(value));
      } catch {
        // it holds as long as the page is open
      }
    },
  };
}

export const tab = store(() => sessionStorage);
export const browser = store(() => localStorage);
