/**
 * Judges the history of one sale: each verdict against what API.md says it must be, and in the end the rows against
 * the invariants. Written from API.md and the invariants I1 to I6, not from the code: it imports nothing of it
 * (auditor.test.ts reads its files to be sure), and keeps books of its own (auditor/ledger.ts).
 */
import { differenceOf, type Expectation, orderDifference, refused, saleDifference } from './auditor/expectation.ts';
import type { AnyAct, Batch, Closing, ItemRow, Opening } from './auditor/history.ts';
import { Ledger } from './auditor/ledger.ts';
import { expectCancel, expectClaim, expectDetails, expectTimed } from './auditor/orders.ts';
import { expectPay, expectRefunded, expectResolve } from './auditor/payments.ts';
import { expectCorrection, expectLifecycle, expectStock, meetEnd } from './auditor/sale.ts';

export class Auditor {
  readonly #ledger: Ledger;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(opening: Opening) {
    this.#ledger = new Ledger(opening);
  }

  /** What is wrong with a batch, in words, or null. After a fault the history is not judged any further. */
  judge({ atMs, acts, verdicts }: Batch): string | null {
    if (verdicts.length !== acts.length) return `${acts.length} acts have ${verdicts.length} verdicts`;
    if (atMs < this.#lastMs) return `I6: the books' time went back from ${this.#lastMs} to ${atMs}`;
    this.#lastMs = atMs;
    // I6: what a shopper is told of the end stays true, so the batch that tells it has written it.
    if (acts.some((act) => act.kind === 'claim')) meetEnd(this.#ledger, atMs);
    for (const [at, act] of acts.entries()) {
      const verdict = verdicts[at];
      const expected = this.#expect(act, atMs);
      const difference = verdict === undefined ? 'a verdict' : differenceOf(expected, verdict, this.#ledger);
      if (difference !== null) return `act ${at + 1} of its batch (${act.kind}): expected ${difference}`;
    }
    return null;
  }

  #expect(act: AnyAct, nowMs: number): Expectation {
    const request = 'request' in act ? act.request : undefined;
    if (request === undefined) return this.#expectAct(act, nowMs);
    const name = `${request.caller}\n${request.route}\n${request.key}`;
    const known = this.#ledger.requests.get(name);
    if (known === undefined) {
      const expected = this.#expectAct(act, nowMs);
      // A refusal took nothing and is not remembered, nor is what changed nothing.
      if (!('refused' in expected) && expected.changed)
        this.#ledger.requests.set(name, {
          fingerprint: request.fingerprint,
          orderId: 'order' in expected ? expected.order.orderId : null,
        });
      return expected;
    }
    if (known.fingerprint !== request.fingerprint) return refused('idempotency_conflict');
    const order = known.orderId === null ? undefined : this.#ledger.orders.get(known.orderId);
    return order === undefined
      ? { sale: true, changed: false, replayed: true }
      : { order, changed: false, replayed: true };
  }

  #expectAct(act: AnyAct, nowMs: number): Expectation {
    const ledger = this.#ledger;
    switch (act.kind) {
      case 'claim':
        return expectClaim(ledger, act, nowMs);
      case 'pay':
        return expectPay(ledger, act, nowMs);
      case 'cancel':
        return expectCancel(ledger, act, nowMs);
      case 'expire':
      case 'close_placed':
      case 'payment_started':
        return expectTimed(ledger, act, nowMs);
      case 'refunded':
        return expectRefunded(ledger, act);
      case 'resolve_payment':
        return expectResolve(ledger, act);
      case 'set_details':
        return expectDetails(ledger, act);
      case 'correct_stock':
        return expectStock(ledger, act);
      case 'correct_sale':
        return expectCorrection(ledger, act, nowMs);
      case 'schedule':
      case 'open':
      case 'pause':
      case 'resume':
      case 'end':
        return expectLifecycle(ledger, act, nowMs);
    }
  }

  /** The rows in the end: by the invariants alone, and then against the auditor's own books. */
  close({ sale, items, orders }: Closing): string | null {
    const ledger = this.#ledger;
    if (sale.phase !== ledger.phase) return `the sale is ${ledger.phase}, not ${sale.phase}`;
    const difference = saleDifference(ledger, sale) ?? itemsDifference(ledger, items);
    if (difference !== null) return difference;
    if (orders.length !== ledger.orders.size) return `I2: ${ledger.orders.size} orders, not ${orders.length}`;
    for (const order of orders) {
      const known = ledger.orders.get(order.orderId);
      const wrong = known === undefined ? `I2: nobody was told of ${order.orderId}` : orderDifference(known, order);
      if (wrong !== null) return wrong;
    }
    return null;
  }
}

/** I1, from the rows alone; then that each unit is where the orders say. */
function itemsDifference(ledger: Ledger, items: readonly ItemRow[]): string | null {
  if (items.length !== ledger.items.size) return `${ledger.items.size} items, not ${items.length}`;
  for (const item of items) {
    const { sku, total, free, escrowed, held, sold, placed } = item;
    if (Math.min(total, free, escrowed, held, sold, placed) < 0) return `I1: ${JSON.stringify(item)} is negative`;
    if (free + escrowed + held + sold !== total) return `I1: ${JSON.stringify(item)} does not add up`;
    const known = ledger.items.get(sku);
    if (known === undefined) return `no item ${sku} was ever there`;
    const expected = {
      title: known.title,
      total: known.total,
      free: ledger.free(known),
      held: known.held,
      sold: ledger.sold(known),
      placed: known.placed,
    };
    for (const [name, value] of Object.entries(expected))
      if (item[name as keyof ItemRow] !== value)
        return `I1: ${sku} has ${name} ${value}, not ${item[name as keyof ItemRow]}`;
  }
  return null;
}
