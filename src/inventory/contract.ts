/**
 * What an inventory engine is: it takes a batch of acts on one sale and answers each, in order, from one atomic
 * step. Implemented by the folders under engines/ and lab/, called by the batcher alone, held to this by the
 * conformance suite.
 *
 * An engine grants (I1, I3, I4, I6 in one step); it never waits for more acts, retries a claim, or says `busy`.
 */
import type { Act } from '../core/act.ts';
import type { BatchResult } from '../core/books.ts';
import type { Item } from '../core/item.ts';
import type { Verdict } from '../core/outcomes.ts';

export type { BatchResult } from '../core/books.ts';

export interface Engine {
  /** Batches of one sale take effect and are answered in the order in which they were handed over. */
  readonly keepsOrder?: boolean;
  /** Readies the sale for selling: repeatable, never over a warmer truth. */
  open(saleNo: number): Promise<void>;
  /**
   * One atomic step. Resolves when the effects are durable. Rejects with an OperatingError for the batch as a
   * whole: `effect: none` after a sure rollback, `unknown` where the answer was lost.
   */
  act(batch: { readonly saleNo: number; readonly acts: readonly Act[] }): Promise<BatchResult>;
  /** Where the units of each item are now. */
  levels(saleNo: number): Promise<readonly Item[]>;
  /** Finishes what it has begun and lets go of its connections. */
  close(): Promise<void>;
}

/** What stands in front of an engine, one per sale: acts go in one by one and come out as batches. */
export interface ActQueue {
  /** Acts that wait for the engine. */
  readonly waiting: number;
  /** Resolves with the verdict once it is durable; rejects with `busy` (never executed) or the batch's error. */
  submit(act: Act): Promise<Verdict>;
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>;
}

export type OnBatch = (result: BatchResult, acts: readonly Act[], tookMs: number) => void;
