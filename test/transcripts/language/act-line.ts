/**
 * Acts as lines of text, both ways: what transcripts are written in, and what the model test prints when it fails.
 * What is not said is as in the example acts (src/core/example.ts); times are counted from the transcript's start.
 *
 *   claim ORDER BUYER [SKU] [x2] [key=K] [purchase=P]     pay ORDER PAYMENT [failed|expired] [amount=2500|none] [currency=EUR|none]
 *   cancel ORDER [by=BUYER] [return] [reason=TEXT]        expire ORDER [due=+300s] · close ORDER · payment-started ORDER
 *   refunded ORDER PAYMENT                                resolve ORDER PAYMENT refund_due|ignored
 *   stock SKU +5                                          correct [sku=SKU] [title=T] [description=D] [opensAt=+5s|never] [endsAt=+9s|never] [segments=2]
 *   details ORDER BUYER TEXT                              schedule|open|pause|resume|end [by=schedule] [purchase=P]
 *
 * Any but a claim may have an Idempotency-Key: [request=KEY/BODY].
 */
import type { Act, Lifecycle, RequestKey, SaleCorrections } from '../../../src/core/act.ts';
import {
  cancelOf,
  claimOf,
  closePlacedOf,
  correctionOf,
  EXAMPLE_PURCHASE_KEY,
  expireOf,
  lifecycleOf,
  paymentStartedOf,
  payOf,
  refundedOf,
  resolveOf,
  stockOf,
} from '../../../src/core/example.ts';
import type { BuyerId, EpochMs, OrderId } from '../../../src/core/scalars.ts';
import { durationMs, durationOf, quoted, type Words, wordsOf } from './words.ts';

const LIFECYCLE = ['schedule', 'open', 'pause', 'resume', 'end'] as const;
const isLifecycle = (word: string): word is Lifecycle['kind'] => (LIFECYCLE as readonly string[]).includes(word);

/** The act that a line says. Throws where it says none. */
export function actOf(line: string, startMs: number): Act {
  const words = wordsOf(line);
  const act = bareActOf(words, startMs);
  const request = requestOf(words.named.get('request'));
  return request === null ? act : ({ ...act, request } as Act);
}

function bareActOf({ plain, named }: Words, startMs: number): Act {
  const [verb = '', one = '', two = '', three = ''] = plain;
  if (isLifecycle(verb)) {
    const by = named.get('by') === 'schedule' ? 'schedule' : 'merchant';
    return lifecycleOf(verb, { by, purchaseKey: named.get('purchase') ?? EXAMPLE_PURCHASE_KEY });
  }
  switch (verb) {
    case 'claim':
      return claimFrom(plain, named);
    case 'pay':
      return payFrom(plain, named);
    case 'cancel': {
      const [buyer, reason] = [named.get('by'), named.get('reason')];
      return cancelOf(one, {
        returnToStock: plain.includes('return', 2),
        ...(buyer === undefined ? {} : { buyer }),
        ...(reason === undefined ? {} : { reason }),
      });
    }
    case 'expire': {
      const due = named.get('due');
      return due === undefined ? expireOf(one) : expireOf(one, startMs + durationMs(due));
    }
    case 'close':
      return closePlacedOf(one);
    case 'payment-started':
      return paymentStartedOf(one);
    case 'refunded':
      return refundedOf(one, two);
    case 'resolve':
      return resolveOf(one, two, three === 'refund_due' ? 'refund_due' : 'ignored');
    case 'stock':
      return stockOf(one, Number(two));
    case 'correct':
      return correctionOf(correctionsFrom(named, startMs), named.get('sku') ?? null);
    case 'details':
      return { kind: 'set_details', orderId: one as OrderId, buyerId: two as BuyerId, details: three };
    default:
      throw new Error(`no act begins with ${JSON.stringify(verb)}`);
  }
}

function claimFrom([, orderId = '', buyer = '', ...more]: Words['plain'], named: Words['named']): Act {
  const times = more.find((word) => /^x-?\d+$/.test(word));
  const [key, purchaseKey] = [named.get('key'), named.get('purchase')];
  return claimOf(orderId, {
    buyer,
    sku: more.find((word) => word !== times) ?? 'tee',
    quantity: Number(times?.slice(1) ?? 1),
    ...(key === undefined ? {} : { key }),
    ...(purchaseKey === undefined ? {} : { purchaseKey }),
  });
}

function payFrom([, orderId = '', paymentId = '', result = 'succeeded']: Words['plain'], named: Words['named']): Act {
  const [amount, currency] = [named.get('amount'), named.get('currency')];
  return payOf(orderId, {
    paymentId,
    result: result as 'succeeded' | 'failed' | 'expired',
    ...(amount === undefined ? {} : { amountMinor: amount === 'none' ? null : Number(amount) }),
    ...(currency === undefined ? {} : { currency: currency === 'none' ? null : currency }),
  });
}

function correctionsFrom(named: Words['named'], startMs: number): SaleCorrections {
  const time = (text: string): EpochMs | null => (text === 'never' ? null : ((startMs + durationMs(text)) as EpochMs));
  const readers = {
    title: (text: string) => ({ title: text }),
    description: (text: string) => ({ description: text }),
    opensAt: (text: string) => ({ opensAtMs: time(text) }),
    endsAt: (text: string) => ({ endsAtMs: time(text) }),
    segments: (text: string) => ({ segments: Number(text) }),
  };
  const set = Object.entries(readers).flatMap(([name, read]) => {
    const text = named.get(name);
    return text === undefined ? [] : [read(text)];
  });
  return Object.assign({}, ...set) as SaleCorrections;
}

function requestOf(text: string | undefined): RequestKey | null {
  if (text === undefined) return null;
  const [key = '', fingerprint = ''] = text.split('/');
  return { caller: 'merchant', route: 'any', key, fingerprint };
}

/** The line that says an act. */
export function lineOf(act: Act, startMs: number): string {
  const request = 'request' in act && act.request !== undefined ? act.request : null;
  const words = [
    ...wordsFrom(act, startMs),
    ...(request === null ? [] : named('request', `${request.key}/${request.fingerprint}`)),
  ];
  return words.join(' ');
}

const named = (name: string, value: string): string[] => [`${name}=${quoted(value)}`];

function wordsFrom(act: Act, startMs: number): string[] {
  switch (act.kind) {
    case 'claim':
      return [
        'claim',
        act.orderId,
        quoted(act.buyerId),
        ...(act.sku === 'tee' ? [] : [act.sku]),
        ...(act.quantity === 1 ? [] : [`x${act.quantity}`]),
        ...(act.key === `key-${act.orderId}` ? [] : named('key', act.key)),
        ...(act.purchaseKey === EXAMPLE_PURCHASE_KEY ? [] : named('purchase', act.purchaseKey)),
      ];
    case 'pay':
      return [
        'pay',
        act.orderId,
        act.paymentId,
        ...(act.result === 'succeeded' ? [] : [act.result]),
        ...(act.amountMinor === 2500
          ? []
          : named('amount', act.amountMinor === null ? 'none' : String(act.amountMinor))),
        ...(act.currency === 'EUR' ? [] : named('currency', act.currency ?? 'none')),
      ];
    case 'cancel':
      return [
        'cancel',
        act.orderId,
        ...(act.returnToStock ? ['return'] : []),
        ...(act.buyerId === null ? [] : named('by', act.buyerId)),
        ...(act.reason === null ? [] : named('reason', act.reason)),
      ];
    case 'expire':
      return [
        'expire',
        act.orderId,
        ...(act.dueAtMs === undefined ? [] : named('due', durationOf(act.dueAtMs - startMs))),
      ];
    case 'close_placed':
      return ['close', act.orderId];
    case 'payment_started':
      return ['payment-started', act.orderId];
    case 'refunded':
      return ['refunded', act.orderId, act.paymentId];
    case 'resolve_payment':
      return ['resolve', act.orderId, act.paymentId, act.as];
    case 'correct_stock':
      return ['stock', act.sku, act.delta < 0 ? String(act.delta) : `+${act.delta}`];
    case 'correct_sale':
      return ['correct', ...(act.sku === null ? [] : named('sku', act.sku)), ...wordsOfCorrections(act.set, startMs)];
    case 'set_details':
      return ['details', act.orderId, quoted(act.buyerId), quoted(act.details)];
    default:
      return [
        act.kind,
        ...(act.by === 'schedule' ? ['by=schedule'] : []),
        ...(act.purchaseKey === EXAMPLE_PURCHASE_KEY ? [] : named('purchase', act.purchaseKey)),
      ];
  }
}

function wordsOfCorrections(set: SaleCorrections, startMs: number): string[] {
  const time = (at: number | null) => (at === null ? 'never' : durationOf(at - startMs));
  return [
    ...(set.title === undefined ? [] : named('title', set.title)),
    ...(set.description === undefined ? [] : named('description', set.description)),
    ...(set.opensAtMs === undefined ? [] : named('opensAt', time(set.opensAtMs))),
    ...(set.endsAtMs === undefined ? [] : named('endsAt', time(set.endsAtMs))),
    ...(set.segments === undefined ? [] : named('segments', String(set.segments))),
  ];
}
