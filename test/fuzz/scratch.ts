/**
 * Strange requests that may be right: texts, keys and names of every kind aimed at the scratch sale. Only the form of
 * the answer is judged, and afterwards the scratch books.
 */
import { rawBytes } from '../support/raw-http.ts';
import type { BadRequest } from './bad-requests.ts';
import type { Random } from './random.ts';
import { strangeText } from './strange.ts';
import type { World } from './world.ts';

interface Plan {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly body: unknown;
  readonly token: string;
  readonly key?: string;
  readonly order?: true;
}

const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');

function plan(random: Random, world: World, mark: string, index: number): Plan {
  const text = strangeText(random);
  const sale = `/v1/merchant/sales/${world.scratchId}`;
  const orderId = random.pick(world.scratchOrderIds);
  const merchant = world.merchantKey;
  const key = `${mark}${index}${random.chance(0.3) ? visible : ''}`;
  const order = {
    method: 'POST',
    target: `/v1/sales/${world.scratchId}/orders?key=${world.scratchKey}`,
    token: world.annToken,
    key,
    order: true,
  } as const;
  return random.pick<Plan>([
    { name: 'order', ...order, body: { sku: 'tee-m', quantity: random.pick([1, 1, 2, 1000]) } },
    { name: 'order of a sku', ...order, body: { sku: text, quantity: 1 } },
    {
      name: 'details',
      method: 'PUT',
      target: `/v1/orders/${orderId}/details`,
      token: world.annToken,
      body: { contact: text, delivery: { [text.slice(0, 50)]: text, nested: { a: { b: text } } } },
    },
    {
      name: 'a payment of a strange id',
      method: 'POST',
      target: '/v1/merchant/payments',
      token: merchant,
      body: { paymentId: `${text}${mark}${index}`, orderId, result: random.pick(['failed', 'failed', 'expired']) },
    },
    {
      name: 'a refund of a strange payment',
      method: 'POST',
      target: `/v1/merchant/orders/${orderId}/refunded`,
      token: merchant,
      body: { paymentId: text, reason: text },
    },
    {
      name: 'a cancel for a strange reason',
      method: 'POST',
      target: `/v1/merchant/orders/${orderId}/cancel`,
      token: merchant,
      body: { returnToStock: random.chance(0.5), reason: text },
    },
    {
      name: 'stock',
      method: 'POST',
      target: `${sale}/items/tee-m/stock`,
      token: merchant,
      body: { delta: random.integer(-5, 5), reason: text },
    },
    {
      name: 'a title',
      method: 'POST',
      target: `${sale}/corrections`,
      token: merchant,
      body: { set: { title: text }, reason: text },
    },
    {
      name: 'tokens of strange buyers',
      method: 'POST',
      target: '/v1/merchant/buyer-tokens',
      token: merchant,
      body: { buyers: [{ id: text, attributes: { [text.slice(0, 50)]: text } }], expiresInSeconds: 60 },
    },
    {
      name: 'a sale of strange texts',
      method: 'POST',
      target: '/v1/merchant/sales',
      token: merchant,
      body: {
        title: text,
        currency: 'EUR',
        payUrl: text,
        look: { name: text, logoUrl: text, color: text },
        origins: [text],
        items: [{ sku: 'tee-m', title: text, description: text, imageUrl: text, priceMinor: 1e12, stock: 100_000_000 }],
      },
    },
    {
      name: 'a list of a strange buyer',
      method: 'GET',
      target: `${sale}/orders?buyerId=${encodeURIComponent(text.toWellFormed())}&limit=2`,
      token: merchant,
      body: undefined,
    },
  ]);
}

export function scratchRequest(random: Random, world: World, mark: string, index: number): BadRequest {
  const made = plan(random, world, mark, index);
  const headers: [string, string][] = [['authorization', `Bearer ${made.token}`]];
  if (made.key !== undefined) headers.push(['idempotency-key', made.key]);
  if (made.body !== undefined) headers.push(['content-type', 'application/json']);
  const body = made.body === undefined ? undefined : Buffer.from(JSON.stringify(made.body));
  const bytes = rawBytes({ method: made.method, target: made.target, headers, body });
  return {
    name: `scratch: ${made.name}`,
    route: null,
    pieces: [bytes],
    head: false,
    expect: 'any',
    codes: [],
    alone: bytes.length > 16_384,
    order: made.order === true,
  };
}
