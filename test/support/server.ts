/**
 * Starts a real `doorbuster serve` process for a test: an own temporary data folder, a free port of
 * 127.0.0.1, stopped by process id. The tests drive it as the outside would: over HTTP, by signals.
 * Never touches a server that it did not start.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const cliPath = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the server answered
  readonly body: any;
  readonly text: string;
}

export interface ServerOptions {
  readonly data?: string;
  readonly env?: Record<string, string>;
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const OPEN_WITHIN_MS = 10_000;

export const newFolder = (): string => mkdtempSync(path.join(tmpdir(), 'doorbuster-test-'));

/** Mints a buyer token as a shop would: HS256 over `sub`, `exp` and attributes. */
export function mintToken(
  secret: string,
  buyerId: string,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = { alg: 'HS256', typ: 'JWT' },
): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const signed = `${part(header)}.${part({ sub: buyerId, exp, ...claims })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export class TestServer {
  readonly child: ChildProcess;
  readonly data: string;
  readonly url: string;
  readonly merchantKey: string;
  readonly buyerSecret: string;
  readonly exited: Promise<Exit>;
  readonly #log: string[];
  readonly #ownsData: boolean;

  constructor(parts: {
    child: ChildProcess;
    data: string;
    url: string;
    merchantKey: string;
    buyerSecret: string;
    exited: Promise<Exit>;
    log: string[];
    ownsData: boolean;
  }) {
    this.child = parts.child;
    this.data = parts.data;
    this.url = parts.url;
    this.merchantKey = parts.merchantKey;
    this.buyerSecret = parts.buyerSecret;
    this.exited = parts.exited;
    this.#log = parts.log;
    this.#ownsData = parts.ownsData;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** Everything that the server has written to stderr (JSON lines). */
  logs(): string {
    return this.#log.join('');
  }

  token(buyerId: string, claims: Record<string, unknown> = {}): string {
    return mintToken(this.buyerSecret, buyerId, claims);
  }

  async request(
    method: string,
    target: string,
    options: { body?: unknown; rawBody?: string | Uint8Array; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const headers: Record<string, string> = { ...options.headers };
    let body: string | Uint8Array | undefined = options.rawBody;
    if (body === undefined && options.body !== undefined) body = JSON.stringify(options.body);
    if (body !== undefined && headers['content-type'] === undefined) headers['content-type'] = 'application/json';
    const answer = await fetch(this.url + target, { method, headers, body: body ?? null, redirect: 'manual' });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  }

  merchant(method: string, target: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.request(method, target, {
      ...(body === undefined ? {} : { body }),
      headers: { authorization: `Bearer ${this.merchantKey}`, ...headers },
    });
  }

  shopper(
    buyerId: string,
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    return this.request(method, target, {
      ...(body === undefined ? {} : { body }),
      headers: { authorization: `Bearer ${this.token(buyerId)}`, ...headers },
    });
  }

  /** Creates a sale (one item `tee-m`, stock 10, unless told) and opens it at once; returns its id and purchase key. */
  async openSale(settings: Record<string, unknown> = {}): Promise<{ saleId: string; purchaseKey: string }> {
    const saleId = (settings['saleId'] as string | undefined) ?? `sale-${randomUUID().slice(0, 8)}`;
    const made = await this.merchant('POST', '/v1/merchant/sales', {
      saleId,
      title: 'Test sale',
      currency: 'EUR',
      items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock: 10 }],
      ...settings,
    });
    if (made.status !== 201) throw new Error(`the sale was not made: ${made.status} ${made.text}`);
    const opened = await this.merchant('POST', `/v1/merchant/sales/${saleId}/open`);
    if (opened.status !== 200) throw new Error(`the sale did not open: ${opened.status} ${opened.text}`);
    // Of several processes behind one port, one that has yet to hear of it may answer.
    for (const untilMs = performance.now() + OPEN_WITHIN_MS; ; await sleep(20)) {
      const state = await this.request('GET', `/v1/sales/${saleId}/state`);
      const { purchaseKey } = state.body;
      if (typeof purchaseKey === 'string' || performance.now() > untilMs) return { saleId, purchaseKey };
    }
  }

  order(
    sale: { saleId: string; purchaseKey: string },
    buyerId: string,
    options: { sku?: string; quantity?: number; key?: string; token?: string } = {},
  ): Promise<Reply> {
    return this.request('POST', `/v1/sales/${sale.saleId}/orders?key=${encodeURIComponent(sale.purchaseKey)}`, {
      body: { sku: options.sku ?? 'tee-m', quantity: options.quantity ?? 1 },
      headers: {
        authorization: `Bearer ${options.token ?? this.token(buyerId)}`,
        'idempotency-key': options.key ?? randomUUID(),
      },
    });
  }

  pay(
    order: { orderId: string; amountMinor: number; currency: string },
    change: Record<string, unknown> = {},
  ): Promise<Reply> {
    return this.merchant('POST', '/v1/merchant/payments', {
      paymentId: `pay-${randomUUID()}`,
      orderId: order.orderId,
      result: 'succeeded',
      amountMinor: order.amountMinor,
      currency: order.currency,
      ...change,
    });
  }

  async books(saleId: string): Promise<Reply['body']> {
    return (await this.merchant('GET', `/v1/merchant/sales/${saleId}/books`)).body;
  }

  /** SIGTERM (or the signal given) and the exit. Removes the data folder if the test did not bring it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    const exit = await this.exited;
    if (this.#ownsData) rmSync(this.data, { recursive: true, force: true });
    return exit;
  }

  /** SIGKILL, keeping the data folder: what a crash leaves. */
  async kill(): Promise<Exit> {
    // With those that it started: a supervisor's death alone lets its processes end in order.
    const file = `/proc/${this.pid}/task/${this.pid}/children`;
    const children = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean) : [];
    for (const pid of [...children.map(Number), this.pid]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    return this.exited;
  }
}

export interface FailedStart {
  readonly exit: Exit;
  readonly stderr: string;
  readonly stdout: string;
}

const read = (file: string): string => readFileSync(file, 'utf8').trim();

/** Starts a server and waits for its line on stdout; throws with its stderr when it ends before that. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const started = await tryStart(options);
  if (started instanceof TestServer) return started;
  throw new Error(
    `the server did not start (${started.exit.code ?? started.exit.signal}): ${started.stderr}${started.stdout}`,
  );
}

/** Like startServer, but hands back how the start failed instead of throwing. */
export async function tryStart(options: ServerOptions = {}): Promise<TestServer | FailedStart> {
  const data = options.data ?? newFolder();
  const child = spawn(
    process.execPath,
    [...(options.nodeArgs ?? []), cliPath, 'serve', '--port', '0', '--data', data, ...(options.args ?? [])],
    { env: { PATH: process.env['PATH'] ?? '', ...options.env }, stdio: ['ignore', 'pipe', 'pipe'], cwd: data },
  );
  const log: string[] = [];
  let stdout = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => log.push(chunk));
  const exited = new Promise<Exit>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  const listening = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      const line = /doorbuster listening on (http:\/\/\S+)/.exec(stdout);
      if (line?.[1] !== undefined) resolve(line[1]);
    });
  });
  const first = await Promise.race([listening, exited]);
  if (typeof first !== 'string') return { exit: first, stderr: log.join(''), stdout };
  return new TestServer({
    child,
    data,
    url: first,
    merchantKey: options.env?.['DOORBUSTER_MERCHANT_KEY'] ?? read(path.join(data, 'merchant-key')),
    buyerSecret: options.env?.['DOORBUSTER_BUYER_SECRET'] ?? read(path.join(data, 'buyer-secret')),
    exited,
    log,
    ownsData: options.data === undefined,
  });
}
