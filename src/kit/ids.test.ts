import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { OrderIds } from './ids.ts';

const parts = { saleNo: 4_000_000_000, segment: 63, epoch: 65_535 };
const now = Date.UTC(2026, 10, 30);

it('carries sale, segment and epoch through 40 characters', () => {
  const ids = new OrderIds(randomBytes(32));
  const id = ids.make(parts, now);
  expect(id).toMatch(/^[A-Za-z0-9_-]{40}$/);
  expect(ids.parse(id)).toEqual(parts);
});

it('takes no id that another key made, or that was changed in any character', () => {
  const ids = new OrderIds(randomBytes(32));
  const id = ids.make(parts, now);
  expect(new OrderIds(randomBytes(32)).parse(id)).toBeNull();
  for (let at = 0; at < id.length; at++) {
    const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
    expect(ids.parse(changed), `character ${at}`).toBeNull();
  }
  for (const text of ['', 'x', id.slice(1), `${id}A`, id.replace(/.$/, '='), '..'.repeat(20)])
    expect(ids.parse(text)).toBeNull();
});

it('makes 100,000 different ids', () => {
  const ids = new OrderIds(randomBytes(32));
  expect(new Set(Array.from({ length: 100_000 }, () => ids.make(parts, now))).size).toBe(100_000);
});
