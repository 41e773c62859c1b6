/**
 * From the merchant's body to a sale's settings and items: defaults filled in, everything checked that a schema cannot
 * check, all faults told at once with their paths. Called when a sale is made and, over the merged body, when a draft is edited.
 * A setting that this version does not enforce (room, gate rules, shadow) is refused, never ignored.
 */
import type { NewSale } from '../../core/books.ts';
import type { Item } from '../../core/item.ts';
import { type Refusal, refuse } from '../../core/outcomes.ts';
import type { SaleSettings } from '../../core/sale.ts';
import type { Minor, Sku } from '../../core/scalars.ts';
import { parseTime } from '../../core/time.ts';
import type { ItemBody, SaleBody } from './sale-body.ts';
import {
  type Check,
  colorFault,
  currencyFault,
  gateFault,
  originFault,
  overAdmitFault,
  timeFault,
  timeZoneFault,
  urlFault,
} from './setting-checks.ts';

export type Settings = Omit<NewSale, 'saleId'>;

/** The settings, or `invalid` with every fault. */
export function settingsOf(body: SaleBody): Settings | Refusal {
  const errors = faultsOf(body);
  if (errors.length > 0) return refuse('invalid', 'The sale cannot be set up like this.', { errors });
  return { settings: withDefaults(body), items: body.items.map(itemOf) };
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

function faultsOf(body: SaleBody): Fault[] {
  const checks: [path: string, check: Check][] = [
    ['/timeZone', body.timeZone === undefined ? null : timeZoneFault(body.timeZone)],
    ['/currency', currencyFault(body.currency)],
    ['/opensAt', timeFault(body.opensAt ?? null)],
    ['/endsAt', timeFault(body.endsAt ?? null) ?? orderFault(body)],
    ['/overAdmit', body.overAdmit === undefined ? null : overAdmitFault(body.overAdmit)],
    ['/payUrl', urlFault(body.payUrl ?? null)],
    ['/look/logoUrl', urlFault(body.look?.logoUrl ?? null)],
    ['/look/color', colorFault(body.look?.color ?? null)],
    ['/shadow', body.shadow === true ? 'is not enforced by this version' : null],
    ['/room', body.room === null || body.room === undefined ? null : 'is not enforced by this version'],
    ['/gate', gateFault(body.gate)],
    ...(body.origins ?? []).map((origin, at): [string, Check] => [`/origins/${at}`, originFault(origin)]),
    ...body.items.map((item, at): [string, Check] => [`/items/${at}/imageUrl`, urlFault(item.imageUrl ?? null)]),
    ...repeatedSkus(body.items),
  ];
  return checks.flatMap(([path, message]) => (message === null ? [] : [{ path, message }]));
}

function orderFault(body: SaleBody): Check {
  const opensAt = parseTime(body.opensAt ?? '');
  const endsAt = parseTime(body.endsAt ?? '');
  return opensAt !== null && endsAt !== null && endsAt <= opensAt ? 'must be after opensAt' : null;
}

function repeatedSkus(items: readonly ItemBody[]): [string, Check][] {
  const first = new Map(items.map((item, at) => [item.sku, at] as const).reverse());
  return items.flatMap((item, at): [string, Check][] =>
    first.get(item.sku) === at ? [] : [[`/items/${at}/sku`, 'is the sku of another item already']],
  );
}

function withDefaults(body: SaleBody): SaleSettings {
  const { look = null } = body;
  return {
    title: body.title,
    description: body.description ?? '',
    opensAtMs: parseTime(body.opensAt ?? ''),
    endsAtMs: parseTime(body.endsAt ?? ''),
    timeZone: body.timeZone ?? 'UTC',
    currency: body.currency,
    limitPerBuyer: body.limitPerBuyer === undefined ? 1 : body.limitPerBuyer,
    holdSeconds: body.holdSeconds ?? 300,
    paymentGraceSeconds: body.paymentGraceSeconds ?? 0,
    deductAt: body.deductAt ?? 'order',
    overAdmit: body.overAdmit ?? 1.1,
    latePayment: body.latePayment ?? 'refund',
    guests: body.guests ?? false,
    demoPayment: body.demoPayment ?? false,
    payUrl: body.payUrl ?? null,
    origins: body.origins ?? [],
    look: look && { name: look.name ?? null, logoUrl: look.logoUrl ?? null, color: look.color ?? null },
    submitEverySeconds: body.submitEverySeconds ?? 2,
    showStock: body.showStock ?? false,
    segments: body.segments ?? 1,
  };
}

const itemOf = (body: ItemBody): Item => ({
  sku: body.sku as Sku,
  title: body.title,
  description: body.description ?? '',
  imageUrl: body.imageUrl ?? null,
  priceMinor: body.priceMinor as Minor,
  total: body.stock,
  free: body.stock,
  escrowed: 0,
  held: 0,
  sold: 0,
  placed: 0,
});
