/** Code blocks of answers in colours, by highlight.js, which is loaded for the first block that names its language. */

import createDOMPurify from "../../vendor/dompurify-3.4.18/purify.es.mjs";

const MOST_CHARS = 50_000;
/** @type {Parameters<typeof createDOMPurify.sanitize>[1]} */
const RULES = { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], ADD_URI_SAFE_ATTR: ["class"], RETURN_DOM_FRAGMENT: true };

let library = null;

/** Colours the code blocks of an element; one in a language that it does not know stays as it is. */
export function colourCode(root) {
  const blocks = [...root.querySelectorAll("pre code[data-lang]")].filter(({ textContent }) => textContent.length <= MOST_CHARS);
  if (!blocks.length) return;
  if (library) blocks.forEach(colour);
  else {
    import("../../vendor/highlightjs-11.12.0/highlight.min.js").then(
      ({ default: found }) => {
        library = found;
        blocks.forEach(colour);
      },
      () => {}, // without it the code has no colours
    );
  }
}

function colour(block) {
  const language = block.dataset.lang.toLowerCase();
  if (!library.getLanguage(language)) return;
  const { value } = library.highlight(block.textContent, { language, ignoreIllegals: true });
  block.replaceChildren(createDOMPurify.sanitize(value, RULES));
}
