import type { Act } from '../../../src/core/act.ts';
import type { Item } from '../../../src/core/item.ts';
import type { Order } from '../../../src/core/order.ts';
import type { Decision, State } from '../../../src/core/state.ts';
import { type BrokenEngine, rulesThen } from './broken-engine.ts';

const ENDS = ['cancel', 'expire'];

/** Gives an order's units back for each act that ends it, without looking whether it has ended already. */
function releaseAgain(decision: Decision, state: State, acts: readonly Act[]): Decision {
  const items = new Map<string, Item>(decision.change.items.map((item) => [item.sku, item]));
  for (const [at, act] of acts.entries()) {
    const verdict = decision.verdicts[at];
    if (!ENDS.includes(act.kind) || verdict?.outcome !== 'order' || verdict.changed) continue;
    const { order }: { order: Order } = verdict;
    const item = items.get(order.sku) ?? state.items.get(order.sku);
    if (item === undefined || !['cancelled', 'expired'].includes(order.status) || item.held < order.quantity) continue;
    items.set(order.sku, { ...item, held: item.held - order.quantity, free: item.free + order.quantity });
  }
  return { ...decision, change: { ...decision.change, items: [...items.values()] } };
}

export const releaseTwice: BrokenEngine = {
  name: 'release-twice',
  what: 'a cancel and a timer both give the units back: somebody else’s hold is sold again',
  parts: { rules: rulesThen(releaseAgain) },
  caughtBy: [
    'end: cancelled twice, by buyer and merchant, its 4 units come back once',
    'end: time ends a hold when it is up and not before, once',
  ],
};
