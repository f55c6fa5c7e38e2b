import { demand } from './platform-servers.ts';

/** Reads MarkdownV2 as Telegram does: a reserved character that is neither markup nor escaped is an error. */
export function readMarkdownV2(text: string): string {
  let plain = '';
  const open: string[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (text.startsWith('```', index)) {
      const end = text.indexOf('```', index + 3);
      demand(end > 0, "can't parse entities: Can't find end of Pre entity");
      plain += text.slice(text.indexOf('\n', index) + 1, end).replace(/\\([`\\])/g, '$1');
      index = end + 2;
    } else if (character === '`') {
      const match = /^`((?:\\.|[^`\\])*)`/.exec(text.slice(index));
      demand(match, "can't parse entities: Can't find end of Code entity");
      plain += match[1]?.replace(/\\([`\\])/g, '$1');
      index += match[0].length - 1;
    } else if (character === '\\') plain += text[++index] ?? '';
    else if (character === '>' && (index === 0 || text[index - 1] === '\n')) continue;
    else if (character === '[') {
      const match = /^\[((?:\\.|[^\]\\])*)\]\(((?:\\.|[^)\\])*)\)/.exec(text.slice(index));
      demand(match, "can't parse entities: Character '[' is reserved");
      plain += `${readMarkdownV2(match[1] ?? '')} <${match[2]?.replace(/\\(.)/g, '$1')}>`;
      index += match[0].length - 1;
    } else if ('*_~'.includes(character)) {
      if (open.at(-1) === character) open.pop();
      else {
        demand(!open.includes(character), `can't parse entities: nested ${character}`);
        open.push(character);
      }
    } else {
      demand(!'[]()>#+-=|{}.!'.includes(character), `can't parse entities: Character '${character}' is reserved`);
      plain += character;
    }
  }
  demand(open.length === 0, "can't parse entities: Can't find end of entity");
  return plain;
}
