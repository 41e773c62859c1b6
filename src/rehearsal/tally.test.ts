import { describe, expect, it } from 'vitest';
import { Tally } from './tally.ts';
import type { OrderAnswer } from './wire.ts';

const refused = (code: string, effect: 'none' | 'unknown' = 'none'): OrderAnswer => ({
  kind: 'refused',
  status: 409,
  problem: { code, retryable: false, effect },
});
const lost: OrderAnswer = { kind: 'lost', why: 'no answer' };
const order: OrderAnswer = {
  kind: 'order',
  order: {
    orderId: 'ord-1',
    sku: 'tee',
    quantity: 1,
    amountMinor: 1,
    currency: 'EUR',
    status: 'held',
    placedAt: '2030-01-01T10:00:00.000Z',
    expiresAt: null,
    closedAt: null,
    refundsDue: [],
  },
};

describe('what a key came to', () => {
  it.each<[string, (OrderAnswer | 'cut')[], string]>([
    ['nothing was heard', [], 'unanswered'],
    ['one refusal', [refused('sold_out')], 'sold_out'],
    ['the last refusal counts', [refused('busy'), refused('sold_out')], 'sold_out'],
    ['an order stays, whatever comes later', [order, refused('busy'), lost], 'order'],
    ['a cut request leaves it open', ['cut'], 'unanswered'],
    ['"busy" says nothing of an earlier, unheard request', ['cut', refused('busy')], 'unanswered'],
    ['nor after a lost answer', [lost, refused('rate_limited')], 'unanswered'],
    ['a refusal that looked the key up does', ['cut', refused('sold_out')], 'sold_out'],
    ['an unknown effect does not', [refused('unavailable', 'unknown'), refused('busy')], 'unanswered'],
    ['the order, once heard of, settles it', ['cut', refused('busy'), order], 'order'],
  ])('%s', (_name, answers, outcome) => {
    const tally = new Tally();
    const intent = tally.begin({ buyerId: 'u1', idempotencyKey: 'k1', by: 'shopper', guessed: false });
    for (const answer of answers) {
      if (answer === 'cut') tally.cut(intent);
      else tally.heard(intent, answer);
    }
    expect(intent.outcome).toBe(outcome);
  });
});
