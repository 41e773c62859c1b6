import { describe, expect, it } from 'vitest';
import { castStampede } from './cast.ts';

describe('the cast of a stampede', () => {
  const cast = castStampede({ seed: 5, shoppers: 10_000, rushMs: 6000 });

  it('is the same for the same seed, and another for another', () => {
    expect(castStampede({ seed: 5, shoppers: 10_000, rushMs: 6000 })).toEqual(cast);
    expect(castStampede({ seed: 6, shoppers: 10_000, rushMs: 6000 })).not.toEqual(cast);
  });

  it('gives everybody an identity and a key of their own', () => {
    const { shoppers, bots } = cast;
    expect(new Set([...shoppers, ...bots].map(({ buyerId }) => buyerId)).size).toBe(shoppers.length + bots.length);
    const keys = [...shoppers.map((one) => one.idempotencyKey), ...bots.flatMap((one) => one.idempotencyKeys)];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has every habit', () => {
    const habits = (name: 'click' | 'payment'): Set<string> => new Set(cast.shoppers.map((one) => one[name]));
    expect(habits('click')).toEqual(new Set(['once', 'double_click', 'double_parallel', 'lost_answer']));
    const payments = ['pays', 'pays_late', 'fails_then_pays', 'cancels', 'never_pays', 'pays_too_late'];
    expect(habits('payment')).toEqual(new Set(payments));
    expect(new Set(cast.bots.map(({ habit }) => habit))).toEqual(new Set(['early', 'greedy']));
  });

  it('comes in the order of arrival, within the rush, most of it early', () => {
    const arrivals = cast.shoppers.map(({ arrivesAfterMs }) => arrivesAfterMs);
    expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
    expect(arrivals[0]).toBeGreaterThanOrEqual(0);
    expect(arrivals.at(-1)).toBeLessThanOrEqual(6000);
    expect(arrivals.filter((ms) => ms < 1000).length).toBeGreaterThan(cast.shoppers.length / 3);
  });
});
