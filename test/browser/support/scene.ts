/**
 * A server, a browser, and fresh visitors. Every visitor is watched: a request to another host than the server and the
 * sale's own pictures, a breach of the content security policy, an uncaught error and a buyer token in an address are
 * faults, whatever else a test looks at. Used by the tests through `stage.ts`, and by the script that takes the pictures.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { TestServer } from '../../support/server.ts';
import { deviceClock, watchPage } from './in-page.ts';
import { SalePage } from './sale-page.ts';

export interface VisitorOptions extends BrowserContextOptions {
  /** Origins that the page may ask beside the server: a proxy, the sale's pictures, the shop's own page. */
  readonly allow?: readonly string[];
  /** How wrong the device's clock is. */
  readonly clockShiftMs?: number;
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One person's browser: tabs that share their storage. */
export class Visitor {
  readonly context: BrowserContext;
  readonly asked: Asked[] = [];
  /** What went wrong in it, in words. */
  readonly faults: string[] = [];
  readonly #allowed: ReadonlySet<string>;

  constructor(context: BrowserContext, allowed: readonly string[]) {
    this.context = context;
    this.#allowed = new Set(allowed);
    context.on('request', (request) => {
      const url = request.url();
      this.asked.push({ method: request.method(), url, headers: request.headers() });
      if (/^(data|blob|about):/.test(url)) return;
      if (!this.#allowed.has(new URL(url).origin)) this.faults.push(`another host was asked: ${url}`);
      if (TOKEN.test(url)) this.faults.push(`a token in an address: ${url}`);
    });
    context.on('console', (message) => {
      const text = message.text();
      if (/CSP violation|Content Security Policy/i.test(text)) this.faults.push(text);
    });
    context.on('weberror', (error) => this.faults.push(`uncaught: ${error.error().message}`));
  }

  /** A tab without an address. */
  async tab(): Promise<Page> {
    return this.context.newPage();
  }

  /** Opens the address in a new tab; the page is there when its document is. */
  async open(url: string): Promise<SalePage> {
    const page = await this.tab();
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return new SalePage(page);
  }

  orderRequests(): Asked[] {
    return this.asked.filter(({ method, url }) => method === 'POST' && /\/v1\/sales\/[^/]+\/orders(\?|$)/.test(url));
  }
}

/** A compact JWS, whose header and claims are JSON objects. */
const TOKEN = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/;

export class Scene {
  readonly server: TestServer;
  readonly #browser: Browser;
  readonly #visitors: Visitor[] = [];
  readonly #endings: (() => Promise<unknown> | unknown)[] = [];

  constructor(server: TestServer, browser: Browser) {
    this.server = server;
    this.#browser = browser;
  }

  async visitor({ allow = [], clockShiftMs, ...options }: VisitorOptions = {}): Promise<Visitor> {
    const context = await this.#browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
    if (clockShiftMs !== undefined) await context.addInitScript(deviceClock(clockShiftMs));
    await context.addInitScript(watchPage);
    const visitor = new Visitor(context, [this.server.url, ...allow]);
    this.#visitors.push(visitor);
    return visitor;
  }

  /** The address of a sale's page, with the token that the shop hands over. */
  saleUrl(saleId: string, buyerId?: string, base = this.server.url): string {
    return `${base}/sales/${saleId}${buyerId === undefined ? '' : `#token=${this.server.token(buyerId)}`}`;
  }

  /** Done when the test is over, whatever became of it; the latest first. */
  finally(ending: () => Promise<unknown> | unknown): void {
    this.#endings.unshift(ending);
  }

  faults(): string[] {
    return this.#visitors.flatMap(({ faults }) => faults);
  }

  async close(): Promise<void> {
    await Promise.all(this.#visitors.map(({ context }) => context.close()));
    for (const ending of this.#endings) await ending();
  }
}
