/**
 * The rules of the product as one pure function: a state and a batch of acts in, one verdict per act and the
 * difference out. Called by every ledger inside its transaction, under the sale's lock; the Redis engine
 * re-states its claim part and is held to the same transcripts.
 *
 * Each act is judged against what the acts before it did. Refused acts leave no trace. Upholds I1, I3, I4, I6;
 * throws InvariantError (nothing of the batch may be written then) where the loaded books cannot be right.
 */
import type { Act, RequestKey } from './act.ts';
import { orderAnswer } from './acts/answer.ts';
import { decideClaim } from './acts/claim.ts';
import { decideCorrectSale, decideCorrectStock, decideSetDetails } from './acts/correct.ts';
import { decideCancel, decideClosePlaced, decideExpire, decidePaymentStarted } from './acts/end.ts';
import { decideLifecycle } from './acts/lifecycle.ts';
import { decidePay } from './acts/pay.ts';
import { decideRefunded, decideResolvePayment } from './acts/refund.ts';
import { Draft } from './draft.ts';
import { refuse, type Verdict } from './outcomes.ts';
import { dueAct } from './sale.ts';
import type { EpochMs, OrderId } from './scalars.ts';
import { type Decision, type RememberedRequest, requestKeyOf, type State } from './state.ts';

/** Cost: a few map look-ups per act; a claim allocates its order, its item and its verdict. */
export function decide(state: State, acts: readonly Act[], now: EpochMs): Decision {
  const draft = new Draft(state, now);
  writeTheEnd(draft, acts);
  const verdicts = acts.map((act) => decideAct(draft, act));
  return { verdicts, change: draft.change() };
}

/**
 * A shopper who is told that the sale has ended was told something that must stay true, also when the clock is set
 * back a moment later (I6): the step that first meets the end writes it, and does not leave that to the scheduler.
 */
function writeTheEnd(draft: Draft, acts: readonly Act[]): void {
  if (dueAct(draft.sale, draft.now) !== 'end' || !acts.some((act) => act.kind === 'claim')) return;
  decideLifecycle(draft, { kind: 'end', by: 'schedule', purchaseKey: '' });
}

function decideAct(draft: Draft, act: Act): Verdict {
  const request = 'request' in act ? act.request : undefined;
  if (request === undefined) return judge(draft, act);
  const remembered = draft.request(requestKeyOf(request));
  if (remembered !== undefined) return replayRequest(draft, request, remembered);
  const verdict = judge(draft, act);
  remember(draft, request, verdict);
  return verdict;
}

function judge(draft: Draft, act: Act): Verdict {
  switch (act.kind) {
    case 'claim':
      return decideClaim(draft, act);
    case 'pay':
      return decidePay(draft, act);
    case 'cancel':
      return decideCancel(draft, act);
    case 'payment_started':
      return decidePaymentStarted(draft, act);
    case 'refunded':
      return decideRefunded(draft, act);
    case 'resolve_payment':
      return decideResolvePayment(draft, act);
    case 'set_details':
      return decideSetDetails(draft, act);
    case 'expire':
      return decideExpire(draft, act);
    case 'close_placed':
      return decideClosePlaced(draft, act);
    case 'correct_stock':
      return decideCorrectStock(draft, act);
    case 'correct_sale':
      return decideCorrectSale(draft, act);
    case 'schedule':
    case 'open':
    case 'pause':
    case 'resume':
    case 'end':
      return decideLifecycle(draft, act);
  }
}

/** The same key again: the thing as it now stands, or a conflict where the body differs. */
function replayRequest(draft: Draft, request: RequestKey, remembered: RememberedRequest): Verdict {
  if (remembered.fingerprint !== request.fingerprint)
    return refuse('idempotency_conflict', 'This Idempotency-Key was used for another request.');
  if (remembered.thing === 'sale') return { outcome: 'sale', sale: draft.sale, changed: false, replayed: true };
  const order = draft.order(remembered.thingId as OrderId);
  if (order === undefined) return refuse('not_found', 'What this key made is not there any more.');
  return orderAnswer(draft, order, { changed: false, replayed: true });
}

/** Only a request that made or changed something is remembered; a refusal gets a fresh try. */
function remember(draft: Draft, request: RequestKey, verdict: Verdict): void {
  if (verdict.outcome !== 'order' && verdict.outcome !== 'sale') return;
  if (!verdict.changed) return;
  const thing = verdict.outcome;
  const thingId = verdict.outcome === 'order' ? verdict.order.orderId : verdict.sale.saleId;
  draft.addRequest({ ...request, thing, thingId });
}
