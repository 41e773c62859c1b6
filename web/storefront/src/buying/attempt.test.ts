import { expect, it } from 'vitest';
import { Attempts, type Wanted } from './attempt.ts';

const shelf = () => {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
};

const press = (pressedAtMs: number): Wanted => ({ sku: 'tee-m', quantity: 1, pressedAtMs, everyMs: 2_000 });

function tabs(count: number): Attempts[] {
  const kept = shelf();
  let made = 0;
  return Array.from({ length: count }, () => new Attempts(kept, 'a', () => `key-${++made}`));
}

const keyOf = (attempts: Attempts, atMs: number): string => {
  const claim = attempts.claim(press(atMs));
  return claim.kind === 'ask' ? claim.attempt.key : `order ${claim.orderId}`;
};

it('two tabs, a reload and a wait ask with one key', () => {
  const [one, two] = tabs(2) as [Attempts, Attempts];
  expect(keyOf(one, 1_000)).toBe('key-1');
  expect(keyOf(two, 1_010)).toBe('key-1');
  one.wait('key-1', 9_000);
  expect(two.pending()).toMatchObject({ key: 'key-1', notBeforeMs: 9_000 });
});

it('H025 a press that comes a moment after the order shows it; a later one is a new try', () => {
  const [one, two] = tabs(2) as [Attempts, Attempts];
  keyOf(one, 1_000);
  one.done('key-1', 'o-1', 1_050);
  expect(keyOf(two, 1_040)).toBe('order o-1');
  expect(keyOf(two, 1_130)).toBe('order o-1');
  expect(two.pending()).toBeNull();
  expect(keyOf(two, 4_000)).toBe('key-2');
});

it('a press a moment after the end of that order is a new try; another order’s end changes nothing', () => {
  const [one, two] = tabs(2) as [Attempts, Attempts];
  keyOf(one, 1_000);
  one.done('key-1', 'o-1', 1_050);
  two.forgetEnded(['o-0']);
  expect(keyOf(two, 1_130)).toBe('order o-1');
  two.forgetEnded(['o-0', 'o-1']);
  expect(keyOf(two, 1_140)).toBe('key-2');
  one.forgetEnded(['o-1']);
  expect(one.pending()).toMatchObject({ key: 'key-2' });
});

it('a final refusal drops the key, but not that of a newer try', () => {
  const [one, two] = tabs(2) as [Attempts, Attempts];
  keyOf(one, 1_000);
  one.drop('key-1');
  expect(keyOf(two, 1_100)).toBe('key-2');
  one.drop('key-1');
  one.wait('key-1', 5);
  one.done('key-1', 'o-9', 6);
  expect(two.pending()).toMatchObject({ key: 'key-2', notBeforeMs: 0 });
});

it('what is kept may be damaged', () => {
  const kept = shelf();
  kept.setItem('a', '{');
  expect(keyOf(new Attempts(kept, 'a', () => 'fresh'), 1)).toBe('fresh');
});
