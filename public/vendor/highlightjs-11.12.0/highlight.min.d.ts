/** What the page uses of it, for the check of its types. */
declare const hljs: { getLanguage(name: string): unknown; highlight(code: string, options: { language: string; ignoreIllegals?: boolean }): { value: string } };
export default hljs;
