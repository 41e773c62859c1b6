/** Money, times and digits in the reader's locale, in the language of the page. */
import type { Texts } from '../texts/en.ts';

/** A German who reads English still writes 25,00 €; who switched to the other script gets that script's forms. */
export function localeOf(language: 'en' | 'zh', preferred: readonly string[]): string {
  const isChinese = (tag: string): boolean => /^zh\b/i.test(tag);
  const fits = preferred.find((tag) => isChinese(tag) === (language === 'zh'));
  return fits ?? (language === 'zh' ? 'zh-CN' : 'en-GB');
}

export function money(amountMinor: number, currency: string, locale: string): string {
  // `$` rather than `US$` where a sign is known; the number of decimals is the currency's own.
  const form = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  return form.format(amountMinor / 10 ** (form.resolvedOptions().maximumFractionDigits ?? 2));
}

export function moment(at: string, locale: string, timeZone?: string): string {
  const form = { day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  const zone = timeZone === undefined ? {} : ({ timeZone, timeZoneName: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { ...form, ...zone }).format(new Date(at));
}

/** Whether two zones show the same clock at that instant. */
export function sameClock(at: string, timeZone: string): boolean {
  const shown = (zone?: string) =>
    new Date(at).toLocaleString('en', { dateStyle: 'short', timeStyle: 'short', ...(zone ? { timeZone: zone } : {}) });
  return shown(timeZone) === shown();
}

export const fill = (text: string, value: string | number): string => text.replace('{}', () => String(value));

/** Days only where there are some; hours from one hour on; minutes and seconds always. Rounded up: zero is the instant itself. */
export function digits(leftMs: number, texts: Texts): [number: string, unit: string][] {
  const s = Math.max(0, Math.ceil(leftMs / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const parts: [number, string][] = [
    [Math.floor(s / 86_400), texts.days],
    [Math.floor(s / 3_600) % 24, texts.hours],
    [Math.floor(s / 60) % 60, texts.minutes],
    [s % 60, texts.seconds],
  ];
  const from = s >= 86_400 ? 0 : s >= 3_600 ? 1 : 2;
  return parts.slice(from).map(([n, unit], at) => [at === 0 && from === 0 ? String(n) : two(n), unit]);
}

/** Seconds left at which a screen reader is told; never in between. */
const MILESTONES = [600, 60, 10] as const;

/** The text to say when the time left has just passed a milestone, else null. */
export function milestone(beforeMs: number, leftMs: number, texts: Texts): string | null {
  const passed = MILESTONES.filter((s) => beforeMs > s * 1000 && leftMs <= s * 1000 && leftMs > 0).at(-1);
  if (passed === undefined) return null;
  return passed < 60 ? `${passed} ${texts.seconds}` : `${passed / 60} ${texts.minutes}`;
}

/** Black or white, whichever can be read on the colour: one of them always has a contrast above 4.5 (WCAG 2.1, 1.4.3). */
export function inkOn(color: string): '#000' | '#fff' {
  const hex = color.length === 4 ? color.replace(/[\da-f]/gi, '$&$&') : color;
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return luminance > 0.179 ? '#000' : '#fff';
}
