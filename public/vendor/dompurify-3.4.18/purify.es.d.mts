/** What the page uses of it, for the check of its types. */
declare const createDOMPurify: {
  sanitize(html: string, options: { RETURN_DOM_FRAGMENT: true; [name: string]: unknown }): DocumentFragment;
};
export default createDOMPurify;
