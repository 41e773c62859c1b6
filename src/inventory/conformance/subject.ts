/**
 * What the conformance suite is told of an engine: how to make one on fresh books, and how to look at those books
 * past the engine. Written by whoever wires an engine; the suite checks it before it believes it.
 */
import type { NewSale } from '../../core/books.ts';
import type { Item } from '../../core/item.ts';
import type { Order } from '../../core/order.ts';
import type { EpochMs } from '../../core/scalars.ts';
import type { Engine } from '../contract.ts';

/** What an engine may lack; its manifest must say so, and what needs it is then listed as skipped. */
export const CAPABILITIES = [
  /** Books that outlive the engine: `reopen` finds what was acknowledged. */
  'durable',
  /** Several engines over the same books at once, as several servers have. */
  'shared',
  /** Sales with `deductAt: payment`. */
  'deduct_at_payment',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export interface Manifest {
  readonly engine: string;
  readonly lacks: readonly Capability[];
}

export interface SubjectBooks {
  readonly items: readonly Item[];
  readonly orders: readonly Order[];
}

/** An engine on books of its own. */
export interface Subject {
  readonly engine: Engine;
  /** Adds a sale, as a draft; answers its number. */
  createSale(sale: NewSale): Promise<number>;
  /** All items and orders of the sale, from the books and not through the engine. */
  books(saleNo: number): Promise<SubjectBooks>;
  /** The books' own time. */
  nowMs(): EpochMs;
  /** Returns when the books' time is at least `ms` later. */
  pass(ms: number): Promise<void>;
  /** One more engine over the same books. Needs `shared`. */
  another(): Promise<Engine>;
  /** Lets go of the books and takes them up again, as a restarted server does. Needs `durable`. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export type Factory = () => Promise<Subject>;
