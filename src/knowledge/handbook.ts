/** A page of the built-in handbook. */
export interface HandbookPage {
  /** File name without extension; the resource is `handbook://<name>`. */
  name: string;
  text: string;
}

// One import and one line per page of src/handbook/.
/** Every page, in reading order. */
export const HANDBOOK_PAGES: readonly HandbookPage[] = [];
