/** A number of a table cell with what is written around it. */
export interface NumberCell {
  value: number;
  /** What is written around the number: `%`, `$`, `€`, `GB`; empty for a bare number. */
  unit: string;
  /** Powers of ten written as a word or letter (k, M, billion, 万), already part of `value`; 1 without. */
  scale: number;
}

const SCALES: [pattern: RegExp, scale: number][] = [
  [/^(?:k|thousand|tsd\.?|千)$/i, 1e3],
  [/^(?:m|mn|mio\.?|million|millions|millionen|百万)$/i, 1e6],
  [/^(?:b|bn|mrd\.?|billion|billions|milliarden?|milliards?)$/i, 1e9],
  [/^(?:t|tn|trillion|trillions)$/i, 1e12],
  [/^万$/, 1e4],
  [/^亿$/, 1e8],
];
const EMPTY = /^(?:[-–—−]+|n\/?a\.?|n\.a\.|none|null|tbd|\?|无|)$/i;
const CELL =
  /^(?:(?:~|≈|≥|≤|>|<|c\.|ca\.)\s*)?(?:([$€£¥₹]|USD|EUR|GBP|CNY|JPY|US\$)\s*)?(?:([+\-−–])\s*)?([$€£¥₹])?(\d(?:[\d.,\u00a0\u202f' ]*\d)?)([^\d]*)$/;

/** True for a cell that says there is no value. */
export function isEmptyCell(text: string): boolean {
  return EMPTY.test(text.trim());
}

/** Reads the number of a cell (`$1.2B`, `1.234,5 €`, `+3 %`); undefined when it is text, a range or a date. */
export function parseNumberCell(text: string, locale: string): NumberCell | undefined {
  const match = CELL.exec(
    text
      .trim()
      .replace(/\[\^?\d+\]$/, '')
      .trimEnd(),
  );
  if (!match) return undefined;
  const [, prefix = '', sign = '', inner = '', digits = '', suffixText = ''] = match;
  const value = parseDigits(digits, locale);
  if (value === undefined) return undefined;
  const words = suffixText.trim().split(/\s+/).filter(Boolean);
  let scale = 1;
  // "1.2B" and "3 million USD" are scaled; a lone "t", "m" or "b" after a number may well be a unit (tonnes, metres).
  const currency = prefix || inner;
  const found = SCALES.find(([pattern]) => pattern.test(words[0] ?? ''));
  if (
    found &&
    words[0] &&
    (words[0].length > 1 || /[A-Z万亿千]/.test(words[0]) || words[0] === 'k') &&
    (currency !== '' || words[0] !== 'T')
  ) {
    scale = found[1];
    words.shift();
  }
  const rest = words.join(' ').replace(/^\(.*\)$/, '');
  if (rest.length > 12 || /[\d/:]/.test(rest)) return undefined;
  return {
    value: Number(((sign === '' || sign === '+' ? 1 : -1) * value * scale).toPrecision(15)),
    unit: [currency, rest].filter(Boolean).join(' '),
    scale,
  };
}

function parseDigits(digits: string, locale: string): number | undefined {
  const text = digits.replace(/[\u00a0\u202f' ](?=\d{3}(?!\d))/g, '');
  if (/[^\d.,]/.test(text)) return undefined;
  const hasComma = text.includes(',');
  const hasDot = text.includes('.');
  let plain: string;
  if (hasComma && hasDot)
    plain =
      text.lastIndexOf(',') > text.lastIndexOf('.')
        ? text.replaceAll('.', '').replace(',', '.')
        : text.replaceAll(',', '');
  else if (hasComma)
    plain =
      /^\d{1,3}(?:,\d{3})+$/.test(text) && !isCommaDecimal(locale) ? text.replaceAll(',', '') : text.replace(',', '.');
  else if (hasDot && (text.match(/\./g)!.length > 1 || (isCommaDecimal(locale) && /^\d{1,3}\.\d{3}$/.test(text))))
    plain = text.replaceAll('.', '');
  else plain = text;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

function isCommaDecimal(locale: string): boolean {
  return /^(?:de|fr|es|it|pt|nl|ru|pl|tr|sv|da|nb|fi|cs|uk)\b/.test(locale);
}

/** A value as people write it, in the locale, with its unit. */
export function formatValue(value: number, unit: string, locale: string): string {
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
  if (unit === '') return text;
  // "$B" and "€M users": the sign stands before the number, the scale and the rest behind it.
  const [, currency = '', rest = ''] = /^(US\$|[$€£¥₹])?(.*)$/.exec(unit)!;
  if (isCommaDecimal(locale)) return [text, rest.trim(), currency].filter(Boolean).join(' ');
  const isTight = rest === '%' || /^[kMBT万亿]$/.test(rest);
  return `${currency}${text}${isTight || rest === '' ? rest.trim() : ` ${rest.trim()}`}`;
}
