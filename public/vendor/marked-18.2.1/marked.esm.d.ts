/** What the page uses of it, for the check of its types. */
export class Marked {
  constructor(options?: { gfm?: boolean; breaks?: boolean });
  use(extension: object): void;
  parse(text: string): string;
}
