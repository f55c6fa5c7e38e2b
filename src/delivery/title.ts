import { withoutControls } from '../lib/escape-controls.ts';

/** A one-line title for platforms that want one: the first line of the text without its Markdown. */
export function titleOf(content: string, maxLength = 80): string {
  const line = content
    .split('\n')
    .map((text) => withoutControls(text.replace(/^[\s#>*-]+/, '').replace(/[*_`]/g, '')))
    .find((text) => text !== '');
  const title = line ?? 'Message';
  const characters = [...title];
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : title;
}
