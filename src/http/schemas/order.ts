/** Orders and payments on the wire, and the requests that make and change them. */
import { Type } from 'typebox';
import { QUANTITY_MAX } from '../../core/money.ts';
import {
  AmountMinor,
  AnyObject,
  BuyerIdText,
  Currency,
  ForeignId,
  Name,
  nullable,
  OrderIdText,
  OrderStatusName,
  pageQuery,
  Reason,
  strict,
  Time,
} from './common.ts';

export const PlaceOrder = strict({ sku: Name, quantity: Type.Integer({ minimum: 1, maximum: QUANTITY_MAX }) });

const order = {
  orderId: OrderIdText,
  saleId: Name,
  sku: Name,
  quantity: Type.Integer(),
  unitPriceMinor: AmountMinor,
  amountMinor: AmountMinor,
  currency: Currency,
  status: OrderStatusName,
  placedAt: Time,
  updatedAt: Time,
  expiresAt: nullable(Time),
  paidAt: nullable(Time),
  closedAt: nullable(Time),
  refundsDue: Type.Array(
    Type.Object({ paymentId: ForeignId, amountMinor: AmountMinor, currency: Currency, reason: Type.String() }),
  ),
};

export const OrderView = Type.Object(order);
export const OrderWithReceipt = Type.Object({
  ...order,
  receipt: Type.String({ description: 'a JWS (EdDSA) over the order as it stands; keys at /.well-known/jwks.json' }),
});

/** Text, or a free object: what the shop's own form collects. */
const Free = Type.Union([Type.String(), AnyObject()]);
export const Details = strict({ contact: Type.Optional(Free), delivery: Type.Optional(Free) });

export const MerchantOrderView = Type.Object({ ...order, buyerId: BuyerIdText, details: nullable(AnyObject()) });

export const DemoPayment = strict({ result: Type.Enum(['succeeded', 'failed']) });

export const CancelOrder = strict({
  returnToStock: Type.Optional(Type.Boolean({ default: false })),
  reason: Type.Optional(nullable(Reason)),
});
export const RefundedOrder = strict({ paymentId: ForeignId, reason: Reason });

export const OrdersQuery = strict({
  ...pageQuery,
  status: Type.Optional(OrderStatusName),
  buyerId: Type.Optional(BuyerIdText),
  updatedSince: Type.Optional(Time),
  format: Type.Optional(Type.Enum(['json', 'csv'])),
});

export const ReportPayment = strict({
  paymentId: ForeignId,
  orderId: ForeignId,
  result: Type.Enum(['succeeded', 'failed', 'expired']),
  amountMinor: Type.Optional(AmountMinor),
  currency: Type.Optional(Currency),
});

const PAYMENT_STATES = ['applied', 'ignored', 'parked', 'resolved'] as const;

export const PaymentView = Type.Object({
  paymentId: ForeignId,
  orderId: ForeignId,
  saleId: nullable(Name),
  result: Type.Enum(['succeeded', 'failed', 'expired']),
  amountMinor: nullable(AmountMinor),
  currency: nullable(Currency),
  state: Type.Enum([...PAYMENT_STATES]),
  reason: nullable(Type.String()),
  refund: Type.Enum(['none', 'due', 'done']),
  refundReason: nullable(Type.String()),
  receivedAt: Time,
  updatedAt: Time,
});

export const PaymentsQuery = strict({ ...pageQuery, state: Type.Optional(Type.Enum([...PAYMENT_STATES])) });
export const ResolvePayment = strict({ as: Type.Enum(['refund_due', 'ignored']), reason: Reason });
export const RefundedPayment = strict({ reason: Type.Optional(Reason) });
