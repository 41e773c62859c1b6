/** Contact and delivery as they are kept: the text of a JSON object, whatever the shop's form put into it. */
import type { Refusal } from '../core/outcomes.ts';
import { invalid } from './outcome.ts';

/** The text, or `invalid` for numbers that JSON cannot write again. */
export function detailsText(body: { readonly contact?: unknown; readonly delivery?: unknown }): string | Refusal {
  const path = (['contact', 'delivery'] as const).find((name) => hasInfinity(body[name]));
  if (path !== undefined) return invalid([{ path: `/${path}`, message: 'has a number that is too large' }]);
  return JSON.stringify(body);
}

/** A number past the range was read as Infinity, which would be written as null. */
export const hasInfinity = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasInfinity)
    : typeof value === 'number' && !Number.isFinite(value);
