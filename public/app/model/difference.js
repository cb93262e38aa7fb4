/** What differs between two texts, word by word. No DOM in this module. */

const WORD = /\s+|[\p{L}\p{M}\p{N}_]+|[^\s]/gu;
const MOST_CELLS = 4_000_000; // of the table of common words; beyond it the texts differ as a whole

/** The parts of two texts in their order: [{kind: "same" | "before" | "now", text}, …]. */
export function difference(before, now) {
  const one = before.match(WORD) ?? [];
  const other = now.match(WORD) ?? [];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const parts = [];
  const add = (kind, words) => {
    const text = words.join("");
    if (!text) return;
    if (parts.at(-1)?.kind === kind) parts.at(-1).text += text;
    else parts.push({ kind, text });
  };
  add("same", one.slice(0, start));
  middle(one.slice(start, one.length - end), other.slice(start, other.length - end), add);
  add("same", one.slice(one.length - end));
  return parts;
}

/** The longest common sequence of words, and what stands between. */
function middle(one, other, add) {
  if (one.length * other.length > MOST_CELLS) {
    add("before", one);
    add("now", other);
    return;
  }
  const wide = other.length + 1;
  const common = new Uint16Array((one.length + 1) * wide); // of what follows each pair of places
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      common[i * wide + j] = one[i] === other[j] ? common[(i + 1) * wide + j + 1] + 1 : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
    }
  }
  let i = 0;
  let j = 0;
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      add("same", [one[i]]);
      i += 1;
      j += 1;
    } else if (common[(i + 1) * wide + j] >= common[i * wide + j + 1]) add("before", [one[i++]]);
    else add("now", [other[j++]]);
  }
  add("before", one.slice(i));
  add("now", other.slice(j));
}
