/**
 * A sale as the merchant writes and reads it: the body of API.md, in types. Shapes and bounds of single fields are
 * the HTTP layer's schemas; what needs a second look (zones, currencies, times, urls) is in sale-settings.ts.
 */
import type { DeductAt, LatePayment, Phase } from '../../core/sale.ts';

export interface ItemBody {
  readonly sku: string;
  readonly title: string;
  readonly description?: string;
  readonly imageUrl?: string | null;
  readonly priceMinor: number;
  readonly stock: number;
}

export interface LookBody {
  readonly name?: string | null;
  readonly logoUrl?: string | null;
  readonly color?: string | null;
}

/** Everything that a draft may be given, but for its id. */
export interface SaleBody {
  readonly title: string;
  readonly description?: string;
  readonly opensAt?: string | null;
  readonly endsAt?: string | null;
  readonly timeZone?: string;
  readonly currency: string;
  readonly items: readonly ItemBody[];
  readonly limitPerBuyer?: number | null;
  readonly holdSeconds?: number;
  readonly paymentGraceSeconds?: number;
  readonly deductAt?: DeductAt;
  readonly overAdmit?: number;
  readonly latePayment?: LatePayment;
  readonly guests?: boolean;
  readonly demoPayment?: boolean;
  readonly payUrl?: string | null;
  readonly origins?: readonly string[];
  readonly look?: LookBody | null;
  readonly submitEverySeconds?: number;
  readonly showStock?: boolean;
  readonly segments?: number;
  readonly shadow?: boolean;
  readonly room?: Readonly<Record<string, unknown>> | null;
  readonly gate?: Readonly<Record<string, unknown>> | null;
}

/** The answer: the body with every default filled in, and what the server adds. */
export interface SaleAnswerBody extends Required<SaleBody> {
  readonly saleId: string;
  readonly phase: Phase;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}
