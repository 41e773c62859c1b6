/**
 * What is served as a page, and the script of it: all from memory, without cookies, the same bytes for everybody. The
 * ledger is asked for nothing but an unknown sale. The sale page is made anew when the sale's settings have changed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSaleId } from '../../core/scalars.ts';
import { between } from '../../kit/chance.ts';
import type { Log } from '../../kit/log.ts';
import type { LiveSale } from '../../purchase/sale/live-sale.ts';
import type { Shop } from '../../purchase/shop.ts';
import { writeProblem } from '../answers.ts';
import { factsOfError } from '../faults.ts';
import { nextRequestId } from '../request-ids.ts';
import { busyHtml, endedHtml, missingHtml, policyOf, saleHtml } from './html.ts';
import { hashOf, type StaticFile, sendFile, staticFile } from './static-file.ts';

/** Corrections of a title or a time are rare; a cache in front may keep the page this long. */
const PAGE_CACHE = 'public, max-age=30';
/** A sale may be published at any moment. */
const MISSING_CACHE = 'public, max-age=5';
const NAMED_BY_CONTENT_CACHE = 'public, max-age=31536000, immutable';
/** The name stays and the content may change with the next version. */
const STABLE_NAME_CACHE = 'public, max-age=300';
/** `busy` comes back spread over this span, so that those who were turned away together do not return together. */
const BUSY_SECONDS = { least: 20, most: 40 };

const STABLE_NAME = 'doorbuster-sale.js';

const pageHeaders = (cache: string, imageOrigins: readonly string[] = []): string[] => [
  'Content-Type',
  'text/html; charset=utf-8',
  'Cache-Control',
  cache,
  'Content-Security-Policy',
  policyOf(imageOrigins),
  'Referrer-Policy',
  'no-referrer',
];

const scriptHeaders = (cache: string): string[] => [
  'Content-Type',
  'text/javascript; charset=utf-8',
  'Cache-Control',
  cache,
  // A module of another origin is fetched with CORS; what everybody may have carries nobody's secret.
  'Access-Control-Allow-Origin',
  '*',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
];

export class Pages {
  readonly #shop: Shop;
  readonly #log: Log;
  readonly #scriptPath: string;
  readonly #assets: ReadonlyMap<string, StaticFile>;
  readonly #missing: StaticFile;
  readonly #ended = staticFile(endedHtml(), pageHeaders(PAGE_CACHE));
  readonly #busy = staticFile(busyHtml(), pageHeaders('public, max-age=1'));
  readonly #made = new WeakMap<LiveSale, { readonly version: number; readonly file: StaticFile }>();

  /** `script`: the built element. */
  constructor(shop: Shop, log: Log, script: Buffer) {
    this.#shop = shop;
    this.#log = log;
    const named = `doorbuster-sale-${hashOf(script).slice(0, 12)}.js`;
    this.#scriptPath = `/assets/${named}`;
    this.#assets = new Map([
      [named, staticFile(script, scriptHeaders(NAMED_BY_CONTENT_CACHE))],
      [STABLE_NAME, staticFile(script, scriptHeaders(STABLE_NAME_CACHE))],
    ]);
    this.#missing = staticFile(missingHtml(this.#scriptPath), pageHeaders(MISSING_CACHE));
  }

  sale(request: IncomingMessage, response: ServerResponse, saleId: string): void {
    const send = (live: LiveSale | null | undefined): void => {
      if (!live || live.sale.phase === 'draft') sendFile(request, response, this.#missing, 404);
      else sendFile(request, response, this.#pageOf(live));
    };
    const known = this.#shop.sales.known(saleId);
    if (known !== undefined || !isSaleId(saleId)) return send(known);
    this.#shop.sales.byId(saleId).then(send, (error: unknown) => {
      const requestId = nextRequestId();
      writeProblem(response, factsOfError(error, this.#log, requestId), requestId);
    });
  }

  ended(request: IncomingMessage, response: ServerResponse): void {
    sendFile(request, response, this.#ended);
  }

  busy(request: IncomingMessage, response: ServerResponse): void {
    const { least, most } = BUSY_SECONDS;
    const headers = [...this.#busy.headers, 'Refresh', String(between(least, most))];
    sendFile(request, response, { ...this.#busy, headers });
  }

  has(name: string): boolean {
    return this.#assets.has(name);
  }

  asset(request: IncomingMessage, response: ServerResponse, name: string): void {
    const file = this.#assets.get(name);
    if (file !== undefined) sendFile(request, response, file);
  }

  #pageOf(live: LiveSale): StaticFile {
    const { sale } = live;
    const made = this.#made.get(live);
    if (made?.version === sale.version) return made.file;
    const urls = [sale.look?.logoUrl ?? null, ...live.items.map(({ imageUrl }) => imageUrl)];
    const origins = new Set(urls.filter((url) => url !== null).map((url) => new URL(url).origin));
    const file = staticFile(saleHtml(sale, this.#scriptPath), pageHeaders(PAGE_CACHE, [...origins]));
    this.#made.set(live, { version: sale.version, file });
    return file;
  }
}
