/** Tokens are told apart well enough, and what came twice is known. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { markOf, SeenBefore } from './seen-before.ts';

it('says no the first time and yes the second, for nearly all', () => {
  const tokens = Array.from({ length: 1000 }, () => randomBytes(48).toString('base64url'));
  const seen = new SeenBefore();
  expect(tokens.filter((token) => seen.note(markOf(token)))).toEqual([]);
  expect(tokens.filter((token) => seen.note(markOf(token))).length).toBeGreaterThan(950);
});

it('takes texts of any length', () => {
  for (const token of ['', 'a', 'a.b.c']) expect(markOf(token)).toBeGreaterThan(0);
});
