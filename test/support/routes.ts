/**
 * Every route of the selling core, written by hand from the contract: plane, method, template and what a right
 * call answers. The authorization table, the bad-input test, the method tests and the OpenAPI test walk this
 * one list, so that a route cannot be forgotten in one of them.
 */

export type Plane = 'public' | 'shopper' | 'merchant';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly plane: Plane;
  /** `required`: a body must come; `optional`: an empty one is fine; `none`: the method has none. */
  readonly body: 'required' | 'optional' | 'none';
  /** Needs no credential though it stands in the shopper's plane. */
  readonly open?: true;
}

const route = (plane: Plane, method: Method, path: string, body: Route['body'] = 'none', open?: true): Route => ({
  method,
  path,
  plane,
  body,
  ...(open === undefined ? {} : { open }),
});

const sale = '/v1/merchant/sales/{saleId}';

export const routes: readonly Route[] = [
  route('public', 'GET', '/v1/time'),
  route('public', 'GET', '/v1/sales/{saleId}/state'),
  route('public', 'GET', '/livez'),
  route('public', 'GET', '/readyz'),
  route('public', 'GET', '/openapi.json'),
  route('public', 'GET', '/.well-known/jwks.json'),

  route('shopper', 'POST', '/v1/sales/{saleId}/guests', 'optional', true),
  route('shopper', 'POST', '/v1/sales/{saleId}/orders', 'required'),
  route('shopper', 'GET', '/v1/sales/{saleId}/orders'),
  route('shopper', 'GET', '/v1/orders/{orderId}'),
  route('shopper', 'POST', '/v1/orders/{orderId}/cancel', 'optional'),
  route('shopper', 'PUT', '/v1/orders/{orderId}/details', 'required'),
  route('shopper', 'POST', '/v1/orders/{orderId}/demo-payment', 'required'),

  route('merchant', 'POST', '/v1/merchant/buyer-tokens', 'required'),
  route('merchant', 'POST', '/v1/merchant/sales', 'required'),
  route('merchant', 'GET', '/v1/merchant/sales'),
  route('merchant', 'GET', sale),
  route('merchant', 'PATCH', sale, 'required'),
  route('merchant', 'DELETE', sale),
  route('merchant', 'POST', `${sale}/schedule`, 'optional'),
  route('merchant', 'POST', `${sale}/open`, 'optional'),
  route('merchant', 'POST', `${sale}/pause`, 'optional'),
  route('merchant', 'POST', `${sale}/resume`, 'optional'),
  route('merchant', 'POST', `${sale}/end`, 'optional'),
  route('merchant', 'POST', `${sale}/items/{sku}/stock`, 'required'),
  route('merchant', 'POST', `${sale}/corrections`, 'required'),
  route('merchant', 'GET', `${sale}/audit`),
  route('merchant', 'GET', `${sale}/orders`),
  route('merchant', 'GET', `${sale}/books`),
  route('merchant', 'POST', `${sale}/reconcile`, 'optional'),
  route('merchant', 'GET', '/v1/merchant/orders/{orderId}'),
  route('merchant', 'POST', '/v1/merchant/orders/{orderId}/cancel', 'optional'),
  route('merchant', 'POST', '/v1/merchant/orders/{orderId}/refunded', 'required'),
  route('merchant', 'POST', '/v1/merchant/orders/{orderId}/payment-started', 'optional'),
  route('merchant', 'POST', '/v1/merchant/payments', 'required'),
  route('merchant', 'GET', '/v1/merchant/payments'),
  route('merchant', 'POST', '/v1/merchant/payments/{paymentId}/resolve', 'required'),
  route('merchant', 'POST', '/v1/merchant/payments/{paymentId}/refunded', 'optional'),
];

export const routeName = (entry: Route): string => `${entry.method} ${entry.path}`;

/** Puts ids in the place of `{saleId}`, `{sku}`, `{orderId}` and `{paymentId}`, as they are: encode them before. */
export const fillPath = (path: string, ids: object): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (ids as Record<string, string | undefined>)[name];
    if (value === undefined) throw new Error(`no ${name} for ${path}`);
    return value;
  });
