/**
 * The state file: the one small public answer that flips the page. The same bytes for everybody, so a cache in front
 * can serve a million readers; made anew only when the sale's revision or its phase by time has changed.
 * The purchase key is in it while the sale is open, and at no other time (I6).
 */
import { createHash } from 'node:crypto';
import { availabilityOf, orderableUnits } from '../../core/availability.ts';
import type { Item } from '../../core/item.ts';
import { type Phase, phaseAt, type Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';
import { formatTimeOrNull } from '../../core/time.ts';

/** A sale as this step needs it. */
export interface ShownSale {
  readonly sale: Sale;
  readonly items: readonly Item[];
  readonly revision: number;
}

export interface StateFile {
  readonly phase: Phase;
  readonly revision: number;
  readonly body: Buffer;
  /** Strong: made from the bytes. */
  readonly etag: string;
}

/** A page learns of the opening within a second; the jitter keeps a million of them from asking in one instant. */
const POLL = { afterMs: 1000, jitterMs: 500 };
/** What has ended stays so. */
const POLL_ENDED = { afterMs: 30_000, jitterMs: 15_000 };

const files = new WeakMap<ShownSale, StateFile>();

/** The file as of now, or null for a draft, which nobody may see. Cost: two comparisons while nothing changes. */
export function stateFileOf(live: ShownSale, now: EpochMs): StateFile | null {
  const phase = phaseAt(live.sale, now);
  if (phase === 'draft') return null;
  const known = files.get(live);
  if (known !== undefined && known.revision === live.revision && known.phase === phase) return known;
  const body = Buffer.from(JSON.stringify(stateOf(live, phase)));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const file = { phase, revision: live.revision, body, etag };
  files.set(live, file);
  return file;
}

function stateOf({ sale, items }: ShownSale, phase: Phase) {
  return {
    saleId: sale.saleId,
    title: sale.title,
    description: sale.description,
    timeZone: sale.timeZone,
    phase,
    opensAt: formatTimeOrNull(sale.opensAtMs),
    endsAt: formatTimeOrNull(sale.endsAtMs),
    version: sale.version,
    ...(phase === 'open' && sale.purchaseKey !== null ? { purchaseKey: sale.purchaseKey } : {}),
    items: items.map((item) => stateItem(sale, item)),
    limitPerBuyer: sale.limitPerBuyer,
    guests: sale.guests,
    demoPayment: sale.demoPayment,
    payUrl: sale.payUrl,
    look: sale.look,
    submitEverySeconds: sale.submitEverySeconds,
    room: null,
    poll: phase === 'ended' ? POLL_ENDED : POLL,
  };
}

const stateItem = (sale: Sale, item: Item) => ({
  sku: item.sku,
  title: item.title,
  description: item.description,
  imageUrl: item.imageUrl,
  priceMinor: item.priceMinor,
  currency: sale.currency,
  availability: availabilityOf(sale, item),
  ...(sale.showStock ? { available: orderableUnits(sale, item) } : {}),
});
