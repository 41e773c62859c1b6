/**
 * What an answer to a question of `sale create` means, or the sentence that says what is allowed. Pure; the bounds are
 * those of the API (API.md, Merchant), so that nothing is asked in vain.
 */

export type Reading<T> = { readonly value: T } | { readonly allowed: string };

const allowed = (sentence: string): { readonly allowed: string } => ({ allowed: sentence });

const TITLE_MAX = 200;
export const STOCK_MAX = 100_000_000;
export const PRICE_MINOR_MAX = 10 ** 12;
const LIMIT_MAX = 1_000_000;
const HOLD_SECONDS = { least: 5, most: 86_400 } as const;

export function readTitle(text: string): Reading<string> {
  const title = text.trim();
  return title !== '' && title.length <= TITLE_MAX
    ? { value: title }
    : allowed(`Some text, at most ${TITLE_MAX} characters.`);
}

export const readName = (text: string): Reading<string> =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
    ? { value: text }
    : allowed('A-Z a-z 0-9 . _ -, beginning with a letter or digit, at most 64 characters.');

/** `25 EUR`, `25.50 eur`, `EUR 25`: as many decimals as the currency has. */
export function readPrice(text: string): Reading<{ priceMinor: number; currency: string }> {
  const parts =
    /^(?<amount>\d{1,13})(?:\.(?<decimals>\d+))?\s*(?<currency>[A-Za-z]{3})$/.exec(text.trim()) ??
    /^(?<currency>[A-Za-z]{3})\s*(?<amount>\d{1,13})(?:\.(?<decimals>\d+))?$/.exec(text.trim());
  const currency = parts?.groups?.['currency']?.toUpperCase() ?? '';
  if (parts === null || !Intl.supportedValuesOf('currency').includes(currency))
    return allowed('An amount and a currency of three letters, like 25.00 EUR or 1200 JPY.');
  const digits = decimalsOf(currency);
  const decimals = parts.groups?.['decimals'] ?? '';
  if (decimals.length > digits) return allowed(`An amount of ${currency} with at most ${digits} decimals.`);
  const priceMinor = Number(`${parts.groups?.['amount'] ?? ''}${decimals.padEnd(digits, '0')}`);
  return priceMinor <= PRICE_MINOR_MAX
    ? { value: { priceMinor, currency } }
    : allowed(`An amount of at most ${PRICE_MINOR_MAX / 10 ** digits} ${currency}.`);
}

const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

export const readStock = (text: string): Reading<number> => wholeNumber(text, 0, STOCK_MAX);
export const readHoldSeconds = (text: string): Reading<number> =>
  wholeNumber(text, HOLD_SECONDS.least, HOLD_SECONDS.most);

export const readLimit = (text: string): Reading<number | null> => {
  if (/^(?:none|no)$/i.test(text.trim())) return { value: null };
  const reading = wholeNumber(text, 1, LIMIT_MAX);
  return 'allowed' in reading ? allowed(`A whole number from 1 to ${LIMIT_MAX}, or none.`) : reading;
};

export function readYesNo(text: string): Reading<boolean> {
  if (/^(?:y|yes)$/i.test(text.trim())) return { value: true };
  return /^(?:n|no)$/i.test(text.trim()) ? { value: false } : allowed('yes or no.');
}

function wholeNumber(text: string, least: number, most: number): Reading<number> {
  const digits = text.trim().replaceAll(/[,_ ](?=\d{3}(?:\D|$))/g, '');
  const value = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
  return value >= least && value <= most ? { value } : allowed(`A whole number from ${least} to ${most}.`);
}

/** An id from a title: `Autumn drop!` is `autumn-drop`; null where nothing of it can be kept (a Chinese title). */
export function nameFrom(title: string): string | null {
  const plain = title
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
  const name = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  return name === '' ? null : name;
}
