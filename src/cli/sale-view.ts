/** A sale of the API in a few lines of text, for the commands that answer with one. */

/** What the commands read of the merchant's view of a sale. */
export interface SaleView {
  readonly saleId: string;
  readonly title: string;
  readonly phase: string;
  readonly version: number;
  readonly timeZone: string;
  readonly opensAt: string | null;
  readonly endsAt: string | null;
  readonly currency: string;
  readonly limitPerBuyer: number | null;
  readonly holdSeconds: number;
  readonly guests: boolean;
  readonly items: readonly {
    readonly sku: string;
    readonly title: string;
    readonly priceMinor: number;
    readonly stock: number;
  }[];
}

export function saleText(sale: SaleView): string {
  const lines = [
    `${sale.saleId} is ${sale.phase} (version ${sale.version}): ${sale.title}`,
    `  opens ${sale.opensAt ?? (sale.phase === 'open' ? 'now' : 'when told to')}, ends ${sale.endsAt ?? 'when told to'}`,
    `  limit ${sale.limitPerBuyer ?? 'none'} per buyer, holds ${sale.holdSeconds} s`,
    ...sale.items.map(
      ({ sku, title, priceMinor, stock }) => `  ${sku}: ${stock} at ${amountText(priceMinor, sale.currency)}  ${title}`,
    ),
  ];
  return lines.join('\n');
}

/** `25.00 EUR`, with as many decimals as the currency has. */
export function amountText(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const padded = String(minor).padStart(digits + 1, '0');
  const whole = padded.slice(0, padded.length - digits);
  return `${digits === 0 ? padded : `${whole}.${padded.slice(-digits)}`} ${currency}`;
}
