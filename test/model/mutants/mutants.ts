/**
 * Faults that shops have had, put into the rules on purpose, each as the smallest change of the source that makes it.
 * The model test must notice every one. A text that is not found exactly once fails the test: the code has moved on,
 * and the mutant must move with it.
 */
export interface Mutant {
  /** What is broken, in words. */
  readonly name: string;
  /** Under src/core/. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const claim = 'acts/claim.ts';
const pay = 'acts/pay.ts';
const end = 'acts/end.ts';
const stock = 'acts/stock.ts';
const refund = 'acts/refund.ts';
const correct = 'acts/correct.ts';
const lifecycle = 'acts/lifecycle.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'limit off by one',
    file: claim,
    find: 'buyerIsWithinLimit(units + act.quantity, sale.limitPerBuyer)',
    replace: 'buyerIsWithinLimit(units + act.quantity - 1, sale.limitPerBuyer)',
  },
  {
    name: 'limit counts orders, not units',
    file: claim,
    find: 'draft.putUnits(act.buyerKey, units + act.quantity);',
    replace: 'draft.putUnits(act.buyerKey, units + 1);',
  },
  {
    name: 'limit by the exact spelling of the buyer',
    file: claim,
    find: 'draft.units(act.buyerKey)',
    replace: 'draft.units(act.buyerId as never)',
  },
  {
    name: 'purchase key not compared',
    file: claim,
    find: 'sale.purchaseKey === null || act.purchaseKey !== sale.purchaseKey',
    replace: 'sale.purchaseKey === null',
  },
  {
    name: 'replay ignores the body',
    file: claim,
    find: 'known.sku === act.sku && known.quantity === act.quantity',
    replace: 'known.sku === act.sku',
  },
  {
    name: 'replay comes after the phase: a winner hears that the sale has ended',
    file: claim,
    find: 'if (known !== undefined) return replay(draft, act, known);',
    replace: "if (known !== undefined && phaseAt(draft.sale, draft.now) !== 'ended') return replay(draft, act, known);",
  },
  {
    name: 'replay knows the keys of earlier batches only',
    file: 'draft.ts',
    find: 'this.#orderKeys.get(name) ?? this.#state.orderKeys.get(name)',
    replace: 'this.#state.orderKeys.get(name)',
  },
  {
    name: 'pause does not stop orders',
    file: claim,
    find: "return refuse('sale_paused', 'The sale is paused.');",
    replace: 'return null;',
  },
  {
    name: 'endsAt not checked: the sale ends when the scheduler comes round',
    file: 'sale.ts',
    find: "sale.phase !== 'draft' && endHasPassed(sale, now) ? 'ended' : sale.phase",
    replace: 'sale.phase',
  },
  {
    name: 'endsAt a millisecond late',
    file: 'sale.ts',
    find: 'now >= sale.endsAtMs',
    replace: 'now > sale.endsAtMs',
  },
  {
    name: 'sells one more than there is free for orders of several',
    file: claim,
    find: 'if (available >= quantity) return null;',
    replace: 'if (available >= quantity - 1 && available > 0) return null;',
  },
  {
    name: 'placed not counted',
    file: claim,
    find: "if (order.status === 'placed') return countPlaced(item, order.quantity);",
    replace: "if (order.status === 'placed') return item;",
  },
  {
    name: 'no bound on what is placed',
    file: 'availability.ts',
    find: 'Math.max(0, Math.min(item.free, room))',
    replace: 'item.free',
  },
  {
    name: 'says sold out for good while holds may come back',
    file: 'availability.ts',
    find: 'item.held > 0 || item.free > 0',
    replace: 'item.free > 0',
  },
  {
    name: 'a hold is a second too short',
    file: claim,
    find: 'addMs(now, sale.holdSeconds * 1000)',
    replace: 'addMs(now, (sale.holdSeconds - 1) * 1000)',
  },
  {
    name: 'the amount is that of one unit',
    file: 'money.ts',
    find: '(unitPriceMinor * quantity) as Minor',
    replace: '(quantity === 0 ? 0 : unitPriceMinor) as Minor',
  },
  {
    name: 'expire gives back twice',
    file: 'order.ts',
    find: "status === 'held' || status === 'placed';",
    replace: "status === 'held' || status === 'placed' || status === 'expired';",
  },
  {
    name: 'paid expires',
    file: 'order.ts',
    find: "status === 'held' || status === 'placed';",
    replace: "status === 'held' || status === 'placed' || status === 'paid';",
  },
  {
    name: 'expires before its time',
    file: end,
    find: '? order.expiresAtMs > draft.now :',
    replace: '? order.expiresAtMs > draft.now + 1000 :',
  },
  {
    name: 'expires a millisecond late',
    file: end,
    find: '? order.expiresAtMs > draft.now :',
    replace: '? order.expiresAtMs >= draft.now :',
  },
  {
    name: 'what the sweep found due ends, though payment-started came in between',
    file: end,
    find: ': order.expiresAtMs !== act.dueAtMs)',
    replace: ': order.expiresAtMs < act.dueAtMs)',
  },
  {
    name: 'cancel does not give back',
    file: stock,
    find: 'draft.putItem(back);',
    replace: "if (end !== 'cancelled') draft.putItem(back);",
  },
  {
    name: 'expiry leaves the limit used up',
    file: stock,
    find: 'freeLimit(draft, order);\n  return',
    replace: "if (end !== 'expired') freeLimit(draft, order);\n  return",
  },
  {
    name: 'anybody cancels',
    file: end,
    find: '(act.buyerId !== null && act.buyerId !== order.buyerId)',
    replace: 'false',
  },
  {
    name: 'a buyer cancels a paid order',
    file: end,
    find: "order.status === 'paid' && actor === 'merchant'",
    replace: "order.status === 'paid'",
  },
  {
    name: 'a cancelled paid order always returns its units',
    file: end,
    find: 'act.returnToStock && item !== undefined',
    replace: 'item !== undefined',
  },
  {
    name: 'payment-started works again and again',
    file: end,
    find: 'if (order.graceUsed) return',
    replace: 'if (order.graceUsed && order.expiresAtMs <= draft.now) return',
  },
  {
    name: 'payment-started after the end',
    file: end,
    find: "phaseAt(draft.sale, draft.now) === 'ended'",
    replace: 'false',
  },
  {
    name: 'placed orders are closed while units are free',
    file: end,
    find: 'item === undefined || item.free > 0)',
    replace: 'item === undefined || item.free > order.quantity)',
  },
  {
    name: 'payment amount not compared',
    file: pay,
    find: 'return act.amountMinor === amount && act.currency === draft.sale.currency;',
    replace: 'return act.currency === draft.sale.currency;',
  },
  {
    name: 'payment currency not compared',
    file: pay,
    find: 'return act.amountMinor === amount && act.currency === draft.sale.currency;',
    replace: 'return act.amountMinor === amount;',
  },
  {
    name: 'the end is told and not written',
    file: 'decide.ts',
    find: '  writeTheEnd(draft, acts);',
    replace: '',
  },
  {
    name: 'a parked payment uses its id up',
    file: pay,
    find: "known !== undefined && known.state !== 'parked'",
    replace: 'known !== undefined',
  },
  {
    name: 'a payment is applied each time that it is reported',
    file: pay,
    find: "known !== undefined && known.state !== 'parked'",
    replace: "known !== undefined && known.state === 'ignored'",
  },
  {
    name: 'a failure ends the hold',
    file: pay,
    find: 'return record(draft, act, order, { moves: false });\n    case',
    replace: 'return expired(draft, act, order);\n    case',
  },
  {
    name: 'second payment ignored',
    file: pay,
    find: 'return secondPayment(draft, act, order);',
    replace: 'return record(draft, act, order, { moves: false });',
  },
  {
    name: 'refund entry lost',
    file: pay,
    find: "put(draft, act, { refund: 'due', refundReason: reason });",
    replace: 'put(draft, act, {});',
  },
  {
    name: 'retake ignores the limit',
    file: pay,
    find: 'buyerIsWithinLimit(units, sale.limitPerBuyer) && unitsAreFree',
    replace: 'buyerIsWithinLimit(units, null) && unitsAreFree',
  },
  {
    name: 'retake does not count',
    file: pay,
    find: 'draft.putUnits(order.buyerKey, draft.units(order.buyerKey) + order.quantity);',
    replace: '',
  },
  {
    name: 'retake after pause and end',
    file: pay,
    find: "sale.latePayment !== 'retake' || phaseAt(sale, draft.now) !== 'open'",
    replace: "sale.latePayment !== 'retake'",
  },
  {
    name: 'retake where the sale says refund',
    file: pay,
    find: "sale.latePayment !== 'retake' || ",
    replace: '',
  },
  {
    name: 'a cancelled order is taken again',
    file: pay,
    find: "return cameTooLate(draft, act, order, 'paid_after_cancel');",
    replace:
      "return mayRetake(draft, order) ? retake(draft, act, order) : cameTooLate(draft, act, order, 'paid_after_cancel');",
  },
  {
    name: 'a placed order that found no unit still counts as placed',
    file: pay,
    find: "return endUnpaid(draft, order, 'refused');",
    replace: 'return order;',
  },
  {
    name: 'a paid order that is cancelled keeps the limit',
    file: pay,
    find: "freeLimit(draft, order);\n  return draft.putOrder(order, { status: 'refund_due'",
    replace: "return draft.putOrder(order, { status: 'refund_due'",
  },
  {
    name: 'the first refund clears them all',
    file: refund,
    find: "order.status === 'refund_due' && owesNothing ?",
    replace: "order.status === 'refund_due' ?",
  },
  {
    name: 'a refund of a second payment makes a paid order refunded',
    file: refund,
    find: "order.status === 'refund_due' && owesNothing ?",
    replace: 'owesNothing ?',
  },
  {
    name: 'a resolved payment brings an order into refund_due while it is live',
    file: refund,
    find: '    default:\n      return {};',
    replace: "    default:\n      return { status: 'refund_due' };",
  },
  {
    name: 'stock delta below held',
    file: correct,
    find: 'item.free + act.delta < 0',
    replace: 'item.total + act.delta < 0',
  },
  {
    name: 'stock delta counted twice under one key',
    file: 'decide.ts',
    find: 'if (remembered !== undefined) return replayRequest(draft, request, remembered);',
    replace:
      "if (remembered !== undefined && act.kind !== 'correct_stock') return replayRequest(draft, request, remembered);",
  },
  {
    name: 'a key of an act ignores the body',
    file: 'decide.ts',
    find: 'remembered.fingerprint !== request.fingerprint',
    replace: 'remembered.fingerprint === undefined',
  },
  {
    name: 'the end can be moved after it',
    file: correct,
    find: "act.set.endsAtMs !== undefined && phase === 'ended'",
    replace: 'false',
  },
  {
    name: 'a new purchase key at each resume',
    file: lifecycle,
    find: 'if (!opens) return { phase };',
    replace: "if (!opens) return act.kind === 'resume' ? { phase, purchaseKey: act.purchaseKey } : { phase };",
  },
  {
    name: 'the schedule opens whenever it comes round',
    file: lifecycle,
    find: "act.by === 'schedule' && dueAct(sale, now) !== act.kind",
    replace: 'false',
  },
  {
    name: 'an ended sale can be opened again',
    file: lifecycle,
    find: "open: ['draft', 'scheduled'],",
    replace: "open: ['draft', 'scheduled', 'ended'],",
  },
];
