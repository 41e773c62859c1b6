/**
 * Lists: keyset cursors over every list, filters of the merchant's orders, `updatedSince`, and CSV that no
 * spreadsheet can take for a formula.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOk, expectProblem, item, newId, saleBody, saleIn, until } from '../support/expecting.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let opened: { saleId: string; purchaseKey: string };
const orderIds: string[] = [];

beforeAll(async () => {
  server = await startServer({ env: { DOORBUSTER_QUEUE_WAIT_MS: '30000' } });
  opened = await server.openSale({ items: [item({ stock: 1000 })], limitPerBuyer: null });
  for (let index = 0; index < 7; index++) {
    orderIds.push(expectOk(await server.order(opened, 'ann'), 201).orderId);
  }
});
afterAll(async () => {
  await server.stop();
});

interface Row {
  readonly [field: string]: unknown;
}

const get = (target: string) => server.merchant('GET', target);

/** Walks a list page by page; hands back its rows. */
async function walk(fetchPage: (query: string) => ReturnType<typeof get>, limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const query: string = `limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = expectOk(await fetchPage(query));
    expect(page.items.length).toBeLessThanOrEqual(limit);
    rows.push(...page.items);
    cursor = page.nextCursor;
    expect(rows.length).toBeLessThan(10_000);
  } while (cursor !== null);
  return rows;
}

const lists = () =>
  [
    ['sales', '/v1/merchant/sales', get],
    ['orders of a sale', `/v1/merchant/sales/${opened.saleId}/orders`, get],
    ['audit', `/v1/merchant/sales/${opened.saleId}/audit`, get],
    ['payments', '/v1/merchant/payments', get],
    ['own orders', `/v1/sales/${opened.saleId}/orders`, (target: string) => server.shopper('ann', 'GET', target)],
  ] as const;

describe.each([0, 1, 2, 3, 4])('list %i', (index) => {
  const list = () => lists()[index] as ReturnType<typeof lists>[number];

  it('has items and nextCursor', async () => {
    const [, target, fetchPage] = list();
    const page = expectOk(await fetchPage(target));
    expect(Array.isArray(page.items)).toBe(true);
    expect(page.nextCursor === null || typeof page.nextCursor === 'string').toBe(true);
  });

  it('takes limit 1 to 500', async () => {
    const [, target, fetchPage] = list();
    for (const limit of ['1', '500']) expectOk(await fetchPage(`${target}?limit=${limit}`));
    for (const limit of ['0', '501', '-1', '1.5', 'ten', '', '1e2', '٣']) {
      expectProblem(await fetchPage(`${target}?limit=${encodeURIComponent(limit)}`), 'invalid');
    }
  });

  it('refuses a cursor that it did not give', async () => {
    const [, target, fetchPage] = list();
    for (const cursor of ['x', '', 'eyJhIjoxfQ', '%00', '%ff%fe', '-1', '{}', "' OR 1=1 --", 'A'.repeat(2000)]) {
      const query = /^%/.test(cursor) ? cursor : encodeURIComponent(cursor);
      expectProblem(await fetchPage(`${target}?cursor=${query}`), 'invalid');
    }
  });
});

describe('cursors', () => {
  it('walk all orders once, in pages of any size', async () => {
    for (const limit of [1, 2, 3, 7, 500]) {
      const rows = await walk((query) => get(`/v1/merchant/sales/${opened.saleId}/orders?${query}`), limit);
      const seen = rows.map((row) => row.orderId);
      expect(seen).toHaveLength(orderIds.length);
      expect(new Set(seen)).toEqual(new Set(orderIds));
    }
    const own = await walk((query) => server.shopper('ann', 'GET', `/v1/sales/${opened.saleId}/orders?${query}`), 2);
    expect(new Set(own.map((row) => row.orderId))).toEqual(new Set(orderIds));
  });

  it('default to 50', async () => {
    const many = await server.openSale({ items: [item({ stock: 1000 })], limitPerBuyer: null });
    await Promise.all(Array.from({ length: 53 }, async () => expectOk(await server.order(many, 'ben'), 201)));
    const page = expectOk(await get(`/v1/merchant/sales/${many.saleId}/orders`));
    expect(page.items).toHaveLength(50);
    const rest = expectOk(
      await get(`/v1/merchant/sales/${many.saleId}/orders?cursor=${encodeURIComponent(page.nextCursor)}`),
    );
    expect(rest.items).toHaveLength(3);
    expect(rest.nextCursor).toBeNull();
  });

  it('skip and repeat nothing that was there while new rows come in', async () => {
    const busy = await server.openSale({ items: [item({ stock: 1000 })], limitPerBuyer: null });
    const first: string[] = [];
    for (let index = 0; index < 6; index++) first.push(expectOk(await server.order(busy, 'cid'), 201).orderId);
    const rows = await walk(async (query) => {
      expectOk(await server.order(busy, 'cid'), 201);
      return get(`/v1/merchant/sales/${busy.saleId}/orders?${query}`);
    }, 2);
    const seen = rows.map((row) => row.orderId as string);
    expect(new Set(seen).size).toBe(seen.length);
    for (const orderId of first) expect(seen).toContain(orderId);
  });

  it('list every sale once, drafts too', async () => {
    const draft = expectOk(await server.merchant('POST', '/v1/merchant/sales', saleBody()), 201).saleId;
    const seen = (await walk((query) => get(`/v1/merchant/sales?${query}`), 2)).map((row) => row.saleId);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain(draft);
    expect(seen).toContain(opened.saleId);
  });
});

describe('filters of the merchant', () => {
  let sale: { saleId: string; purchaseKey: string };
  let orders: Record<
    'held' | 'paid' | 'cancelled' | 'other',
    { orderId: string; amountMinor: number; currency: string }
  >;
  const list = async (query: string): Promise<Row[]> =>
    expectOk(await get(`/v1/merchant/sales/${sale.saleId}/orders?${query}`)).items;
  const ids = async (query: string) => (await list(query)).map((row) => row.orderId);

  beforeAll(async () => {
    sale = await server.openSale({ items: [item({ stock: 100 })], limitPerBuyer: null });
    const make = async (buyer: string) => expectOk(await server.order(sale, buyer), 201);
    orders = {
      held: await make('ann'),
      paid: await make('ann'),
      cancelled: await make('ann'),
      other: await make('Ann'),
    };
    expectOk(await server.pay(orders.paid));
    expectOk(await server.shopper('ann', 'POST', `/v1/orders/${orders.cancelled.orderId}/cancel`));
  });

  it('by status', async () => {
    expect(await ids('status=paid')).toEqual([orders.paid.orderId]);
    expect(await ids('status=cancelled')).toEqual([orders.cancelled.orderId]);
    expect(new Set(await ids('status=held'))).toEqual(new Set([orders.held.orderId, orders.other.orderId]));
    expect(await ids('status=refunded')).toEqual([]);
  });

  it('by buyer, and both at once', async () => {
    expect(await ids('buyerId=ann&status=held')).toEqual([orders.held.orderId]);
    expect(await ids('buyerId=ann')).toHaveLength(3);
    expect(await ids('buyerId=nobody')).toEqual([]);
  });

  it('shows buyerId and details to the merchant', async () => {
    const [row] = await list('status=paid');
    expect(row).toMatchObject({ buyerId: 'ann', status: 'paid', saleId: sale.saleId });
    expect(row).toHaveProperty('details');
  });

  it('by updatedSince: what has changed since, a payment too', async () => {
    const nowMs = async () => Date.parse((await server.request('GET', '/v1/time')).body.now);
    const all = await list('limit=500');
    const lastMs = Math.max(...all.map((row) => Date.parse(row.updatedAt as string)));
    await until('the clock moves on', 10_000, async () => (await nowMs()) > lastMs + 2);
    const since = new Date(lastMs + 1).toISOString();
    expect(await ids(`updatedSince=${since}`)).toEqual([]);
    expectOk(await server.pay(orders.held));
    expect(await ids(`updatedSince=${since}`)).toEqual([orders.held.orderId]);
    const early = new Date(Date.parse(all[0]?.placedAt as string) - 60_000).toISOString();
    expect(await ids(`updatedSince=${early}&limit=500`)).toHaveLength(4);
    const walked = await walk(
      (query) => get(`/v1/merchant/sales/${sale.saleId}/orders?updatedSince=${early}&${query}`),
      1,
    );
    expect(new Set(walked.map((row) => row.orderId)).size).toBe(4);
  });

  it.each(['status=sold', 'status=', 'updatedSince=yesterday', 'updatedSince=12', 'colour=red'])(
    'refuses %s',
    async (query) => {
      expectProblem(await get(`/v1/merchant/sales/${sale.saleId}/orders?${query}`), 'invalid');
    },
  );

  it('payments take state=parked alone', async () => {
    expectOk(await get('/v1/merchant/payments?state=parked'));
    expectProblem(await get('/v1/merchant/payments?state=lost'), 'invalid');
  });

  it('is not found for an unknown sale', async () => {
    expectProblem(await get('/v1/merchant/sales/nobody/orders'), 'not_found');
  });
});

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quoted) {
      if (char === '"' && text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else if (char === '"') quoted = false;
      else cell += char;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === ',') {
      row.push(cell);
      cell = '';
    } else if (char === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')]);
      row = [];
      cell = '';
    } else cell += char;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}

describe('CSV', () => {
  const strange = [
    '=HYPERLINK("http://evil.example","x")',
    '+1+1',
    '-2+3',
    '@SUM(A1)',
    'a,b',
    'quo"te',
    "it's",
    '秒杀',
  ];

  it('has a header and one row an order, and no cell that a spreadsheet would run', async () => {
    const sale = await server.openSale({ items: [item({ stock: 100 })], limitPerBuyer: null });
    const made = new Map<string, string>();
    for (const buyer of strange) {
      const order = expectOk(await server.order(sale, buyer), 201);
      made.set(order.orderId, buyer);
      const details = { contact: { note: '=cmd|calc', name: '@x' } };
      expectOk(await server.shopper(buyer, 'PUT', `/v1/orders/${order.orderId}/details`, details));
    }
    const reply = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders`, undefined, {
      accept: 'text/csv',
    });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^text\/csv/);
    const [header, ...rows] = parseCsv(reply.text.replace(/^\ufeff/, ''));
    expect(header).toEqual(
      expect.arrayContaining(['orderId', 'sku', 'quantity', 'amountMinor', 'currency', 'status', 'buyerId']),
    );
    expect(rows).toHaveLength(strange.length);
    const column = (name: string) => (header as string[]).indexOf(name);
    for (const row of rows) {
      expect(row).toHaveLength((header as string[]).length);
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      const buyer = made.get(row[column('orderId')] as string) as string;
      expect(row[column('buyerId')]?.endsWith(buyer)).toBe(true);
      expect(row[column('amountMinor')]).toBe('2500');
      expect(row[column('status')]).toBe('held');
    }
  });

  it('filters as JSON does', async () => {
    const saleId = await saleIn(server, 'open');
    const target = `/v1/merchant/sales/${saleId}/orders?status=paid&buyerId=${newId('x')}`;
    const reply = await server.merchant('GET', target, undefined, { accept: 'text/csv' });
    expect(reply.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(parseCsv(reply.text.replace(/^\ufeff/, ''))).toHaveLength(1);
  });
});
