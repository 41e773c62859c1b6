import { expect, it } from 'vitest';
import { en } from '../texts/en.ts';
import { zh } from '../texts/zh.ts';
import { digits, inkOn, localeOf, milestone, moment, money } from './format.ts';

it.each([
  [2500, 'EUR', 'en-GB', '€25.00'],
  [2500, 'JPY', 'en-US', '¥2,500'],
  [1234, 'KWD', 'en', 'KWD 1.234'],
  [123_456_789, 'EUR', 'de-DE', '1.234.567,89 €'],
])('%i %s in %s', (minor, currency, locale, shown) => {
  expect(money(minor, currency, locale).replaceAll('\u00a0', ' ')).toBe(shown);
});

it('names the zone of the sale', () => {
  expect(moment('2027-07-01T18:00:00.000Z', 'en-GB', 'Europe/Berlin')).toMatch(/1 Jul 2027.*20:00.*(CEST|GMT\+2)/);
});

it.each([
  [40 * 86_400_000 + 5_000, '40 00 00 05'],
  [3_723_000, '01 02 03'],
  [9_001, '00 10'],
  [0, '00 00'],
  [-5_000, '00 00'],
])('%i ms left', (leftMs, shown) => {
  expect(
    digits(leftMs, en)
      .map(([n]) => n)
      .join(' '),
  ).toBe(shown);
});

it('speaks at ten minutes, one minute and ten seconds, and at no other second', () => {
  const said: string[] = [];
  for (let s = 700; s >= 0; s--) {
    const text = milestone((s + 1) * 1000, s * 1000, en);
    if (text !== null) said.push(`${s} ${text}`);
  }
  expect(said).toEqual(['600 10 min', '60 1 min', '10 10 sec']);
});

it('writes in the reader’s forms, within the language of the page', () => {
  expect(localeOf('en', ['de-DE', 'en'])).toBe('de-DE');
  expect(localeOf('en', ['zh-CN'])).toBe('en-GB');
  expect(localeOf('zh', ['en-GB', 'zh-HK'])).toBe('zh-HK');
  expect(localeOf('zh', ['en-GB'])).toBe('zh-CN');
});

it('ink can be read on any colour', () => {
  const luminance = (hex: string): number => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (let value = 0; value < 0xffffff; value += 4_099) {
    const hex = `#${value.toString(16).padStart(6, '0')}`;
    const y = luminance(hex);
    const ratio = inkOn(hex) === '#000' ? (y + 0.05) / 0.05 : 1.05 / (y + 0.05);
    expect(ratio).toBeGreaterThanOrEqual(4.5);
  }
  expect(inkOn('#fff')).toBe('#000');
});

it('the catalogues fill the same gaps', () => {
  for (const key of Object.keys(en) as (keyof typeof en)[])
    expect({ key, gap: zh[key].includes('{}') }).toEqual({ key, gap: en[key].includes('{}') });
});
