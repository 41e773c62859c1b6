/**
 * What a rehearsal brings home: what the clients were told, and what the merchant's books and order list say
 * afterwards. Plain JSON, so that it can be kept beside a run and judged again; `verify.ts` judges it.
 */
import type { Intent, Tally, ToldOrder } from './tally.ts';
import type { BookedOrder, Books, Sale } from './wire.ts';

export interface Evidence {
  readonly sale: Pick<Sale, 'saleId' | 'opensAt' | 'limitPerBuyer' | 'items'>;
  readonly told: {
    readonly intents: readonly Intent[];
    readonly orders: readonly (ToldOrder & { readonly orderId: string })[];
    /** The purchase key was to be seen before the opening. */
    readonly keyShownEarly: boolean;
    /** Answers that the contract does not know, or that admit a bug. */
    readonly faults: readonly string[];
  };
  readonly books: Books;
  /** The merchant's list of orders, complete. */
  readonly booked: readonly BookedOrder[];
}

export function gatherEvidence(parts: {
  sale: Sale;
  tally: Tally;
  keyShownEarly: boolean;
  books: Books;
  booked: readonly BookedOrder[];
}): Evidence {
  const { saleId, opensAt, limitPerBuyer, items } = parts.sale;
  return {
    sale: { saleId, opensAt, limitPerBuyer, items },
    told: {
      intents: parts.tally.intents,
      orders: [...parts.tally.orders].map(([orderId, order]) => ({ orderId, ...order })),
      keyShownEarly: parts.keyShownEarly,
      faults: parts.tally.faults,
    },
    books: parts.books,
    booked: parts.booked,
  };
}
