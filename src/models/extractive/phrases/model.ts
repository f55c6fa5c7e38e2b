/** Names of a report's parts; a style may rename some. */
export interface Headings {
  keyPoints: string;
  overview: string;
  details: string;
  missing: string;
  method: string;
  sources: string;
}

/** Every sentence the engine writes itself, in one language; everything else in its answers is quoted. */
export interface Phrases {
  greeting: string;
  thanks: string;
  farewell: string;
  identity: string;
  empty: string;
  /** Quotation marks around a question inside a sentence. */
  quoted(text: string): string;
  list(items: string[]): string;
  plan: {
    thought(steps: number): string;
    enough: string;
    nothingMore: string;
    /** Description of a step; the quoted question is also what the step searches for. */
    describe(query: string): string;
    definition(topic: string): string;
    practice(topic: string): string;
    limits(topic: string): string;
    comparison(a: string, b: string): string;
    missing(topic: string): string;
  };
  step: {
    found(passages: number, sources: string[]): string;
    gathered(passages: number): string;
    nothing(query: string): string;
    failed(reason: string): string;
    noTools: string;
  };
  report: {
    headings: Headings;
    styles: Record<string, Partial<Headings>>;
    notice: string;
    overview(question: string, passages: number, sources: number): string;
    parts(titles: string[]): string;
    keyPoints: string;
    details: string;
    section(passages: number, sources: string[]): string;
    covered: string;
    unsupported: string;
    missingLead: string;
    nothingMissing: string;
    failedStep(title: string, reason: string): string;
    emptyStep(title: string): string;
    untouched(terms: string[]): string;
    sourcesLead: string;
    nothing(question: string): string;
    noSources: string;
  };
}
