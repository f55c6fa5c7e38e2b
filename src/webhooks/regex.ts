/** A pattern that was compiled; its time grows linearly with the text. */
export interface LinearRegex {
  /** Whether the pattern is found anywhere in the text; `too_long` when pattern and text together would take too long. */
  search(text: string): boolean | 'too_long';
}

/** Compiles patterns by an engine without backtracking. */
export interface RegexEngine {
  /** The pattern, or the reason why it cannot be used. Only after `load`. */
  compile(pattern: string): LinearRegex | { error: string };
  /** Loads the engine; cheap when called again. */
  load(): Promise<void>;
  readonly isLoaded: boolean;
}

/** About 0.2 s of matching on a slow core: states of the pattern times characters of the text. */
const WORK_LIMIT = 5_000_000;

/** RE2 in JavaScript: `(a+)+$` on 50 kB takes 12 ms. It has no look-around and no back-references. */
export function createRegexEngine(): RegexEngine {
  let engine: typeof import('re2js')['RE2JS'] | undefined;
  return {
    get isLoaded() {
      return engine !== undefined;
    },
    async load() {
      engine ??= (await import('re2js')).RE2JS;
    },
    compile(pattern) {
      if (!engine) return { error: 'the regex engine is not loaded' };
      try {
        const compiled = engine.compile(pattern);
        const longest = WORK_LIMIT / Math.max(1, compiled.programSize());
        return {
          search: (text) => (text.length > longest ? 'too_long' : compiled.matcher(text).find()),
        };
      } catch (error) {
        return { error: error instanceof Error ? error.message : 'invalid pattern' };
      }
    },
  };
}
