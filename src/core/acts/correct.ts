/**
 * Named corrections of a sale that is no draft any more: stock by delta, never by an absolute number; a few
 * settings, each with a reason. What is not listed here stays frozen. The buyer's contact and delivery also
 * belong here: they touch neither stock nor status.
 */
import type { CorrectSale, CorrectStock, SetDetails } from '../act.ts';
import type { Draft } from '../draft.ts';
import { addStock, STOCK_MAX } from '../item.ts';
import { type Refusal, refuse, type Verdict } from '../outcomes.ts';
import { phaseAt } from '../sale.ts';
import { formatTimeOrNull } from '../time.ts';
import { noSuchOrder, orderAnswer } from './answer.ts';

export function decideCorrectStock(draft: Draft, act: CorrectStock): Verdict {
  if (draft.sale.phase === 'draft') return refuse('wrong_state', 'A draft is edited, not corrected.');
  const item = draft.item(act.sku);
  if (item === undefined) return refuse('not_found', 'This sale has no item with that sku.');
  if (item.total + act.delta > STOCK_MAX)
    return refuse('invalid', 'The stock would be too large.', {
      errors: [{ path: '/delta', message: `total at most ${STOCK_MAX}` }],
    });
  if (item.free + act.delta < 0)
    return refuse('not_enough', `Only ${item.free} units are free; the rest is held or sold.`, {
      available: item.free,
      minimum: item.total - item.free,
    });

  draft.putItem(addStock(item, act.delta));
  const sale = draft.putSale({});
  draft.note({
    actor: 'merchant',
    action: 'item.stock',
    sku: act.sku,
    reason: act.reason,
    change: { delta: act.delta },
  });
  return { outcome: 'sale', sale, changed: true, replayed: false };
}

export function decideCorrectSale(draft: Draft, act: CorrectSale): Verdict {
  const refusal = refusalOfCorrection(draft, act);
  if (refusal !== null) return refusal;

  const { title, description, ...settings } = act.set;
  const text = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
  const item = act.sku === null ? undefined : draft.item(act.sku);
  if (item !== undefined) draft.putItem({ ...item, ...text });
  const sale = draft.putSale(item === undefined ? { ...settings, ...text } : settings);
  draft.note({
    actor: 'merchant',
    action: 'sale.corrected',
    ...(act.sku === null ? {} : { sku: act.sku }),
    reason: act.reason,
    change: wireOf(act),
  });
  return { outcome: 'sale', sale, changed: true, replayed: false };
}

function refusalOfCorrection(draft: Draft, act: CorrectSale): Refusal | null {
  const { sale, now } = draft;
  const phase = phaseAt(sale, now);
  const { opensAtMs = sale.opensAtMs, endsAtMs = sale.endsAtMs, segments = sale.segments } = act.set;
  const bad = (path: string, message: string) => refuse('invalid', message, { errors: [{ path, message }] });
  if (phase === 'draft') return refuse('wrong_state', 'A draft is edited, not corrected.');
  if (act.sku !== null && draft.item(act.sku) === undefined)
    return refuse('not_found', 'This sale has no item with that sku.');
  if (act.set.endsAtMs !== undefined && phase === 'ended')
    return refuse('sale_ended', 'The end cannot be moved after it.');
  if (act.set.opensAtMs !== undefined && phase !== 'scheduled')
    return refuse('wrong_state', 'The opening can only be moved before it.');
  if (act.set.opensAtMs !== undefined && sale.opensAtMs !== null && sale.opensAtMs <= now)
    return refuse('wrong_state', 'The opening has been reached.');
  if (act.set.endsAtMs !== undefined && endsAtMs !== null && endsAtMs <= now)
    return bad('/set/endsAt', 'endsAt must lie ahead; `end` ends a sale now');
  if (opensAtMs !== null && endsAtMs !== null && endsAtMs <= opensAtMs)
    return bad('/set/endsAt', 'endsAt must be after opensAt');
  if (segments < sale.segments) return bad('/set/segments', `segments may only grow; the sale has ${sale.segments}`);
  return null;
}

/** The correction as the merchant wrote it, for the audit row. */
function wireOf(act: CorrectSale): Record<string, unknown> {
  const { opensAtMs, endsAtMs, ...rest } = act.set;
  return {
    ...rest,
    ...(opensAtMs === undefined ? {} : { opensAt: formatTimeOrNull(opensAtMs) }),
    ...(endsAtMs === undefined ? {} : { endsAt: formatTimeOrNull(endsAtMs) }),
  };
}

export function decideSetDetails(draft: Draft, act: SetDetails): Verdict {
  const order = draft.order(act.orderId);
  if (order === undefined || order.buyerId !== act.buyerId) return noSuchOrder();
  if (order.details === act.details) return orderAnswer(draft, order, { changed: false });
  const changed = draft.putOrder(order, { details: act.details });
  draft.note({ actor: 'shopper', action: 'order.details', orderId: order.orderId });
  return orderAnswer(draft, changed, { changed: true });
}
