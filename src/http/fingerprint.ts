/**
 * When two bodies are the same request: equal by value, whatever the order of names, the spacing or the spelling of a
 * number. Kept with an Idempotency-Key as a digest, so the books hold no copy of the body.
 */
import { createHash } from 'node:crypto';

/** JSON with sorted names and no spaces (the idea of RFC 8785; numbers as JavaScript prints them). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

export const fingerprintOf = (body: unknown): string =>
  createHash('sha256').update(canonicalJson(body)).digest('base64url');
