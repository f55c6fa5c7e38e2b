import { fail } from '../errors.ts';
import type { ToolCall } from '../models/model.ts';
import { addressesIn } from './addresses-in.ts';
import { readArguments } from './arguments.ts';
import { KnownAddresses } from './known-addresses.ts';
import { LinkFilter } from './link-filter.ts';
import type { ResearchInput } from './model.ts';
import { normalizeAddress } from './sources.ts';
import type { RetrievedSource, Tool, ToolOutcome } from './tool.ts';

/** When a run may open only addresses that are known word for word. */
export type KnownUrlsMode = 'auto' | 'always' | 'off';

export interface EgressOptions {
  mode: KnownUrlsMode;
  input: Pick<
    ResearchInput,
    'conversation' | 'instructions' | 'messageIsData' | 'resources' | 'knownSources' | 'approvedTools'
  >;
}

/**
 * What may leave a run. Of untrusted input, private data and an effect outside no run has all three without somebody's
 * word: where an event or private documents are in play, a model opens only addresses it cannot have made up, and a run
 * that an event started and that has read documents calls no tool that carries words outside.
 */
export class Egress {
  readonly #mode: KnownUrlsMode;
  readonly #isEvent: boolean;
  readonly #approved: ReadonlySet<string>;
  readonly #known = new KnownAddresses();
  /** Addresses that stand in an event: they may be linked, but are not opened. */
  readonly #fromEvent = new KnownAddresses();
  /** What a report may cite, documents included. */
  readonly #citable = new Set<string>();
  #hasDocuments: boolean;
  #hasAnswers = false;

  constructor({ mode, input }: EgressOptions) {
    this.#mode = mode;
    this.#isEvent = input.messageIsData === true;
    this.#approved = new Set(input.approvedTools ?? []);
    this.#hasDocuments =
      input.resources.some(isPrivate) || input.knownSources.some(({ url, kind }) => isPrivateSource(url, kind));
    this.#known.addFrom(input.instructions ?? '');
    for (const message of input.conversation) {
      if (this.#isEvent || message.isData) this.#fromEvent.addFrom(message.text);
      else if (message.role === 'user') this.#known.addFrom(message.text);
    }
    for (const { url, kind } of input.knownSources) {
      this.#cite(url);
      if (kind === undefined || kind === 'web_search' || kind === 'crawl') this.#known.add(url);
    }
  }

  /** Words of the user that came later, say about the plan. */
  addWords(text: string): void {
    this.#known.addFrom(text);
  }

  /** A restart left only the finding of a step whose tools may have answered. */
  addAnswers(): void {
    this.#hasAnswers = true;
  }

  /** Sources that were retrieved now or before a restart. */
  addSources(sources: readonly RetrievedSource[]): void {
    for (const { url, kind } of sources) {
      this.#cite(url);
      if (isPrivateSource(url, kind)) this.#hasDocuments = true;
      if (kind === 'web_search' || kind === 'crawl') this.#known.add(url);
    }
  }

  /** What a tool gave, now or before a restart. */
  addOutcome(tool: Tool | undefined, outcome: ToolOutcome): void {
    if (tool?.reach === 'outside') this.#hasAnswers = true;
    this.addSources(outcome.sources ?? []);
  }

  /** A person saw this call and let it run. */
  approve(args: Record<string, unknown>): void {
    for (const address of addressesIn(args)) this.#known.add(address);
  }

  /** The address to open for the one a model gave. Throws an AppError `url_unknown`. */
  openable(address: string): string {
    if (!this.isRestricted || this.#approved.has('crawl_tool')) return address;
    const known = this.#known.find(address);
    if (known !== undefined) return known;
    throw fail(
      'url_unknown',
      `${this.#why}, so a page is read only at an address that a web search of this run returned or that its owner or user wrote, copied exactly. This address is neither: go on without it.`,
    );
  }

  /** Refuses a call that would carry words outside. Throws an AppError `egress_refused`. */
  check(tool: Tool, args: Record<string, unknown>): void {
    if (
      tool.reach === undefined ||
      [tool.definition.name, ...(tool.aliases ?? [])].some((name) => this.#approved.has(name))
    )
      return;
    const closed = this.#hasDocuments || (tool.reach === 'search' && this.#hasAnswers);
    if (this.#isEvent && closed)
      throw fail(
        'egress_refused',
        `An event started this run, and it has read private data, so ${tool.definition.name} is closed for the rest of it. Answer from what you have.`,
      );
    if (tool.reach === 'outside' && this.#holdsPrivate && addressesIn(args).some((address) => !this.#isGiven(address)))
      throw fail(
        'egress_refused',
        `${this.#why}, so ${tool.definition.name} takes only web addresses that a web search of this run returned or that its owner or user wrote, copied exactly. Go on without this call.`,
      );
  }

  /** A call as clients are shown it: they ask the host of an address for its icon. */
  shown(call: ToolCall): ToolCall {
    if (call.name !== 'crawl_tool' || !this.isRestricted || this.#approved.has(call.name)) return call;
    const isKnown = addressesIn(readArguments(call) ?? {}).every((address) => this.#known.find(address) !== undefined);
    return isKnown ? call : { ...call, argumentsText: JSON.stringify({ url: '(an address that is not known)' }) };
  }

  /** A filter for text that people see, while private data is in play: a picture or a link can carry it away. */
  textFilter(): LinkFilter | undefined {
    if (!this.#holdsPrivate) return undefined;
    return new LinkFilter((address, shown) => this.mayShow(address, shown));
  }

  /** Whether an address may stand in a text that people see. */
  mayShow(address: string, shown: 'link' | 'image'): boolean {
    if (!this.#holdsPrivate || this.#known.hasExactly(address)) return true;
    const key = normalizeAddress(address);
    const isCited = key !== undefined && this.#citable.has(key);
    // The fragment of a document says where a passage stands; that of a page is read by the page.
    if (isCited && !(address.includes('#') && /^https?:/i.test(key))) return true;
    return shown === 'link' && this.#fromEvent.hasExactly(address);
  }

  /** Whether pages are read at known addresses only. */
  get isRestricted(): boolean {
    return this.#mode === 'always' || (this.#mode === 'auto' && (this.#isEvent || this.#hasDocuments));
  }

  get #holdsPrivate(): boolean {
    if (this.#mode === 'off') return false;
    return this.#mode === 'always' || this.#hasDocuments || (this.#isEvent && this.#hasAnswers);
  }

  get #why(): string {
    if (this.#isEvent) return 'An event started this run';
    return this.#hasDocuments ? 'This run works with private documents' : 'This server opens known addresses only';
  }

  #cite(url: string): void {
    const key = normalizeAddress(url);
    if (key !== undefined) this.#citable.add(key);
  }

  /** Whether the model was given this address rather than made it. */
  #isGiven(address: string): boolean {
    const places = [this.#known, this.#fromEvent];
    return (
      places.some((known) => known.find(address) !== undefined) || this.#citable.has(normalizeAddress(address) ?? '')
    );
  }
}

function isPrivate(uri: string): boolean {
  return !uri.startsWith('handbook://');
}

/** Threads of earlier versions do not say what kind a source is: documents have addresses of their own. */
function isPrivateSource(url: string, kind: RetrievedSource['kind'] | undefined): boolean {
  return isPrivate(url) && (kind === 'knowledge' || (kind === undefined && !/^https?:/i.test(url)));
}
