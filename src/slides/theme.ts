import type { ThemeName } from './model.ts';
import type { Color } from './page.ts';

/** The twelve colours of an Office theme. */
interface Palette {
  dk1: string;
  lt1: string;
  dk2: string;
  lt2: string;
  accent1: string;
  accent2: string;
  accent3: string;
  accent4: string;
  accent5: string;
  accent6: string;
  hlink: string;
  folHlink: string;
}

export interface Theme {
  name: string;
  palette: Palette;
  /** True when text is light on dark: the master maps the light and dark colours the other way round. */
  isDark: boolean;
  /** Place in the palette of each colour the layouts use, as PowerPoint names it, or a colour of its own. */
  slots: Record<Color | 'cover', string>;
}

const LIGHT: Theme = {
  name: 'Agent light',
  isDark: false,
  palette: {
    dk1: '1B2733',
    lt1: 'FFFFFF',
    dk2: '55636F',
    lt2: 'EEF2F5',
    accent1: '0F6FA8',
    accent2: 'B5610E',
    accent3: '2B8A6B',
    accent4: '84569F',
    accent5: 'B5423D',
    accent6: '12354E',
    hlink: '0F6FA8',
    folHlink: '84569F',
  },
  slots: {
    text: 'tx1',
    muted: 'tx2',
    background: 'bg1',
    panel: 'bg2',
    accent: 'accent1',
    cover: 'accent6',
    coverText: 'bg1',
    coverMuted: 'bg2',
    // Brighter than the accents, which have to be readable on white.
    coverAccent: 'EE9F52',
  },
};

const DARK: Theme = {
  name: 'Agent dark',
  isDark: true,
  palette: {
    dk1: '141F29',
    lt1: 'F2F5F8',
    dk2: '21313F',
    lt2: 'AEBBC7',
    accent1: '5DB4E6',
    accent2: 'F0A458',
    accent3: '6CCAA5',
    accent4: 'BE9ADE',
    accent5: 'EF827E',
    accent6: '1B2B39',
    hlink: '5DB4E6',
    folHlink: 'BE9ADE',
  },
  slots: {
    text: 'tx1',
    muted: 'tx2',
    background: 'bg1',
    panel: 'bg2',
    accent: 'accent1',
    cover: 'accent6',
    coverText: 'tx1',
    coverMuted: 'tx2',
    coverAccent: 'accent1',
  },
};

/** The theme of a name. */
export function themeOf(name: ThemeName): Theme {
  return name === 'dark' ? DARK : LIGHT;
}

/** The colour a place in the palette has on a slide, as RRGGBB. */
export function colorOf(theme: Theme, slot: string): string {
  const { palette, isDark } = theme;
  const mapped: Record<string, string> = isDark
    ? { tx1: palette.lt1, bg1: palette.dk1, tx2: palette.lt2, bg2: palette.dk2 }
    : { tx1: palette.dk1, bg1: palette.lt1, tx2: palette.dk2, bg2: palette.lt2 };
  return mapped[slot] ?? palette[slot as keyof Palette] ?? palette.dk1;
}

/** Font for Latin text; where it and its twin are missing, font-metrics.ts has room for what stands in. */
export const FONT = 'Arial';
export const CODE_FONT = 'Courier New';

/** The font of East Asian text that the locale's systems have. */
export function eastAsianFont(locale: string): string {
  if (/^ja\b/.test(locale)) return 'Yu Gothic';
  if (/^ko\b/.test(locale)) return 'Malgun Gothic';
  if (/^zh-(?:TW|HK|MO|Hant)/.test(locale)) return 'Microsoft JhengHei';
  return 'Microsoft YaHei';
}
