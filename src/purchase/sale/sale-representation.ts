/**
 * A sale as the merchant reads it: the body that made it, with defaults, and phase, version and times. The inverse of
 * sale-settings.ts; `stock` is the total with all corrections. The purchase key is not in it.
 */
import type { SaleAndItems } from '../../core/books.ts';
import type { Item } from '../../core/item.ts';
import { phaseAt, type Sale } from '../../core/sale.ts';
import type { EpochMs } from '../../core/scalars.ts';
import { formatTime, formatTimeOrNull } from '../../core/time.ts';
import type { ItemBody, SaleAnswerBody, SaleBody } from './sale-body.ts';

const itemBody = (item: Item): Required<ItemBody> => ({
  sku: item.sku,
  title: item.title,
  description: item.description,
  imageUrl: item.imageUrl,
  priceMinor: item.priceMinor,
  stock: item.total,
});

/** What a PATCH is merged into. */
export const saleBody = (sale: Sale, items: readonly Item[]): Required<SaleBody> => ({
  title: sale.title,
  description: sale.description,
  opensAt: formatTimeOrNull(sale.opensAtMs),
  endsAt: formatTimeOrNull(sale.endsAtMs),
  timeZone: sale.timeZone,
  currency: sale.currency,
  items: items.map(itemBody),
  limitPerBuyer: sale.limitPerBuyer,
  holdSeconds: sale.holdSeconds,
  paymentGraceSeconds: sale.paymentGraceSeconds,
  deductAt: sale.deductAt,
  overAdmit: sale.overAdmit,
  latePayment: sale.latePayment,
  guests: sale.guests,
  demoPayment: sale.demoPayment,
  payUrl: sale.payUrl,
  origins: sale.origins,
  look: sale.look,
  submitEverySeconds: sale.submitEverySeconds,
  showStock: sale.showStock,
  segments: sale.segments,
  shadow: false,
  room: null,
  gate: null,
});

export const saleForMerchant = ({ sale, items }: SaleAndItems, now: EpochMs): SaleAnswerBody => ({
  saleId: sale.saleId,
  ...saleBody(sale, items),
  phase: phaseAt(sale, now),
  version: sale.version,
  createdAt: formatTime(sale.createdAtMs),
  updatedAt: formatTime(sale.updatedAtMs),
});
