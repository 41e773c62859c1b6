/**
 * What befalls one sale: a merchant who pauses and corrects, shoppers who order, retry, cancel and pay, providers who
 * say things twice, late and wrong, a timer that comes too early and too late. Seeded; it remembers what it was
 * answered, only to aim better. What is right, the auditor says.
 */
import type { Act, Lifecycle, RequestKey } from '../../src/core/act.ts';
import {
  cancelOf,
  claimOf,
  closePlacedOf,
  correctionOf,
  EXAMPLE_SETTINGS,
  exampleItem,
  expireOf,
  lifecycleOf,
  paymentStartedOf,
  payOf,
  refundedOf,
  resolveOf,
  stockOf,
} from '../../src/core/example.ts';
import type { Item } from '../../src/core/item.ts';
import type { Order } from '../../src/core/order.ts';
import type { Verdict } from '../../src/core/outcomes.ts';
import type { SaleSettings } from '../../src/core/sale.ts';
import type { BuyerId, EpochMs } from '../../src/core/scalars.ts';
import type { Random } from './random.ts';

/** How long things last: on a clock that can be set, as in life; on a real one, as short as can be told apart. */
export interface Pace {
  readonly holdSeconds: readonly number[];
  readonly graceSeconds: readonly number[];
  readonly saleMs: readonly [number, number];
}

export const LIFELIKE: Pace = { holdSeconds: [60, 300], graceSeconds: [0, 60, 120], saleMs: [60_000, 3_600_000] };

/** A few who come again and again, some under several spellings, and many who come once or twice. */
const REGULARS = ['amy', 'Amy', ' amy', 'bob', 'BOB', 'cyd'];
const OTHERS = Array.from({ length: 40 }, (_, at) => `guest:${at}`);
/** After the end there is little left to see. */
const ACTS_AFTER_END = 40;

const PURCHASE_KEY = 'purchase-key';

export interface SaleSetUp {
  readonly settings: SaleSettings;
  readonly items: readonly Item[];
}

export function setUpSale(random: Random, pace: Pace, startMs: number): SaleSetUp {
  const [shortest, longest] = pace.saleMs;
  const inTime = () => (startMs + random.between(shortest, longest)) as EpochMs;
  const opensAtMs = random.chance(0.3) ? ((startMs + random.between(0, shortest)) as EpochMs) : null;
  const endsAtMs = random.chance(0.5) ? inTime() : null;
  const settings: SaleSettings = {
    ...EXAMPLE_SETTINGS,
    opensAtMs,
    endsAtMs: endsAtMs !== null && opensAtMs !== null && endsAtMs <= opensAtMs ? null : endsAtMs,
    limitPerBuyer: random.pick([1, 1, 2, 3, 5, null]),
    holdSeconds: random.pick(pace.holdSeconds),
    paymentGraceSeconds: random.pick(pace.graceSeconds),
    deductAt: random.chance(0.7) ? 'order' : 'payment',
    overAdmit: random.pick([1, 1.1, 1.5, 3]),
    latePayment: random.chance(0.6) ? 'retake' : 'refund',
  };
  const items = ['tee', 'cap', 'mug'].slice(0, random.between(1, 3)).map((sku) =>
    exampleItem(sku, {
      stock: random.pick([0, 1, 2, 3, 5, 8, 12, 20]),
      priceMinor: random.pick([0, 7, 1999, 2500, 2500, 8060]),
    }),
  );
  return { settings, items };
}

interface Sent {
  readonly paymentId: string;
  readonly orderId: string;
}

export class Workload {
  readonly #random: Random;
  readonly #setUp: SaleSetUp;
  readonly #orders: Order[] = [];
  readonly #known = new Map<string, number>();
  readonly #claims: Extract<Act, { kind: 'claim' }>[] = [];
  readonly #payments: Sent[] = [];
  readonly #parked: Sent[] = [];
  readonly #owed: Sent[] = [];
  #phase = 'draft';
  #actsAfterEnd = 0;
  #lastId = 0;

  constructor(random: Random, setUp: SaleSetUp) {
    this.#random = random;
    this.#setUp = setUp;
  }

  /** The sale has ended, and what may still befall its orders has. */
  get isOver(): boolean {
    return this.#actsAfterEnd > ACTS_AFTER_END;
  }

  /** How long until the next batch: mostly nothing, now and then until just before, at or after something ends. */
  pauseMs(nowMs: number): number {
    const random = this.#random;
    if (random.chance(0.5)) return random.pick([0, 0, 1, 7, 500]);
    if (this.#phase === 'draft') return random.between(0, 1000);
    const ends = this.#orders.flatMap((order) => (order.expiresAtMs === null ? [] : [order.expiresAtMs]));
    const { opensAtMs, endsAtMs } = this.#setUp.settings;
    const instants = [...ends.slice(-20), opensAtMs, endsAtMs].filter((at) => at !== null).filter((at) => at > nowMs);
    if (instants.length === 0 || random.chance(0.7)) return random.between(0, 3000);
    return Math.max(0, Math.min(...instants, random.pick(instants)) - nowMs + random.pick([-1, 0, 0, 1]));
  }

  batch(nowMs: number, most: number): Act[] {
    const count = this.#random.chance(0.3) ? 1 : this.#random.between(1, most);
    return Array.from({ length: count }, () => this.#act(nowMs));
  }

  /** Takes note of what was answered. */
  learn(acts: readonly Act[], verdicts: readonly Verdict[]): void {
    for (const [at, act] of acts.entries()) {
      const verdict = verdicts[at];
      if (verdict?.outcome === 'sale') this.#phase = verdict.sale.phase;
      if (verdict?.outcome === 'order') this.#learnOrder(verdict.order);
      if (verdict?.outcome === 'refused' && verdict.code === 'sale_ended') this.#phase = 'ended';
      if (this.#phase === 'ended') this.#actsAfterEnd++;
      if (act.kind !== 'pay') continue;
      const sent = { paymentId: act.paymentId, orderId: act.orderId };
      this.#payments.push(sent);
      if (verdict?.outcome === 'refused' && verdict.code === 'payment_mismatch') this.#parked.push(sent);
      if (verdict?.outcome === 'order')
        for (const { paymentId } of verdict.refundsDue) this.#owed.push({ ...sent, paymentId });
    }
  }

  #learnOrder(order: Order): void {
    const at = this.#known.get(order.orderId);
    if (at !== undefined) this.#orders[at] = order;
    else {
      this.#known.set(order.orderId, this.#orders.length);
      this.#orders.push(order);
    }
  }

  #act(nowMs: number): Act {
    if (this.#phase === 'draft' || this.#phase === 'scheduled') return this.#beginning();
    const random = this.#random;
    const kind = random.weighted({
      claim: this.#phase === 'ended' ? 5 : 40,
      pay: 24,
      cancel: 8,
      expire: 12,
      close: this.#setUp.settings.deductAt === 'payment' ? 6 : 0.5,
      paymentStarted: this.#phase === 'ended' ? 8 : 3,
      refunded: 4,
      resolve: 3,
      details: 1,
      stock: 3,
      correct: 1.5,
      lifecycle: this.#phase === 'paused' ? 12 : 2.5,
    });
    const act = this.#actOf(kind, nowMs);
    return act.kind === 'claim' || act.kind === 'pay' || random.chance(0.8) ? act : this.#withKey(act);
  }

  #actOf(kind: string, nowMs: number): Act {
    switch (kind) {
      case 'claim':
        return this.#claim();
      case 'pay':
        return this.#pay();
      case 'cancel':
        return this.#cancel();
      case 'expire':
        return this.#expire(nowMs);
      case 'close':
        return closePlacedOf(this.#ofStatus('placed'));
      case 'paymentStarted':
        return paymentStartedOf(this.#random.chance(0.6) ? this.#ofStatus('held') : this.#orderId());
      case 'refunded':
        return this.#refunded();
      case 'resolve':
        return this.#resolve();
      case 'details':
        return this.#details();
      case 'stock':
        return stockOf(this.#sku(), this.#random.pick([-20, -3, -2, -1, 1, 1, 2, 5]));
      case 'correct':
        return this.#correct(nowMs);
      default:
        return this.#lifecycle();
    }
  }

  /** Until it sells, mostly what makes it sell; now and then what cannot be. */
  #beginning(): Act {
    const random = this.#random;
    if (random.chance(0.25)) return this.#claim();
    if (random.chance(0.1)) return random.pick([stockOf(this.#sku(), 1), correctionOf({ title: 'New' })]);
    const kind = this.#phase === 'draft' && random.chance(0.6) ? 'schedule' : 'open';
    return lifecycleOf(kind, {
      by: random.chance(0.3) ? 'schedule' : 'merchant',
      purchaseKey: random.chance(0.9) ? PURCHASE_KEY : 'other-key',
    });
  }

  #lifecycle(): Act {
    const kind = this.#random.weighted<Lifecycle['kind']>({ pause: 8, resume: 8, end: 0.4, open: 1, schedule: 1 });
    return lifecycleOf(kind, { by: this.#random.chance(0.1) ? 'schedule' : 'merchant', purchaseKey: `key-${kind}` });
  }

  #claim(): Act {
    const random = this.#random;
    const how = random.weighted({ fresh: 70, again: 18, conflict: 5, noKey: 3, noItem: 2 });
    const before =
      this.#claims.length > 0 && (how === 'again' || how === 'conflict') ? random.pick(this.#claims.slice(-40)) : null;
    const orderId = `o${++this.#lastId}`;
    if (before !== null) {
      const change = how === 'again' ? {} : random.pick([{ quantity: before.quantity + 1 }, { sku: this.#sku() }]);
      return { ...before, orderId: orderId as Order['orderId'], ...(change as object) };
    }
    const claim = claimOf(orderId, {
      buyer: random.pick(random.chance(0.4) ? REGULARS : OTHERS),
      sku: how === 'noItem' ? 'none' : this.#sku(),
      quantity: random.pick([1, 1, 1, 1, 2, 2, 3, 5]),
      key: `k${random.between(1, 400)}`,
      purchaseKey: how === 'noKey' ? random.pick(['', 'key-resume']) : PURCHASE_KEY,
    });
    this.#claims.push(claim);
    return claim;
  }

  #pay(): Act {
    const random = this.#random;
    const again = this.#payments.length > 0 && random.chance(0.3) ? random.pick(this.#payments.slice(-30)) : null;
    const order = this.#order();
    const orderId = again !== null && random.chance(0.8) ? again.orderId : (order?.orderId ?? 'none');
    const paid = this.#orders[this.#known.get(orderId) ?? -1];
    const amountMinor = paid === undefined ? 2500 : paid.unitPriceMinor * paid.quantity;
    const result = random.weighted({ succeeded: 75, failed: 10, expired: 8 });
    const how = random.weighted({ right: 85, wrong: 8, none: result === 'succeeded' ? 1 : 20 });
    return payOf(orderId, {
      paymentId: again?.paymentId ?? `p${random.chance(0.97) ? ++this.#lastId : 1}`,
      result,
      amountMinor: how === 'none' ? null : how === 'wrong' ? amountMinor + random.pick([-1, 1, 100]) : amountMinor,
      currency: how === 'none' ? null : random.chance(0.97) ? 'EUR' : 'USD',
    });
  }

  #cancel(): Act {
    const random = this.#random;
    const order = this.#order();
    if (order === null) return cancelOf('none');
    const by = random.weighted({ buyer: 50, merchant: 45, stranger: 5 });
    if (by === 'merchant') return cancelOf(order.orderId, { returnToStock: random.chance(0.5), reason: 'a reason' });
    return cancelOf(order.orderId, { buyer: by === 'buyer' ? order.buyerId : random.pick(REGULARS) });
  }

  #refunded(): Act {
    const random = this.#random;
    const owed = this.#owed.length > 0 && random.chance(0.9) ? random.pick(this.#owed.slice(-20)) : null;
    return refundedOf(owed?.orderId ?? this.#orderId(), owed?.paymentId ?? 'p1');
  }

  #resolve(): Act {
    const random = this.#random;
    const parked = this.#parked.length > 0 && random.chance(0.9) ? random.pick(this.#parked.slice(-20)) : null;
    const as = random.chance(0.6) ? 'refund_due' : 'ignored';
    return resolveOf(parked?.orderId ?? this.#orderId(), parked?.paymentId ?? 'p1', as);
  }

  #details(): Act {
    const order = this.#order();
    const buyer = order === null || this.#random.chance(0.1) ? 'amy' : order.buyerId;
    const details = JSON.stringify({ contact: `c${this.#random.between(1, 3)}` });
    return {
      kind: 'set_details',
      orderId: (order?.orderId ?? 'none') as Order['orderId'],
      buyerId: buyer as BuyerId,
      details,
    };
  }

  #correct(nowMs: number): Act {
    const random = this.#random;
    const at = (nowMs + random.pick([-1000, 0, 5000, 100_000, 1_000_000])) as EpochMs;
    return random.pick([
      correctionOf({ title: `T${random.between(1, 9)}` }),
      correctionOf({ title: 'An item' }, this.#sku()),
      correctionOf({ endsAtMs: at }),
      correctionOf({ endsAtMs: null }),
      correctionOf({ opensAtMs: at }),
      correctionOf({ segments: random.between(1, 4) }),
    ]);
  }

  /** Now and then the same key with the same body, or with another. */
  #withKey(act: Act): Act {
    const request: RequestKey = {
      caller: 'merchant',
      route: 'any',
      key: `r${this.#random.between(1, 60)}`,
      fingerprint: `f${this.#random.between(1, 2)}`,
    };
    return act.kind === 'set_details' || act.kind === 'expire' || act.kind === 'close_placed'
      ? act
      : ({ ...act, request } as Act);
  }

  #sku(): string {
    return this.#random.pick(this.#setUp.items).sku;
  }

  /** An order that was made: mostly a recent one. */
  #order(): Order | null {
    if (this.#orders.length === 0) return null;
    return this.#random.pick(this.#random.chance(0.7) ? this.#orders.slice(-12) : this.#orders);
  }

  #orderId(): string {
    return this.#random.chance(0.98) ? (this.#order()?.orderId ?? 'none') : 'none';
  }

  /** Mostly an order that was so when it was last seen. */
  #ofStatus(status: Order['status']): string {
    const such = this.#orders.filter((order) => order.status === status);
    return such.length > 0 && this.#random.chance(0.9) ? this.#random.pick(such).orderId : this.#orderId();
  }

  /** By the clock of the books, or by what a sweep found: mostly as it is, now and then as it was before it moved. */
  #expire(nowMs: number): Act {
    const order = this.#due(nowMs);
    if (order === null || this.#random.chance(0.5)) return expireOf(order?.orderId ?? 'none');
    const first = order.placedAtMs + this.#setUp.settings.holdSeconds * 1000;
    return expireOf(order.orderId, this.#random.chance(0.7) ? (order.expiresAtMs ?? first) : first);
  }

  /** Mostly an order whose time is up. */
  #due(nowMs: number): Order | null {
    const due = this.#orders.filter(
      ({ status, expiresAtMs }) =>
        (status === 'held' || status === 'placed') && expiresAtMs !== null && expiresAtMs <= nowMs,
    );
    return due.length > 0 && this.#random.chance(0.8) ? this.#random.pick(due) : this.#order();
  }
}
