import { trimEnd } from '../lib/trim.ts';
import { plainText } from './inline.ts';
import type { Link, Topic } from './read-markdown.ts';

const REFERENCES =
  /^(?:(?:key |works )?citations?|references|sources|works cited|bibliography|further reading|quellen(?:verzeichnis)?|literatur(?:verzeichnis)?|références|bibliographie|referencias|fuentes|bibliografía|参考(?:资料|文献|資料)?|(?:主要|关键)?引用|来源|出典|引用文献|參考資料|참고\s?문헌|출처)[:：]?$/i;

/** A source of a document. */
export interface Reference {
  text: string;
  url?: string;
}

/** Takes the sections that list sources out of the document. */
export function takeReferences(topics: Topic[]): Reference[] {
  const references: Reference[] = [];
  for (let index = topics.length - 1; index >= 0; index--) {
    const topic = topics[index]!;
    if (!REFERENCES.test(topic.title.replace(/^[\d.\s]+/, ''))) continue;
    const [block] = topic.blocks;
    if (topic.blocks.length === 1 && block?.type === 'points') {
      // A section about citing is no list of sources.
      const listed = block.bullets.filter(
        ({ text, number }) => number !== undefined || /https?:|^\s*\[\^?\w+\]/.test(text),
      );
      if (listed.length < block.bullets.length / 2) continue;
      references.unshift(...block.bullets.map((bullet) => readReference(bullet.text, topic.links)));
      topics.splice(index, 1);
    } else if (topic.blocks.length === 0) {
      if (topic.links.length > 0) references.unshift(...topic.links);
      topics.splice(index, 1);
    }
  }
  return references;
}

function readReference(markdown: string, links: Link[]): Reference {
  const text = plainText(markdown).replace(/^\s*(?:\[\^?[\w-]+\]:?|\d+[.)])\s*/, '');
  const link = links.find((candidate) => markdown.includes(candidate.url)) ?? undefined;
  const url = link?.url ?? /https?:\/\/[^\s<>)\]]+/.exec(markdown)?.[0];
  const label = url ? trimEnd(text.replace(url, ''), /[\s:–—-]/).trim() : text;
  return { text: label || (url ? hostOf(url) : text), ...(url ? { url } : {}) };
}

/** Without a list of sources, the links of the text are the sources. */
export function linkReferences(topics: Topic[]): Reference[] {
  const byUrl = new Map<string, Reference>();
  for (const { text, url } of topics.flatMap((topic) => topic.links))
    if (/^https?:\/\//i.test(url) && !byUrl.has(url))
      byUrl.set(url, { text: text && text !== url ? text : hostOf(url), url });
  return [...byUrl.values()];
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/^www\./, '') ?? url;
}
