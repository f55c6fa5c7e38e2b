/** Text that is compared with itself. */
const WINDOW = 8192;
/** A passage that fills the window at least this often is a loop; tables and lists come nowhere near. */
const MIN_ROUNDS = 4;
/** Characters between two comparisons, each of which costs one pass over the window. */
const STEP = 2048;
/** No word of any language, no address and no hash is as long. */
const MAX_WORD = 32_768;
/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Watches the text of a model for a loop: the same passage again and again, or a word without an end. Takes time in
 * proportion to the text.
 */
export class RepetitionWatch {
  #tail = '';
  #sinceCheck = 0;
  #wordLength = 0;

  /** Takes more of the text; true once it loops. */
  push(text: string): boolean {
    this.#measureWord(text);
    this.#tail = (this.#tail + text).slice(-WINDOW);
    this.#sinceCheck += text.length;
    if (this.#wordLength > MAX_WORD && !UNSPACED.test(this.#tail)) return true;
    if (this.#sinceCheck < STEP || this.#tail.length < WINDOW) return false;
    this.#sinceCheck = 0;
    return periodOf(this.#tail) * MIN_ROUNDS <= WINDOW;
  }

  #measureWord(text: string): void {
    const space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'));
    this.#wordLength = space < 0 ? this.#wordLength + text.length : text.length - space - 1;
  }
}

/** The length of the shortest passage whose repetition the text is (Knuth, Morris and Pratt's failure function). */
function periodOf(text: string): number {
  const border = new Uint16Array(text.length);
  for (let index = 1, length = 0; index < text.length; index++) {
    while (length > 0 && text.charCodeAt(index) !== text.charCodeAt(length)) length = border[length - 1] as number;
    if (text.charCodeAt(index) === text.charCodeAt(length)) length++;
    border[index] = length;
  }
  return text.length - (border[text.length - 1] as number);
}
