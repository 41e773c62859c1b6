/**
 * What is the same on every route: the form of a refusal, methods and media types, sizes, cache headers, CORS,
 * health, metrics.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, problemFaults } from '../support/contract.ts';
import { expectOk, expectProblem, newId, saleBody, saleIn } from '../support/expecting.ts';
import { rawBytes, rawOnce } from '../support/raw-http.ts';
import { fillPath, type Method, type Route, routes } from '../support/routes.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let sale: { saleId: string; purchaseKey: string };
let order: { orderId: string };

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
  sale = await server.openSale({ limitPerBuyer: null, origins: ['https://shop.example'] });
  order = expectOk(await server.order(sale, 'ann'), 201);
});
afterAll(async () => {
  await server.stop();
});

const ids = () => ({ saleId: sale.saleId, orderId: order.orderId, sku: 'tee-m', paymentId: 'pay-1' });
const credential = (route: Route): Record<string, string> =>
  route.plane === 'public'
    ? {}
    : { authorization: `Bearer ${route.plane === 'merchant' ? server.merchantKey : server.token('ann')}` };

describe('methods', () => {
  const all: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const paths = [...new Set(routes.map((route) => route.path))];

  it.each(paths)('of %s: what is not served is 405 with Allow', async (path) => {
    const served = routes.filter((route) => route.path === path);
    const target = fillPath(path, ids());
    const headers = credential(served[0] as Route);
    for (const method of all.filter((name) => !served.some((route) => route.method === name))) {
      const reply = await server.request(method, target, { headers });
      expectProblem(reply, 'method_not_allowed');
      const allowed = (reply.headers.get('allow') ?? '').split(/\s*,\s*/);
      for (const route of served) expect(allowed, `${method} ${target}`).toContain(route.method);
      expect(allowed).not.toContain(method);
    }
  });

  it('a path that is none is not found', async () => {
    for (const target of [
      '/',
      '/v1',
      '/v1/nothing',
      '/v1/merchant/nothing',
      '/v2/time',
      '/v1/time/',
      '/V1/TIME',
      '//v1/time',
    ]) {
      expectProblem(await server.merchant('GET', target), 'not_found');
    }
  });

  it('HEAD of what can be read has no body', async () => {
    const reply = await server.request('HEAD', '/v1/time');
    expect(reply.text).toBe('');
    expect(reply.status).toBe(200);
  });
});

describe('media types', () => {
  const withBody = routes.filter((route) => route.body === 'required');
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ];

  it.each(withBody.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s takes JSON alone',
    async (_, route) => {
      const target = fillPath(route.path, ids());
      for (const type of types) {
        const headers = { ...credential(route), 'content-type': type, 'idempotency-key': randomUUID() };
        expectProblem(await server.request(route.method, target, { rawBody: '{}', headers }), 'unsupported_media_type');
      }
      const bare = [...Object.entries({ ...credential(route), 'idempotency-key': randomUUID() })];
      const pieces = [rawBytes({ method: route.method, target, headers: bare, body: Buffer.from('{}') })];
      const answer = await rawOnce(server.url, pieces);
      expect(codeOf(answer)).toBe('unsupported_media_type');
      expect(problemFaults(answer)).toEqual([]);
    },
  );

  it('takes application/json with a charset, in any case', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8']) {
      const reply = await server.request('POST', '/v1/merchant/sales', {
        rawBody: JSON.stringify(saleBody()),
        headers: { authorization: `Bearer ${server.merchantKey}`, 'content-type': type },
      });
      expectOk(reply, 201);
    }
  });
});

describe('malformed JSON is invalid', () => {
  it.each([
    ['nothing', ''],
    ['half an object', '{"title":'],
    ['a trailing comma', '{"title":"x",}'],
    ['single quotes', "{'title':'x'}"],
    ['NaN', '{"title":NaN}'],
    ['two values', '{}{}'],
    ['a comment', '{/**/}'],
    ['a raw newline in a string', '{"title":"a\nb"}'],
    ['the same name twice', '{"title":"a","title":"b","currency":"EUR","items":[]}'],
    ['__proto__', '{"__proto__":{"title":"x"},"title":"a","currency":"EUR","items":[]}'],
    ['NUL in a string', JSON.stringify(saleBody({ title: 'a\u0000b' }))],
    ['a lone surrogate', JSON.stringify(saleBody({ title: 'a\ud800b' }))],
  ])('%s', async (_, rawBody) => {
    const reply = await server.request('POST', '/v1/merchant/sales', {
      rawBody,
      headers: { authorization: `Bearer ${server.merchantKey}`, 'content-type': 'application/json' },
    });
    expectProblem(reply, 'invalid');
  });

  it('bytes that are no UTF-8', async () => {
    const text = JSON.stringify(saleBody({ title: 'aXb' }));
    const body = Buffer.from(text.replace('X', '\xff'), 'latin1');
    const headers = [
      ['authorization', `Bearer ${server.merchantKey}`],
      ['content-type', 'application/json'],
    ] as const;
    const answer = await rawOnce(server.url, [
      rawBytes({ method: 'POST', target: '/v1/merchant/sales', headers, body }),
    ]);
    expect(codeOf(answer)).toBe('invalid');
    expect(problemFaults(answer)).toEqual([]);
  });
});

describe('sizes', () => {
  const orderBody = '{"sku":"tee-m","quantity":1}';
  const sendOrder = (length: number, chunked: boolean) => {
    const headers = [
      ['authorization', `Bearer ${server.token('ann')}`],
      ['content-type', 'application/json'],
      ['idempotency-key', randomUUID()],
    ] as const;
    const target = `/v1/sales/${sale.saleId}/orders?key=${sale.purchaseKey}`;
    const body = Buffer.from(orderBody.padEnd(length, ' '));
    return rawOnce(server.url, [
      rawBytes({ method: 'POST', target, headers, body, ...(chunked ? { chunks: [4096] } : {}) }),
    ]);
  };

  it.each([false, true])('16 KiB on the shopper plane, one byte more is too large (chunked: %s)', async (chunked) => {
    const whole = await sendOrder(16_384, chunked);
    expect(whole.status, whole.text).toBe(201);
    const over = await sendOrder(16_385, chunked);
    expect(codeOf(over)).toBe('too_large');
    expect(problemFaults(over)).toEqual([]);
  });

  it('1 MiB on the merchant plane, one byte more is too large', async () => {
    const send = (length: number) =>
      server.request('POST', '/v1/merchant/sales', {
        rawBody: JSON.stringify(saleBody()).padEnd(length, ' '),
        headers: { authorization: `Bearer ${server.merchantKey}` },
      });
    expectOk(await send(1_048_576), 201);
    expectProblem(await send(1_048_577), 'too_large');
  });
});

describe('refusals', () => {
  it('have a request id of their own', async () => {
    const seen = new Set<string>();
    for (let turn = 0; turn < 5; turn++) {
      seen.add(expectProblem(await server.request('GET', '/v1/sales/nobody/state'), 'not_found').requestId);
    }
    expect(seen.size).toBe(5);
  });

  it('name the problem by type', async () => {
    expect(expectProblem(await server.request('GET', '/v1/sales/nobody/state'), 'not_found').type).toBe(
      'urn:doorbuster:problem:not_found',
    );
  });
});

describe('caches', () => {
  const state = (headers: Record<string, string> = {}) =>
    server.request('GET', `/v1/sales/${sale.saleId}/state`, { headers });

  it('state may be kept for a second by anybody, and says 304 to who has it', async () => {
    const saleId = await saleIn(server, 'open');
    const get = (headers: Record<string, string> = {}) =>
      server.request('GET', `/v1/sales/${saleId}/state`, { headers });
    const first = await get();
    expect(first.headers.get('cache-control')).toBe('public, max-age=1');
    expect(first.headers.get('set-cookie')).toBeNull();
    const etag = first.headers.get('etag') as string;
    expect(etag).toMatch(/^(W\/)?".+"$/);
    for (const match of [etag, `"x", ${etag}`, '*']) {
      const again = await get({ 'if-none-match': match });
      expect(again.status).toBe(304);
      expect(again.text).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('cache-control')).toBe('public, max-age=1');
    }
    expectOk(await server.merchant('POST', `/v1/merchant/sales/${saleId}/pause`));
    const changed = await get({ 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(changed.body.version).toBeGreaterThan(first.body.version);
  });

  it('state is the same bytes for everybody', async () => {
    const plain = await state();
    const signed = await state({ authorization: `Bearer ${server.token('ann')}` });
    expect(signed.text).toBe(plain.text);
    expect(signed.headers.get('etag')).toBe(plain.headers.get('etag'));
  });

  it('time is never kept', async () => {
    const reply = await server.request('GET', '/v1/time');
    expect(reply.headers.get('cache-control')).toContain('no-store');
    expect(Math.abs(Date.parse(reply.body.now) - Date.now())).toBeLessThan(5000);
  });

  it('personal answers and refusals are never kept', async () => {
    const replies = [
      await server.order(sale, 'ann'),
      await server.order(sale, 'ann', { quantity: 0 }),
      await server.shopper('ann', 'GET', `/v1/orders/${order.orderId}`),
      await server.shopper('ann', 'GET', `/v1/sales/${sale.saleId}/orders`),
      await server.shopper('ben', 'GET', `/v1/orders/${order.orderId}`),
      await server.request('GET', `/v1/orders/${order.orderId}`),
      await server.merchant('GET', '/v1/merchant/sales'),
      await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}`),
      await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/books`),
      await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders`),
      await server.merchant('GET', '/v1/merchant/sales/nobody'),
      await server.merchant('POST', '/v1/merchant/buyer-tokens', { buyers: [{ id: 'u1' }], expiresInSeconds: 60 }),
    ];
    for (const reply of replies) {
      expect(reply.headers.get('cache-control'), reply.text).toContain('no-store');
      expect(reply.headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('CORS', () => {
  const from = (origin: string, target: string, on: TestServer = server) =>
    on.request('GET', target, { headers: { origin } });
  const allowed = (reply: { headers: Headers }) => reply.headers.get('access-control-allow-origin');
  const state = () => `/v1/sales/${sale.saleId}/state`;
  const preflight = (origin: string, target: string, method: string, on: TestServer = server) =>
    on.request('OPTIONS', target, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });

  it('the origins of the sale may read it, and its refusals', async () => {
    const reply = await from('https://shop.example', state());
    expect(allowed(reply)).toBe('https://shop.example');
    expect(reply.headers.get('vary')?.toLowerCase()).toContain('origin');
    const refused = await server.request('POST', `/v1/sales/${sale.saleId}/orders`, {
      headers: { origin: 'https://shop.example' },
    });
    expectProblem(refused, 'unauthenticated');
    expect(allowed(refused)).toBe('https://shop.example');
  });

  it('no other origin may, and no other sale', async () => {
    for (const origin of [
      'https://evil.example',
      'http://shop.example',
      'https://shop.example.evil.example',
      'null',
      'https://shop.example:8443',
    ]) {
      expect(allowed(await from(origin, state()))).toBeNull();
    }
    const other = await server.openSale();
    expect(allowed(await from('https://shop.example', `/v1/sales/${other.saleId}/state`))).toBeNull();
  });

  it('a preflight of the sale names method and headers, for its origins alone', async () => {
    const target = `/v1/sales/${sale.saleId}/orders?key=x`;
    const reply = await preflight('https://shop.example', target, 'POST');
    expect([200, 204]).toContain(reply.status);
    expect(allowed(reply)).toBe('https://shop.example');
    expect(reply.headers.get('access-control-allow-methods')).toContain('POST');
    const headers = reply.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    for (const name of ['authorization', 'content-type', 'idempotency-key']) expect(headers).toContain(name);
    expect(allowed(await preflight('https://evil.example', target, 'POST'))).toBeNull();
  });

  it('none by default; DOORBUSTER_ORIGINS opens all sales to the origins it names', async () => {
    const open = await startServer({ env: { DOORBUSTER_ORIGINS: 'https://one.example,https://two.example' } });
    try {
      const opened = await open.openSale();
      const made = expectOk(await open.order(opened, 'ann'), 201);
      for (const origin of ['https://one.example', 'https://two.example']) {
        expect(allowed(await from(origin, `/v1/sales/${opened.saleId}/state`, open))).toBe(origin);
        expect(allowed(await preflight(origin, `/v1/orders/${made.orderId}/cancel`, 'POST', open))).toBe(origin);
        expect(allowed(await preflight(origin, `/v1/orders/${made.orderId}/details`, 'PUT', open))).toBe(origin);
      }
      expect(allowed(await from('https://evil.example', `/v1/sales/${opened.saleId}/state`, open))).toBeNull();
    } finally {
      await open.stop();
    }
  });
});

describe('health and metrics', () => {
  it('lives and is ready', async () => {
    expectOk(await server.request('GET', '/livez'));
    expectOk(await server.request('GET', '/readyz'));
  });

  it('shows metrics on loopback without forwarded headers, else for the merchant key alone', async () => {
    const metrics = (headers: Record<string, string>) => server.request('GET', '/metrics', { headers });
    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    const plain = await metrics({});
    expect(plain.status).toBe(200);
    expect(plain.text).toMatch(/^# (HELP|TYPE) /m);
    expectProblem(await metrics(forwarded), 'unauthenticated');
    expectProblem(await metrics({ forwarded: 'for=203.0.113.9' }), 'unauthenticated');
    expectProblem(await metrics({ ...forwarded, authorization: `Bearer ${server.token('ann')}` }), 'forbidden');
    expect((await metrics({ ...forwarded, authorization: `Bearer ${server.merchantKey}` })).status).toBe(200);
  });
});

it('a header that came twice does not make two of it', async () => {
  const target = `/v1/sales/${sale.saleId}/orders?key=${sale.purchaseKey}`;
  const body = Buffer.from('{"sku":"tee-m","quantity":1}');
  const base = [
    ['authorization', `Bearer ${server.token(newId('b'))}`],
    ['content-type', 'application/json'],
  ] as const;
  const twice = [...base, ['idempotency-key', 'a'], ['idempotency-key', 'b']] as const;
  const answer = await rawOnce(server.url, [rawBytes({ method: 'POST', target, headers: twice, body })]);
  expect(codeOf(answer)).toBe('invalid');
});
