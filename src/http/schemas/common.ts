/** Schemas that many routes share: names, ids, times, money, lists and the form of a refusal. */
import { type TProperties, type TSchema, Type } from 'typebox';
import { ORDER_STATUSES } from '../../core/order.ts';
import { REFUSAL_CODES } from '../../core/outcomes.ts';
import { NAME_PATTERN } from '../../core/scalars.ts';

/** An object whose unknown fields are refused. */
export const strict = <P extends TProperties>(
  fields: P,
  options: { description?: string; minProperties?: number } = {},
) => Type.Object(fields, { additionalProperties: false, ...options });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** Any object: what is in it is judged elsewhere, or by nobody. */
export const AnyObject = (description?: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    ...(description === undefined ? {} : { description }),
  });

export const Name = Type.String({
  pattern: NAME_PATTERN,
  description: 'A-Z a-z 0-9 . _ -, beginning with a letter or digit, at most 64',
});

/** No control characters; any script. */
const PRINTABLE = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$';

export const BuyerIdText = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: PRINTABLE,
  description: 'without control characters',
});

/** An id of the shop's or its provider's making. */
export const ForeignId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: PRINTABLE,
  description: 'without control characters',
});

export const OrderIdText = Type.String({ minLength: 1, maxLength: 64 });
export const Time = Type.String({ description: 'RFC 3339', examples: ['2026-10-01T10:00:00.000Z'] });
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217, like EUR' });
export const AmountMinor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', description: 'not blank' });
export const OrderStatusName = Type.Enum([...ORDER_STATUSES]);

export const SaleParams = Type.Object({ saleId: Name });
export const OrderParams = Type.Object({ orderId: OrderIdText });
export const PaymentParams = Type.Object({ paymentId: ForeignId });
export const ItemParams = Type.Object({ saleId: Name, sku: Name });

export const LIMIT_DEFAULT = 50;

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: LIMIT_DEFAULT })),
  cursor: Type.Optional(Type.String({ maxLength: 1024, description: 'nextCursor of the page before' })),
};
export const PageQuery = strict(pageQuery);

export const listOf = <S extends TSchema>(item: S) =>
  Type.Object({ items: Type.Array(item), nextCursor: nullable(Type.String()) });

export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    requestId: Type.String(),
    code: Type.Enum([...REFUSAL_CODES]),
    retryable: Type.Boolean(),
    effect: Type.Enum(['none', 'unknown']),
    retryAfterMs: Type.Optional(Type.Integer()),
    availability: Type.Optional(Type.Enum(['all_held', 'sold_out'])),
    available: Type.Optional(Type.Integer()),
    minimum: Type.Optional(Type.Integer()),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  },
  { description: 'RFC 9457' },
);
