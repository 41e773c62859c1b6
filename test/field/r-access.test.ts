/** Field cases R: exports that a spreadsheet may open, and no door that opens by default. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintToken, TestServer, tryStart } from '../support/server.ts';
import { csvRecords, parseCsv } from './support/csv.ts';
import { crowdedTimeoutMs, isEmbedded, startField, startTimeoutMs } from './support/field-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startField();
}, startTimeoutMs);
afterAll(() => server.stop());

const root = fileURLToPath(new URL('../..', import.meta.url));

it('H105 names that begin with = + - @ tab or CR: no cell of the export is a formula', async () => {
  const sale = await server.openSale({ items: [{ sku: 'tee-m', title: '=1+1', priceMinor: 2500, stock: 50 }] });
  const formula = 'cmd|\' /C calc\'!A0,"x";=2+3';
  const ids = ['=', '+', '-', '@'].map((sign) => `${sign}${formula}`);
  const names = [...ids, `\t=${formula}`, `\r=${formula}`, `\n=${formula}`, ` =${formula}`, `\uFF1D${formula}`];
  for (const [at, name] of names.entries()) {
    const buyerId = ids[at] ?? `h105-${at}`;
    const order = (await server.order(sale, buyerId)).body;
    expect(order.status).toBe('held');
    const details = { contact: { name, [`note ${at}`]: name }, delivery: name };
    const put = await server.shopper(buyerId, 'PUT', `/v1/orders/${order.orderId}/details`, details);
    expect(put.status).toBe(200);
    const reason = name;
    if (at % 2 === 0) await server.merchant('POST', `/v1/merchant/orders/${order.orderId}/cancel`, { reason });
  }
  const answer = await server.merchant('GET', `/v1/merchant/sales/${sale.saleId}/orders?limit=500`, undefined, {
    accept: 'text/csv',
  });
  const [head, ...rows] = parseCsv(answer.text.replace(/^\uFEFF/, ''));
  expect(rows).toHaveLength(names.length);
  for (const row of rows) {
    expect(row).toHaveLength(head?.length as number);
    for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/);
  }
  // What cannot run is still there to read.
  const buyerIds = csvRecords(answer.text).map((record) => record.buyerId);
  for (const id of ids) expect(buyerIds.some((cell) => cell?.endsWith(id))).toBe(true);
});

it('H107 a fresh install without settings: keys of its own, and no known credential opens anything', async ({
  skip,
}) => {
  skip(!isEmbedded, 'servers on a database are given their keys');
  const other = await startField();
  for (const each of [server, other]) {
    for (const file of ['merchant-key', 'buyer-secret']) {
      expect(statSync(path.join(each.data, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(path.join(each.data, file), 'utf8').trim().length).toBeGreaterThanOrEqual(32);
    }
  }
  expect(other.merchantKey).not.toBe(server.merchantKey);
  expect(other.buyerSecret).not.toBe(server.buyerSecret);
  await other.stop();
  const known = [
    other.merchantKey,
    'admin',
    'doorbuster',
    'changeme',
    'secret',
    'password',
    'test',
    'merchant',
    ...documented(),
  ];
  for (const credential of known) {
    for (const authorization of [
      `Bearer ${credential}`,
      `Basic ${Buffer.from(`admin:${credential}`).toString('base64')}`,
    ]) {
      const answer = await server.request('GET', '/v1/merchant/sales', { headers: { authorization } });
      expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
    }
    const forged = await server.request('GET', '/v1/sales/none/orders', {
      headers: { authorization: `Bearer ${mintToken(credential, 'h107')}` },
    });
    expect(forged.status).toBe(401);
  }
});

it(
  'H107 the example secrets of the documentation, and those known from elsewhere, are refused at the start',
  async () => {
    const examples = [...documented(), 'changemechangemechangemechangeme', 'admin'];
    for (const setting of ['DOORBUSTER_MERCHANT_KEY', 'DOORBUSTER_BUYER_SECRET'])
      for (const value of examples) await expectRefusedStart(setting, value);
  },
  crowdedTimeoutMs,
);

it(
  'H108 a blank merchant key or buyer secret refuses the start and names the setting',
  async () => {
    for (const setting of ['DOORBUSTER_MERCHANT_KEY', 'DOORBUSTER_BUYER_SECRET'])
      for (const value of ['', ' '.repeat(40)]) await expectRefusedStart(setting, value);
  },
  crowdedTimeoutMs,
);

it('H108 admin, metrics and payment callbacks are closed to nobody, to blanks and to a key of nothing', async () => {
  const doors = [
    ['GET', '/v1/merchant/sales'],
    ['POST', '/v1/merchant/payments'],
    ['POST', '/v1/merchant/buyer-tokens'],
    ['GET', '/metrics'],
  ] as const;
  const blanks: Record<string, string>[] = [
    {},
    ...['', 'Bearer', 'Bearer ', 'Bearer  ', 'Bearer undefined', 'Bearer null', 'Basic Og=='].map((authorization) => ({
      authorization,
    })),
    { authorization: `Bearer ${mintToken('', 'h108')}` },
    { authorization: `Bearer ${mintToken('', 'h108', {}, { alg: 'none' })}` },
  ];
  for (const [method, target] of doors) {
    for (const blank of blanks) {
      // As a balancer passes it on: loopback with a forwarded header is nobody special.
      const headers = { ...blank, 'x-forwarded-for': '203.0.113.9' };
      const answer = await server.request(method, target, { headers, ...(method === 'POST' ? { body: {} } : {}) });
      expect({ target, blank, status: answer.status }).toEqual({ target, blank, status: 401 });
      expect(answer.body.code).toBe('unauthenticated');
    }
  }
  for (const forwarded of ['forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'])
    expect((await server.request('GET', '/metrics', { headers: { [forwarded]: 'for=203.0.113.9' } })).status).toBe(401);
  const token = mintToken('', 'h108', {}, { alg: 'none' });
  const shopper = await server.request('GET', '/v1/sales/none/orders', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(shopper.status).toBe(401);
});

/** Exit code 2 and one line that names the setting and masks the value. */
async function expectRefusedStart(setting: string, value: string): Promise<void> {
  const start = await tryStart({ env: { [setting]: value } });
  if (start instanceof TestServer) {
    await start.stop();
    throw new Error(`the server started with ${setting}=${JSON.stringify(value)}`);
  }
  expect({ setting, value, code: start.exit.code }).toEqual({ setting, value, code: 2 });
  expect(start.stderr).toContain(setting);
  if (value.trim().length > 6) expect(start.stderr + start.stdout).not.toContain(value);
}

/** Every literal value that a document of ours gives to one of the two secrets. */
function documented(): string[] {
  const files = [root, path.join(root, 'docs')].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter(
        (entry) => entry.isFile() && /\.(md|json|ya?ml|env)$/.test(entry.name) && entry.name !== 'package-lock.json',
      )
      .map((entry) => path.join(folder, entry.name)),
  );
  const assignment = /DOORBUSTER_(?:MERCHANT_KEY|BUYER_SECRET)["']?\s*[=:]\s*["']?([^\s"'`|]+)/g;
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(assignment)]
      .map((match) => match[1] as string)
      .filter((value) => !value.includes('$')),
  );
}
