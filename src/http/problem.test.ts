/** The table of refusals against the contract's, written out by hand from "Codes of refusal". */
import { describe, expect, it } from 'vitest';
import { REFUSAL_CODES } from '../core/outcomes.ts';
import { PROBLEMS, problemText, retryAfterHeader } from './problem.ts';

const CONTRACT: [status: number, code: string, retryable: boolean][] = [
  [401, 'unauthenticated', false],
  [403, 'forbidden', false],
  [403, 'wrong_purchase_key', false],
  [403, 'not_eligible', false],
  [403, 'challenge_required', true],
  [403, 'challenge_failed', true],
  [403, 'not_admitted', true],
  [404, 'not_found', false],
  [409, 'sold_out', false],
  [409, 'not_enough', false],
  [409, 'limit_reached', false],
  [409, 'sale_paused', true],
  [409, 'sale_frozen', false],
  [409, 'wrong_state', false],
  [409, 'idempotency_conflict', false],
  [409, 'payment_mismatch', false],
  [409, 'already_exists', false],
  [409, 'full', true],
  [410, 'sale_ended', false],
  [405, 'method_not_allowed', false],
  [415, 'unsupported_media_type', false],
  [413, 'too_large', false],
  [422, 'invalid', false],
  [425, 'not_open', true],
  [429, 'rate_limited', true],
  [503, 'busy', true],
  [500, 'internal', true],
  [503, 'unavailable', true],
];

const read = (facts: Parameters<typeof problemText>[0]) => {
  const { before, after } = problemText(facts);
  return JSON.parse(`${before}r1${after}`);
};

describe('the table', () => {
  it.each(CONTRACT)('%i %s, retryable %s', (status, code, retryable) => {
    expect(PROBLEMS[code as keyof typeof PROBLEMS]).toMatchObject({ status, retryable });
  });

  it('has every code that the core can refuse with, and no other', () => {
    const codes = CONTRACT.map(([, code]) => code).sort();
    expect(Object.keys(PROBLEMS).sort()).toEqual(codes);
    expect([...REFUSAL_CODES].sort()).toEqual(codes);
  });
});

describe('a problem', () => {
  it('has type, title, status, requestId, code, retryable and effect', () => {
    expect(read({ code: 'sold_out', detail: 'Sold out.', availability: 'all_held' })).toEqual({
      type: 'urn:doorbuster:problem:sold_out',
      title: expect.stringMatching(/\S/),
      status: 409,
      detail: 'Sold out.',
      requestId: 'r1',
      code: 'sold_out',
      retryable: false,
      effect: 'none',
      availability: 'all_held',
    });
  });

  it('that is invalid always has errors', () => {
    expect(read({ code: 'invalid', detail: 'no' }).errors).toEqual([{ path: '', message: 'no' }]);
    const errors = [{ path: '/a', message: 'is required' }];
    expect(read({ code: 'invalid', detail: 'no', errors }).errors).toEqual(errors);
  });

  it.each([
    [1, '1'],
    [1000, '1'],
    [1001, '2'],
    [1500, '2'],
  ])('tells to wait %i ms as %s s at least', (ms, seconds) => {
    expect(retryAfterHeader(ms)).toBe(seconds);
    expect(read({ code: 'busy', detail: 'x', retryAfterMs: ms }).retryAfterMs).toBe(ms);
  });
});
