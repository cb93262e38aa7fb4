/** The files of a batch: found in what was dropped or chosen, and uploaded a few at a time. No DOM in this module. */

import { kindOfFile } from "./kinds.js";

const AT_ONCE = 3;

/** Whether a folder is among what was dropped. */
export function holdsFolder(transfer) {
  return [...(transfer?.items ?? [])].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
}

/** The files in what was dropped, those of folders with the folders' names before theirs: [{file, name}, …]. */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean); // now: the list is emptied soon
  const found = [];
  for (const entry of entries) await collect(entry, found);
  return found;
}

async function collect(entry, found) {
  if (entry.name.startsWith(".")) return;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ file, name: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // a hundred at a time
    if (!some.length) return;
    for (const one of some) await collect(one, found);
  }
}

/** Chosen files: [{file, name}, …]; hidden ones of a folder are left out. */
export function chosenFiles(files) {
  return [...files].map((file) => ({ file, name: file.webkitRelativePath || file.name })).filter(({ name }) => !name.split("/").some((part) => part.startsWith(".")));
}

/** The files of the kind that most of them have, by their names, and how many others there are. */
export function ofOneKind(files) {
  const byKind = Map.groupBy(files, ({ name }) => kindOfFile(name));
  const unread = byKind.get(null)?.length ?? 0;
  byKind.delete(null);
  const [kind = null, most = []] = [...byKind].sort((one, other) => other[1].length - one[1].length)[0] ?? [];
  const sorted = most.toSorted((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  return { kind, files: sorted, others: files.length - most.length - unread, unread };
}

/**
 * Uploads files; resolves to {taken: [{name, path}, …] in their order, refused: [{name, why}, …]}.
 *
 * `upload(file, name, signal)` sends one, `told(count)` is called as they arrive. Throws when aborted, and when the
 * server cannot be reached.
 */
export async function uploadAll(files, upload, told, signal) {
  const taken = [];
  const refused = [];
  let next = 0;
  let count = 0;
  const work = async () => {
    while (next < files.length) {
      signal.throwIfAborted();
      const at = next++;
      const { file, name } = files[at];
      try {
        const { path } = await upload(file, name.split("/").pop(), signal);
        taken[at] = { name, path };
      } catch (error) {
        if (signal.aborted || !(error.status >= 400 && error.status < 500)) throw error;
        refused.push({ name, why: error.message });
      }
      told(++count);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { taken: taken.filter(Boolean), refused };
}
