import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { everyKind, everyLength } from './every-kind.ts';
import { build, HOSTILE, REPORTS, report } from './fixtures.ts';
import { fontFiles } from './font-files.ts';
import { corners, fontsIn, readWords, wordProblems } from './pdf-pages.ts';

const PROGRAMS = ['soffice', 'pdfinfo', 'pdffonts', 'pdftotext', 'pdftoppm', 'fc-list'];
const MISSING = PROGRAMS.filter((program) => !Bun.which(program));
if (MISSING.length > 0)
  console.log(
    `Presentations were not opened in LibreOffice: ${MISSING.join(', ')} missing (Debian: libreoffice-impress poppler-utils fontconfig).`,
  );

/** Decks that are opened; the hostile ones that look most like trouble. */
const HOSTILE_NAMES = [
  'one byte',
  'sixty headings with text',
  'sixty bare headings',
  'sixty columns',
  'a cell of a page',
  'negative values',
  'a heading of 3,000 letters',
  'control characters',
  'markup characters',
  'nested lists',
];
const fileName = (name: string) => name.replace(/\W/g, '-');
const DECKS = [
  ...REPORTS.flatMap((name) => [`${name}-light`, `${name}-dark`]),
  ...HOSTILE_NAMES.map(fileName),
  'every-kind',
  'every-length',
];
/** The font that is there when no other is: Debian brings it with fontconfig, and it is about the widest of all. */
const WIDE_FONT = 'DejaVu Sans';
const wideFonts = MISSING.length > 0 ? [] : fontFiles(WIDE_FONT);

let folder: string;
const slideCounts = new Map<string, number>();

beforeAll(async () => {
  if (MISSING.length > 0) return;
  folder = mkdtempSync(join(tmpdir(), 'agent-slides-'));
  const save = (name: string, deck: { bytes: Uint8Array; slides: number }) => {
    writeFileSync(join(folder, `${name}.pptx`), deck.bytes);
    slideCounts.set(name, deck.slides);
  };
  for (const name of REPORTS)
    for (const theme of ['light', 'dark'] as const) save(`${name}-${theme}`, await build(report(name), { theme }));
  for (const name of HOSTILE_NAMES) save(fileName(name), await build(HOSTILE[name]!));
  save('every-kind', await everyKind());
  save('every-length', await everyLength());
  await Promise.all([convert('here'), ...(wideFonts.length > 0 ? [convert('wide', onlyWideFont())] : [])]);
}, 180_000);

afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(MISSING.length > 0)('LibreOffice Impress with the fonts of this machine', () => {
  showsEveryDeck('here');

  for (const name of REPORTS)
    test(`paints every slide of ${name} dark in the dark theme`, () => {
      const colors = corners(join(folder, 'here', `${name}-dark.pdf`));
      expect(colors).toHaveLength(slideCounts.get(`${name}-dark`)!);
      for (const color of colors) expect(Math.max(...color)).toBeLessThan(80);
    });
});

describe.skipIf(wideFonts.length === 0)(`LibreOffice Impress with no font but ${WIDE_FONT}`, () => {
  showsEveryDeck('wide');

  test('no other font is there', () => {
    const drawn = new Set(DECKS.flatMap((name) => fontsIn(join(folder, 'wide', `${name}.pdf`))));
    expect([...drawn].filter((font) => !/^(DejaVu|OpenSymbol)/.test(font))).toEqual([]);
    expect(drawn).toContain('DejaVuSans-Bold');
  });
});

/** The tests of one conversion; `fonts` is its folder. */
function showsEveryDeck(fonts: string): void {
  for (const name of DECKS)
    test(`shows ${name} with the slides expected, every word on its slide and none on another`, () => {
      const path = join(folder, fonts, `${name}.pdf`);
      const info = Bun.spawnSync(['pdfinfo', path]).stdout.toString();
      expect(Number(/Pages:\s+(\d+)/.exec(info)?.[1])).toBe(slideCounts.get(name)!);
      const pages = readWords(path);
      expect(pages.every(([words]) => words.length > 0)).toBe(true);
      expect(pages.flatMap(([words, page]) => wordProblems(words, page))).toEqual([]);
    });
}

/** Converts every deck to PDF in a folder of that name. */
async function convert(name: string, env: Record<string, string> = {}): Promise<void> {
  const run = Bun.spawn(
    [
      'soffice',
      '--headless',
      `-env:UserInstallation=file://${folder}/profile-${name}`,
      '--convert-to',
      'pdf',
      '--outdir',
      join(folder, name),
      ...DECKS.map((deck) => join(folder, `${deck}.pptx`)),
    ],
    { stdout: 'ignore', stderr: 'ignore', env: { PATH: Bun.env['PATH'] ?? '', HOME: folder, ...env } },
  );
  expect(await run.exited).toBe(0);
}

/** Settings of fontconfig with which programs find that family and its monospaced sister, and nothing else. */
function onlyWideFont(): Record<string, string> {
  const fonts = join(folder, 'fonts');
  mkdirSync(fonts);
  for (const path of [...wideFonts, ...fontFiles(`${WIDE_FONT} Mono`)]) copyFileSync(path, join(fonts, basename(path)));
  const settings = join(folder, 'fonts.conf');
  writeFileSync(
    settings,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><include ignore_missing="yes">/etc/fonts/conf.d</include><dir>${fonts}</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>`,
  );
  return { FONTCONFIG_FILE: settings };
}
