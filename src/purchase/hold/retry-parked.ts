/**
 * Payments that came before their order was known are tried again for a day: a shop's backend may hear of a
 * payment sooner than the ledger of its order. A payment that still cannot be applied stays parked, for a person.
 */
import type { Act } from '../../core/act.ts';
import type { Verdict } from '../../core/outcomes.ts';
import type { Payment } from '../../core/payment.ts';
import type { EpochMs } from '../../core/scalars.ts';

const EVERY_MS = 10_000;
/** API.md, Payments: an unknown order is tried again for 24 h. */
const TRIED_FOR_MS = 24 * 3_600_000;
const PAGE = 500;

export interface RetryParkedParts {
  readonly now: () => EpochMs;
  /** Whether this process does it, where several could. */
  readonly mayWork?: (() => boolean) | undefined;
  readonly parkedUnknown: (sinceMs: EpochMs, limit: number) => Promise<readonly Payment[]>;
  /** The sale of this order, if the order is there by now. */
  readonly saleOfOrder: (orderId: string) => Promise<{ submit(act: Act): Promise<Verdict> } | null>;
  readonly onFault: (error: unknown) => void;
}

export class RetryParked {
  readonly #parts: RetryParkedParts;
  #timer: NodeJS.Timeout | null = null;
  #pass: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: RetryParkedParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#pass = this.pass().then(() => {
        if (!this.#stopped) this.start();
      });
    }, EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#pass;
  }

  /** Tries each once. Never rejects; what fails is tried again at the next pass. */
  async pass(): Promise<void> {
    if (this.#parts.mayWork?.() === false) return;
    try {
      const sinceMs = (this.#parts.now() - TRIED_FOR_MS) as EpochMs;
      for (const payment of await this.#parts.parkedUnknown(sinceMs, PAGE)) {
        if (this.#stopped) return;
        await this.#retry(payment);
      }
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  async #retry(payment: Payment): Promise<void> {
    try {
      const sale = await this.#parts.saleOfOrder(payment.orderId);
      await sale?.submit(payOf(payment));
    } catch (error) {
      this.#parts.onFault(error);
    }
  }
}

const payOf = ({ paymentId, orderId, result, amountMinor, currency }: Payment): Act => ({
  kind: 'pay',
  paymentId,
  orderId,
  result,
  amountMinor,
  currency,
});
