import { describe, expect, test } from 'bun:test';
import { THEMES } from '../../src/slides/model.ts';
import { colorOf, themeOf } from '../../src/slides/theme.ts';

/** Contrast of two colours (WCAG 2.2, section 1.4.3). */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each(THEMES)('the %s theme', (name) => {
  const theme = themeOf(name);
  const color = (slot: string) => (/^[0-9A-F]{6}$/.test(slot) ? slot : colorOf(theme, slot));

  test.each([
    ['text', 'background'],
    ['muted', 'background'],
    ['accent', 'background'],
    ['text', 'panel'],
    ['accent', 'panel'],
    ['coverText', 'cover'],
    ['coverMuted', 'cover'],
    ['coverAccent', 'cover'],
  ] as const)('has %s readable on %s', (front, back) => {
    expect(contrast(color(theme.slots[front]), color(theme.slots[back]))).toBeGreaterThanOrEqual(4.5);
  });

  test('has chart colours that carry their labels', () => {
    const { accent1, accent2, accent3, accent4, accent5 } = theme.palette;
    for (const fill of [accent1, accent2, accent3, accent4, accent5])
      expect(contrast(fill, color('bg1'))).toBeGreaterThanOrEqual(3.9);
  });
});
