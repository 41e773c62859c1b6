import { expect, it } from 'vitest';
import type { Order, SaleFile } from './api.ts';
import { canBuy, type Facts, stateOf } from './view-state.ts';

const file = (change: Partial<SaleFile> = {}, availability = 'available'): SaleFile =>
  ({ phase: 'open', guests: false, items: [{ sku: 'a', availability }], ...change }) as SaleFile;
const order = (status: string): Order => ({ orderId: 'o', status }) as Order;

const facts = (change: Partial<Facts> = {}): Facts => ({
  file: file(),
  isMissing: false,
  order: null,
  buying: null,
  verdict: null,
  identity: 'token',
  ownKnown: true,
  told: null,
  isCutOff: false,
  ...change,
});

it.each<[string, Partial<Facts>, string, boolean]>([
  ['open', {}, 'open', true],
  ['nothing known yet', { file: null }, 'loading', false],
  ['nobody answers', { file: null, isCutOff: true }, 'try_later', false],
  ['own orders not read yet', { ownKnown: false }, 'loading', false],
  ['H011 own hold, all held', { file: file({}, 'all_held'), order: order('held') }, 'held', false],
  ['own order unknown, sold out', { file: file({}, 'sold_out'), ownKnown: false }, 'loading', false],
  ['sold out', { file: file({}, 'sold_out') }, 'sold_out', false],
  ['sold out, not signed in', { file: file({}, 'sold_out'), identity: 'none' }, 'sold_out', false],
  ['all held', { file: file({}, 'all_held') }, 'all_held', false],
  ['the answer knew better than the file', { told: 'sold_out' }, 'sold_out', false],
  ['H037 scheduled, whatever the time', { file: file({ phase: 'scheduled' }) }, 'scheduled', false],
  ['paused', { file: file({ phase: 'paused' }) }, 'paused', false],
  ['ended, but the hold lives', { file: file({ phase: 'ended' }), order: order('held') }, 'held', false],
  ['expired: once more', { order: order('expired') }, 'expired', true],
  ['expired after the end', { order: order('expired'), file: file({ phase: 'ended' }) }, 'expired', false],
  ['sending', { buying: 'sending' }, 'sending', false],
  ['waiting', { buying: 'waiting' }, 'try_later', false],
  ['not signed in', { identity: 'none' }, 'sign_in', false],
  ['a guest', { identity: 'none', file: file({ guests: true }) }, 'open', true],
  ['a token that is not accepted', { identity: 'rejected' }, 'sign_in', false],
  ['over the limit', { verdict: 'limit_reached', order: order('paid') }, 'limit_reached', false],
  ['no such sale', { isMissing: true, file: null }, 'not_found', false],
])('%s', (_name, change, state, lit) => {
  expect(stateOf(facts(change))).toBe(state);
  expect(canBuy(facts(change), true)).toBe(lit);
  expect(canBuy(facts(change), false)).toBe(false);
});
