/** What a line of the log may contain: no credential, no address as it was sent; and how it looks to a person. */
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

const secret = 'Jq3vT9zLw0Xn5bYc7Rk2PdHs8Fm4Gu6E';

function linesOf(pretty: boolean, write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  write(createLog({ level: 'info', pretty, stream: { write: (line) => (text += line) } }));
  return text;
}

test.each([true, false])('credentials are masked wherever they usually stand (pretty: %s)', (pretty) => {
  const text = linesOf(pretty, (log) => {
    log.info({ authorization: secret, token: secret, purchaseKey: secret, 'idempotency-key': secret }, 'flat');
    log.info({ request: { headers: { authorization: secret, cookie: secret } } }, 'nested');
    log.info({ settings: { merchantKey: secret, buyerSecret: secret } }, 'settings');
    log.info({ req: { method: 'GET', url: `/v1/orders/${secret}?key=${secret}`, headers: { authorization: secret } } });
    log.info({ url: `/v1/orders/${secret}` });
  });
  expect(text.trim().split('\n')).toHaveLength(5);
  expect(text).not.toContain(secret);
});

test('a request is its method and the pattern of its route', () => {
  const text = linesOf(false, (log) => {
    log.info({ req: { method: 'GET', url: '/v1/orders/x?y', routeOptions: { url: '/v1/orders/:orderId' } } }, 'asked');
  });
  expect(JSON.parse(text)).toMatchObject({
    level: 'info',
    msg: 'asked',
    req: { method: 'GET', route: '/v1/orders/:orderId' },
  });
});

test('for a person: one line, fields after the message, a stack below it', () => {
  const text = linesOf(true, (log) => {
    log.warn({ saleId: 'drop', reason: 'two words' }, 'set aside');
    log.error({ err: new Error('disk full') }, 'failed');
    log.debug('not at this level');
  });
  const lines = text.split('\n');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}set aside saleId=drop reason="two words"$/);
  expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} ERROR failed$/);
  expect(lines[2]).toBe('Error: disk full');
  expect(text).not.toContain('not at this level');
});
