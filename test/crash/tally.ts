/**
 * What the clients of a crash test know: each thing they asked for, and what they were told. Written
 * by the load (load.ts), completed by the retries after a restart (recover.ts), judged by audit.ts.
 * It never looks into the server: it is the other side's memory.
 */

/**
 * - `unanswered`: no answer, or one with effect `unknown`: it may or may not have happened;
 * - `acknowledged`: 2xx, with what came back;
 * - `refused`: an answer that says that nothing was taken.
 */
type Fate = 'unanswered' | 'acknowledged' | 'refused';

export interface OrderAttempt {
  readonly key: string;
  readonly buyerId: string;
  readonly sku: string;
  readonly quantity: number;
  fate: Fate;
  /** Set when acknowledged. */
  orderId?: string;
  amountMinor?: number;
}

export interface Act {
  readonly kind: 'pay' | 'cancel';
  readonly attempt: OrderAttempt;
  /** paymentId, or the idempotency key of the cancel. */
  readonly id: string;
  fate: Fate;
}

export class Tally {
  readonly orders: OrderAttempt[] = [];
  readonly acts: Act[] = [];
  /** Answers that no rule allows. */
  readonly problems: string[] = [];
  /** Codes of refusal and how often. */
  readonly refusals = new Map<string, number>();

  refused(code: string): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }

  count(fate: Fate): number {
    return this.orders.filter((order) => order.fate === fate).length;
  }

  unanswered(): number {
    return this.count('unanswered') + this.acts.filter((act) => act.fate === 'unanswered').length;
  }
}
