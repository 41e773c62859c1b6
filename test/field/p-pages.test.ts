/** Field cases P, the API's side: what a cache in front may keep. The page's side is in test/browser. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { startField, startTimeoutMs } from './support/field-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startField();
}, startTimeoutMs);
afterAll(() => server.stop());

it('H095 every personal answer is marked not storable; what is public is the same for A, B and nobody', async () => {
  const sale = await server.openSale({ guests: true, demoPayment: true });
  const placed = await server.order(sale, 'h095-a', { key: 'a' });
  const { orderId } = placed.body;
  const personal = [
    placed,
    await server.order(sale, 'h095-a', { key: 'a' }),
    await server.order(sale, 'h095-a'),
    await server.shopper('h095-a', 'GET', `/v1/orders/${orderId}`),
    await server.shopper('h095-b', 'GET', `/v1/orders/${orderId}`),
    await server.shopper('h095-a', 'GET', `/v1/sales/${sale.saleId}/orders`),
    await server.shopper('h095-a', 'PUT', `/v1/orders/${orderId}/details`, { contact: 'A' }),
    await server.request('POST', `/v1/sales/${sale.saleId}/guests`),
    await server.merchant('GET', `/v1/merchant/orders/${orderId}`),
    await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders`),
    await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders`, undefined, { accept: 'text/csv' }),
    await server.merchant('POST', '/v1/merchant/buyer-tokens', { buyers: [{ id: 'h095-a' }] }),
    await server.shopper('h095-a', 'POST', `/v1/orders/${orderId}/cancel`),
    await server.request('GET', `/v1/orders/${orderId}`),
  ];
  for (const [at, answer] of personal.entries())
    expect({ at, cacheControl: answer.headers.get('cache-control') }).toEqual({
      at,
      cacheControl: expect.stringContaining('no-store'),
    });
  const state = `/v1/sales/${sale.saleId}/state`;
  const seen = [
    await server.shopper('h095-a', 'GET', state),
    await server.shopper('h095-b', 'GET', state),
    await server.request('GET', state),
  ];
  for (const answer of seen) {
    expect(answer.headers.get('cache-control')).toBe('public, max-age=1');
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.text).toBe(seen[0]?.text);
    expect(answer.text).not.toMatch(/h095/);
  }
  const etag = seen[0]?.headers.get('etag') as string;
  const unchanged = await server.request('GET', state, { headers: { 'if-none-match': etag } });
  expect([200, 304]).toContain(unchanged.status);
});
