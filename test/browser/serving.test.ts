/**
 * What the server sends for a page: the same bytes for everybody, few of them, storable by any cache, under a strict
 * content security policy, and something to read where no script runs.
 */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startCachingProxy } from '../support/caching-proxy.ts';
import { inSeconds } from '../support/expecting.ts';
import { axeFaults } from './support/axe.ts';
import { openSale, orderElsewhere, scheduledSale } from './support/buying.ts';
import { keptText, sidewaysPx } from './support/in-page.ts';
import { SalePage, shownText } from './support/sale-page.ts';
import { stage } from './support/stage.ts';

const play = stage();

/** As on the wire: not unpacked, nothing added. */
function rawGet(
  url: string,
  headers: Record<string, string> = {},
): Promise<{
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

const gzipped = { 'accept-encoding': 'gzip' };

it.concurrent('H095 behind a caching proxy B sees nothing of A, who is signed in and has bought', () =>
  play(async (scene) => {
    const { server } = scene;
    const cache = await startCachingProxy(server.url);
    scene.finally(() => cache.close());
    const saleId = await openSale(server, { limitPerBuyer: null });
    const a = await scene.visitor({ allow: [cache.url] });
    const personal: { url: string; cacheControl: string }[] = [];
    a.context.on('response', (response) => {
      const { authorization } = response.request().headers();
      if (authorization === undefined) return;
      personal.push({ url: response.url(), cacheControl: response.headers()['cache-control'] ?? '' });
    });
    const mine = await a.open(scene.saleUrl(saleId, 'h095-a', cache.url));
    await mine.buy();
    await mine.reaches('held');
    const orderId = await mine.text('order-id');
    await mine.press('pay');
    await mine.reaches('paid');
    expect(personal.length).toBeGreaterThanOrEqual(2);
    for (const answer of personal) expect(answer).toMatchObject({ cacheControl: expect.stringContaining('no-store') });

    const b = await scene.visitor({ allow: [cache.url] });
    const hitsBefore = cache.hits();
    const theirs = await b.open(scene.saleUrl(saleId, undefined, cache.url));
    expect(await theirs.reaches(['sign_in', 'open', 'held', 'paid'])).toBe('sign_in');
    expect(cache.hits()).toBeGreaterThan(hitsBefore);
    expect(await theirs.page.evaluate(keptText)).not.toMatch(/h095-a|eyJ/);
    expect(await theirs.page.content()).not.toContain(orderId);

    const token = server.token('h095-a');
    for (const [key, { body, headers }] of cache.stored) {
      const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
      expect({ key, ofA: [orderId, 'h095-a', token].filter((each) => text.includes(each)) }).toEqual({ key, ofA: [] });
    }
  }));

it.concurrent('the same bytes for everybody: no cookie, language, token or order changes them', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await openSale(server, { limitPerBuyer: null });
    const page = `${server.url}/sales/${saleId}`;
    const first = await rawGet(page, gzipped);
    expect(first.status).toBe(200);
    await orderElsewhere(server, saleId, 'ann');
    for (const headers of [
      { authorization: `Bearer ${server.token('ann')}` },
      { cookie: 'who=ann' },
      { 'accept-language': 'zh-CN' },
      { 'user-agent': 'Mozilla/5.0 (iPhone)' },
      { 'sec-fetch-site': 'cross-site', referer: 'http://shop.example/' },
    ] as Record<string, string>[]) {
      const other = await rawGet(page, { ...gzipped, ...headers });
      expect({ headers, same: other.body.equals(first.body) }).toEqual({ headers, same: true });
      expect(other.headers['set-cookie']).toBeUndefined();
    }
    const { headers } = first;
    expect(headers['content-type']).toMatch(/^text\/html;\s*charset=utf-8$/i);
    expect(headers['cache-control']).toMatch(/public/);
    expect(headers['cache-control']).toMatch(/max-age=[1-9]/);
    expect(headers.vary ?? '').not.toMatch(/cookie|authorization|language|user-agent|\*/i);
    const again = await rawGet(page, { ...gzipped, 'if-none-match': String(headers.etag) });
    expect(again.status).toBe(304);
    const plain = await rawGet(page);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body.equals(gunzipSync(first.body))).toBe(true);
  }));

it.concurrent('a strict content security policy, and the headers that go with it', () =>
  play(async (scene) => {
    const saleId = await openSale(scene.server);
    for (const path of [`/sales/${saleId}`, '/ended', '/busy']) {
      const { headers, status } = await rawGet(scene.server.url + path);
      const policy = String(headers['content-security-policy'] ?? '');
      expect({ path, policy }).toEqual({
        path,
        policy: expect.stringMatching(/default-src 'none'|default-src 'self'/),
      });
      expect({ path, policy }).toEqual({ path, policy: expect.not.stringMatching(/unsafe-inline|unsafe-eval/) });
      expect(policy).toMatch(/base-uri 'none'/);
      expect(policy).toMatch(/form-action 'none'|form-action 'self'/);
      // Sources of scripts are named, never `*`, `https:` or `data:`.
      expect(/script-src ([^;]*)/.exec(policy)?.[1] ?? "'none'").not.toMatch(/\*|https?:(\s|$)|data:|blob:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toMatch(/no-referrer|same-origin|strict-origin/);
      expect(status).toBeLessThan(600);
    }
  }));

const PAGE_BYTES_MAX = 15 * 1024;

it.concurrent('document, scripts and styles are at most 15 KB gzipped, from the first visit to the paid order', () =>
  play(async (scene) => {
    const saleId = await openSale(scene.server);
    const visitor = await scene.visitor();
    const page = await visitor.tab();
    const sent = new Map<string, Promise<{ type: string; bytes: number; encoding: string | undefined }>>();
    page.on('response', (response) => {
      const asked = response.request();
      const type = asked.resourceType();
      if (['fetch', 'xhr', 'image', 'preflight'].includes(type)) return;
      sent.set(
        response.url(),
        asked.sizes().then(({ responseBodySize }) => ({
          type,
          bytes: responseBodySize,
          encoding: response.headers()['content-encoding'],
        })),
      );
    });
    const sale = new SalePage(page);
    await page.goto(scene.saleUrl(saleId, 'ann'));
    await sale.buy();
    await sale.reaches('held');
    await sale.press('pay');
    await sale.reaches('paid');
    const files = await Promise.all(sent.values());
    expect(files.filter(({ type }) => type === 'document')).toHaveLength(1);
    expect(files.some(({ type }) => type === 'script')).toBe(true);
    for (const { encoding, bytes, type } of files)
      if (bytes > 500) expect({ type, encoding }).toEqual({ type, encoding: expect.stringMatching(/gzip|br/) });
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    console.log(`the sale page: ${total} bytes of at most ${PAGE_BYTES_MAX}, gzipped, in ${files.length} files`);
    expect(total).toBeGreaterThan(1_000);
    expect(total).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    // The same by hand: what the browser counted is what the server sends.
    let byHand = 0;
    for (const url of sent.keys()) byHand += (await rawGet(url, gzipped)).body.length;
    expect(Math.abs(byHand - total)).toBeLessThan(200);
  }));

it.concurrent('assets may be stored for long, and are named after their content', () =>
  play(async (scene) => {
    const saleId = await openSale(scene.server);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('open');
    const assets = visitor.asked
      .map(({ url }) => url)
      .filter((url) => !url.includes('/v1/') && !url.includes('/sales/') && url.startsWith(scene.server.url));
    expect(assets.length).toBeGreaterThan(0);
    for (const url of new Set(assets)) {
      const { headers, status } = await rawGet(url);
      expect({ url, status }).toEqual({ url, status: 200 });
      const cacheControl = String(headers['cache-control']);
      expect({ url, cacheControl }).toEqual({ url, cacheControl: expect.stringMatching(/public, max-age=[1-9]/) });
      // A name that stays must be asked for again soon, or a mended page never comes.
      if (!/[-.][\w-]{8,}\.\w+$/.test(url)) expect(cacheControl).not.toMatch(/immutable|max-age=\d{6,}/);
    }
  }));

for (const name of ['ended', 'busy'] as const)
  it.concurrent(`/${name} stands alone: static, small, both languages, no script needed`, () =>
    play(async (scene) => {
      const url = `${scene.server.url}/${name}`;
      const { body, headers } = await rawGet(url, gzipped);
      const html = headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : body.toString();
      expect(headers['content-type']).toMatch(/text\/html/);
      expect(html).not.toMatch(/<script/i);
      expect(html).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
      expect(body.length).toBeLessThan(4_096);
      const visitor = await scene.visitor({ javaScriptEnabled: false, viewport: { width: 320, height: 600 } });
      const page = await visitor.tab();
      await page.goto(url);
      const text = await shownText(page.locator('body'));
      expect(text).toMatch(/[一-鿿]{4}/);
      expect(text).toMatch(/\b(sale|busy|ended|over|again)\b/i);
      // A balancer shows it in the place of any address: it needs nothing else.
      expect(visitor.asked.filter((asked) => asked.url !== url && !asked.url.endsWith('/favicon.ico'))).toEqual([]);
      const scripted = await scene.visitor({ viewport: { width: 320, height: 600 } });
      const there = await scripted.open(url);
      expect(await there.page.evaluate(sidewaysPx)).toBe(0);
      expect(await axeFaults(there.page)).toEqual([]);
      await there.page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFaults(there.page, 'colours')).toEqual([]);
    }));

it.concurrent('without JavaScript: a sentence in both languages, and the times', () =>
  play(async (scene) => {
    const opensAt = inSeconds(3 * 86_400);
    const saleId = await scheduledSale(scene.server, { title: 'Quiet sale', opensAt });
    const visitor = await scene.visitor({ javaScriptEnabled: false, viewport: { width: 320, height: 600 } });
    const page = await visitor.tab();
    await page.goto(scene.saleUrl(saleId));
    const text = await shownText(page.locator('body'));
    expect(text).toMatch(/JavaScript/);
    expect(text).toMatch(/[一-鿿]/);
    const date = new Date(opensAt);
    expect(text).toContain(String(date.getUTCFullYear()));
    expect(text).toMatch(new RegExp(`${String(date.getUTCHours()).padStart(2, '0')}:${opensAt.slice(14, 16)}`));
  }));

it.concurrent('the address is clean before anything else is asked, and the token is in no address at all', () =>
  play(async (scene) => {
    const saleId = await openSale(scene.server);
    const visitor = await scene.visitor();
    const page = await visitor.tab();
    const addresses: string[] = [];
    page.on('request', (asked) => addresses.push(`${asked.url()} ${asked.headers().referer ?? ''}`));
    await page.goto(scene.saleUrl(saleId, 'ann'), { waitUntil: 'load' });
    await page.waitForURL(scene.saleUrl(saleId), { timeout: 5_000 });
    const sale = new SalePage(page);
    await sale.buy();
    await sale.reaches('held');
    expect(addresses.filter((address) => /token|eyJ/.test(address))).toEqual([]);
    // The next tab of the same person needs no token.
    await page.reload();
    await sale.reaches('held');
  }));
