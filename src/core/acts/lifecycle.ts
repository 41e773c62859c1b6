/**
 * The acts on a sale as a whole, as one table: from which phases each may start, and where it leads. An act that
 * finds its result already there changes nothing. The purchase key appears here, at the opening and nowhere
 * else, and never changes again (I6).
 */
import type { Lifecycle } from '../act.ts';
import type { Draft } from '../draft.ts';
import { refuse, type SaleAnswer, type Verdict } from '../outcomes.ts';
import { dueAct, endHasPassed, type Phase, phaseAt } from '../sale.ts';

type Kind = Lifecycle['kind'];

const FROM: Record<Kind, readonly Phase[]> = {
  schedule: ['draft'],
  open: ['draft', 'scheduled'],
  pause: ['open'],
  resume: ['paused'],
  end: ['scheduled', 'open', 'paused'],
};

const RESULT: Record<Kind, Phase> = {
  schedule: 'scheduled',
  open: 'open',
  pause: 'paused',
  resume: 'open',
  end: 'ended',
};

export function decideLifecycle(draft: Draft, act: Lifecycle): Verdict {
  const { sale, now } = draft;
  if (act.by === 'schedule' && dueAct(sale, now) !== act.kind) return answer(draft, false);
  const stored = sale.phase;
  const phase = act.kind === 'end' ? stored : phaseAt(sale, now);
  if (phase === RESULT[act.kind]) return answer(draft, false);
  if (!FROM[act.kind].includes(phase))
    return refuse('wrong_state', `A sale that is ${phase} is not in a state for ${act.kind}.`);
  if ((act.kind === 'schedule' || act.kind === 'open') && endHasPassed(sale, now))
    return refuse('invalid', 'endsAt has passed already.', {
      errors: [{ path: '/endsAt', message: 'endsAt must lie ahead' }],
    });

  const change = changeOf(draft, act);
  draft.putSale(change);
  draft.note({
    actor: act.by === 'schedule' ? 'system' : 'merchant',
    action: `sale.${verbOf(act.kind)}`,
    change: { from: stored, to: change.phase },
  });
  if (act.kind === 'schedule' && dueAct(draft.sale, now) === 'open') {
    draft.putSale({ phase: 'open', purchaseKey: act.purchaseKey });
    draft.note({ actor: 'system', action: 'sale.opened', change: { from: 'scheduled', to: 'open' } });
  }
  return answer(draft, true);
}

function changeOf(draft: Draft, act: Lifecycle) {
  const opens = act.kind === 'open';
  const phase = RESULT[act.kind];
  if (!opens) return { phase };
  const purchaseKey = draft.sale.purchaseKey ?? act.purchaseKey;
  return act.by === 'schedule' ? { phase, purchaseKey } : { phase, purchaseKey, opensAtMs: draft.now };
}

const verbOf = (kind: Kind): string =>
  ({ schedule: 'scheduled', open: 'opened', pause: 'paused', resume: 'resumed', end: 'ended' })[kind];

const answer = (draft: Draft, changed: boolean): SaleAnswer => ({
  outcome: 'sale',
  sale: draft.sale,
  changed,
  replayed: false,
});
