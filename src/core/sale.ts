/**
 * A sale: its settings, its phases, and which act leads from which phase to which.
 *
 *   draft      may be edited and deleted; unknown to shoppers             → scheduled, open
 *   scheduled  frozen; opens by itself at `opensAt` (null: waits for open) → open, ended
 *   open       sells; has a purchase key                                   → paused, ended
 *   paused     makes no order and retakes none; payments go on             → open, ended
 *   ended      final; holds may still be paid until they expire
 *
 * The stored phase is only part of the truth: a sale whose `endsAt` has passed is over even before the
 * scheduler has written it (I6), which is what `phaseAt` says.
 */
import type { EpochMs, SaleId } from './scalars.ts';

export type Phase = 'draft' | 'scheduled' | 'open' | 'paused' | 'ended';
export type DeductAt = 'order' | 'payment';
export type LatePayment = 'refund' | 'retake';

export interface Look {
  readonly name: string | null;
  readonly logoUrl: string | null;
  readonly color: string | null;
}

/** What a merchant sets, but for the items (see item.ts). Frozen once the sale is scheduled. */
export interface SaleSettings {
  readonly title: string;
  readonly description: string;
  readonly opensAtMs: EpochMs | null;
  readonly endsAtMs: EpochMs | null;
  readonly timeZone: string;
  readonly currency: string;
  readonly limitPerBuyer: number | null;
  readonly holdSeconds: number;
  readonly paymentGraceSeconds: number;
  readonly deductAt: DeductAt;
  readonly overAdmit: number;
  readonly latePayment: LatePayment;
  readonly guests: boolean;
  readonly demoPayment: boolean;
  readonly payUrl: string | null;
  readonly origins: readonly string[];
  readonly look: Look | null;
  readonly submitEverySeconds: number;
  readonly showStock: boolean;
  readonly segments: number;
}

export interface Sale extends SaleSettings {
  /** The ledger's own small number for the sale; order ids carry it. */
  readonly saleNo: number;
  readonly saleId: SaleId;
  readonly phase: Phase;
  /** Grows with each change of settings, phase or total stock. */
  readonly version: number;
  /** Null until the sale opens, then the same for good (I6). */
  readonly purchaseKey: string | null;
  readonly createdAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
}

export const endHasPassed = (sale: Sale, now: EpochMs): boolean => sale.endsAtMs !== null && now >= sale.endsAtMs;

/** The phase that counts at `now`: a sale past its end is ended, whatever is stored. */
export const phaseAt = (sale: Sale, now: EpochMs): Phase =>
  sale.phase !== 'draft' && endHasPassed(sale, now) ? 'ended' : sale.phase;

/** Whether the scheduler has something to write for this sale at `now`. */
export function dueAct(sale: Sale, now: EpochMs): 'open' | 'end' | null {
  if (sale.phase === 'draft' || sale.phase === 'ended') return null;
  if (endHasPassed(sale, now)) return 'end';
  return sale.phase === 'scheduled' && sale.opensAtMs !== null && now >= sale.opensAtMs ? 'open' : null;
}

/** When `dueAct` next changes by time alone; null where only an act can change it. */
export function nextDueAtMs(sale: Sale): EpochMs | null {
  if (sale.phase === 'scheduled' && sale.opensAtMs !== null) return sale.opensAtMs;
  return sale.phase === 'scheduled' || sale.phase === 'open' || sale.phase === 'paused' ? sale.endsAtMs : null;
}
