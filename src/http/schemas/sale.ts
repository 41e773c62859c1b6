/** A sale on the wire: the body that makes it, the merchant's answer, the public state file, and the acts on it. */
import { Type } from 'typebox';
import { STOCK_MAX } from '../../core/item.ts';
import { PRICE_MINOR_MAX } from '../../core/money.ts';
import { AnyObject, Currency, Name, nullable, Reason, strict, Time } from './common.ts';

const Title = Type.String({ minLength: 1, maxLength: 200 });
const Description = Type.String({ maxLength: 5000 });
const Url = Type.String({ maxLength: 2048, description: 'an http or https url' });
/** A day: whatever is longer is no flash sale's hold. */
const SECONDS_MAX = 86_400;

const Item = strict({
  sku: Name,
  title: Title,
  description: Type.Optional(Description),
  imageUrl: Type.Optional(nullable(Url)),
  priceMinor: Type.Integer({ minimum: 0, maximum: PRICE_MINOR_MAX }),
  stock: Type.Integer({ minimum: 0, maximum: STOCK_MAX }),
});

const Look = strict({
  name: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
  logoUrl: Type.Optional(nullable(Url)),
  color: Type.Optional(nullable(Type.String({ maxLength: 7, description: 'a colour like #aa3300' }))),
});

/** Kept for what is to come; a rule that is set is refused as long as it is not enforced. */
const NotYet = nullable(AnyObject('not enforced by this version: leave out or null'));

const settings = {
  title: Title,
  description: Type.Optional(Description),
  opensAt: Type.Optional(nullable(Time)),
  endsAt: Type.Optional(nullable(Time)),
  timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 64, default: 'UTC' })),
  currency: Currency,
  items: Type.Array(Item, { minItems: 1, maxItems: 500 }),
  limitPerBuyer: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }))),
  holdSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: SECONDS_MAX, default: 300 })),
  paymentGraceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: SECONDS_MAX, default: 0 })),
  deductAt: Type.Optional(Type.Enum(['order', 'payment'], { default: 'order' })),
  overAdmit: Type.Optional(Type.Number({ minimum: 1, maximum: 100, default: 1.1 })),
  latePayment: Type.Optional(Type.Enum(['refund', 'retake'], { default: 'refund' })),
  guests: Type.Optional(Type.Boolean({ default: false })),
  demoPayment: Type.Optional(Type.Boolean({ default: false })),
  payUrl: Type.Optional(nullable(Url)),
  origins: Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: 100 })),
  look: Type.Optional(nullable(Look)),
  submitEverySeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600, default: 2 })),
  showStock: Type.Optional(Type.Boolean({ default: false })),
  segments: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, default: 1 })),
  shadow: Type.Optional(Type.Boolean({ default: false })),
  room: Type.Optional(NotYet),
  gate: Type.Optional(NotYet),
};

export const CreateSale = strict({ saleId: Type.Optional(Name), ...settings });
export const PatchSale = strict({
  ...settings,
  title: Type.Optional(Title),
  currency: Type.Optional(Currency),
  items: Type.Optional(settings.items),
});

const PhaseName = Type.Enum(['draft', 'scheduled', 'open', 'paused', 'ended']);

export const SaleView = Type.Object({
  saleId: Name,
  ...Type.Required(Type.Object(settings)).properties,
  phase: PhaseName,
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});

export const StateView = Type.Object({
  saleId: Name,
  title: Title,
  description: Description,
  timeZone: Type.String(),
  phase: Type.Enum(['scheduled', 'open', 'paused', 'ended']),
  opensAt: nullable(Time),
  endsAt: nullable(Time),
  version: Type.Integer(),
  purchaseKey: Type.Optional(Type.String({ description: 'only while open' })),
  items: Type.Array(
    Type.Object({
      sku: Name,
      title: Title,
      description: Description,
      imageUrl: nullable(Url),
      priceMinor: Type.Integer(),
      currency: Currency,
      availability: Type.Enum(['available', 'all_held', 'sold_out']),
      available: Type.Optional(Type.Integer({ description: 'only with showStock' })),
    }),
  ),
  limitPerBuyer: nullable(Type.Integer()),
  guests: Type.Boolean(),
  demoPayment: Type.Boolean(),
  payUrl: nullable(Url),
  look: nullable(Look),
  submitEverySeconds: Type.Integer(),
  room: Type.Null(),
  poll: Type.Object({ afterMs: Type.Integer(), jitterMs: Type.Integer() }),
});

/** No absolute numbers: a merchant who saw 100 an hour ago would undo what was sold since (H045). */
export const CorrectStock = strict({
  delta: Type.Integer({ minimum: -STOCK_MAX, maximum: STOCK_MAX }),
  reason: Reason,
});

export const CorrectSale = strict({
  set: strict(
    {
      title: Type.Optional(Title),
      description: Type.Optional(Description),
      opensAt: Type.Optional(nullable(Time)),
      endsAt: Type.Optional(nullable(Time)),
      segments: settings.segments,
    },
    { minProperties: 1 },
  ),
  sku: Type.Optional(Name),
  reason: Reason,
});

export const BooksView = Type.Object({
  items: Type.Array(
    Type.Object({
      sku: Name,
      total: Type.Integer(),
      available: Type.Integer(),
      held: Type.Integer(),
      sold: Type.Integer(),
      inFlight: Type.Integer(),
    }),
  ),
  orders: Type.Object({}, { additionalProperties: Type.Integer(), description: 'how many orders by status' }),
  balanced: Type.Boolean(),
});

export const Reconcile = strict({ repair: Type.Optional(Type.Boolean({ default: false })) });
export const ReconcileView = Type.Object({
  differences: Type.Array(Type.String()),
  inFlight: Type.Array(Type.String()),
  repairs: Type.Array(Type.String()),
});

export const AuditView = Type.Object({
  seq: Type.Integer(),
  at: Time,
  actor: Type.String(),
  action: Type.String(),
  reason: Type.Optional(nullable(Type.String())),
  orderId: Type.Optional(Type.String()),
  sku: Type.Optional(Type.String()),
  paymentId: Type.Optional(Type.String()),
  change: Type.Optional(AnyObject()),
  hash: Type.String(),
  previousHash: Type.String(),
});
