/** Attributes of HTML that only describe; any other may be fetched, run or followed. */
const HARMLESS =
  /^(?:alt|title|width|height|align|valign|class|id|colspan|rowspan|lang|dir|open|start|type|value|name|reversed|border|cellpadding|cellspacing)$/i;
/** One attribute of a tag, with or without quotes; its name is tried at its beginning only. */
const ATTRIBUTE = /(?<![^\s"'<>/=])([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

/**
 * The addresses an HTML tag would fetch or follow: the values of all attributes that do more than describe. A tag of which
 * a part could not be read as attributes has the whole of itself as its address, which nothing allows.
 */
export function tagAddresses(tag: string): string[] {
  if (!tag.includes('=')) return [];
  const found: string[] = [];
  const rest = tag.replace(ATTRIBUTE, (_, name: string, double?: string, single?: string, bare?: string) => {
    const value = double ?? single ?? bare ?? '';
    if (!HARMLESS.test(name)) found.push(decoded(value).trim());
    return ' ';
  });
  return /[="']/.test(rest) ? [...found, tag] : found;
}

/** Characters in which an address shows whether it leaves the page. */
const BEGIN = 256;

/** Whether the target of a reference definition leaves the page, as Markdown and browsers read it. */
export function leavesPage(target: string): boolean {
  const begin = target.slice(0, BEGIN);
  // Browsers drop control characters and read a backslash as a slash.
  const readings = [begin, decoded(begin)].map((text) =>
    text.replace(/[\u0000-\u0020\u007f]/g, '').replaceAll('\\', '/'),
  );
  return readings.some(
    (address) =>
      /^[a-z][a-z0-9+.-]{0,63}:/i.test(address) ||
      address.startsWith('//') ||
      // What does not show where it leads within that many characters hides it.
      (target.length > BEGIN && /^(?:[a-z&][a-z0-9+.-]*)?$/i.test(address)),
  );
}

/** Character references and backslash escapes undone as far as they matter for an address. */
function decoded(text: string): string {
  return text
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (whole, hex?: string, decimal?: string) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replace(
      /&(colon|sol|bsol|period|num|quest|equals|amp|tab|newline);/gi,
      (whole, name: string) => NAMED[name.toLowerCase()] ?? whole,
    )
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

const NAMED: Record<string, string> = {
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  num: '#',
  quest: '?',
  equals: '=',
  amp: '&',
  tab: '\t',
  newline: '\n',
};
