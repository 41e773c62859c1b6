/**
 * A proxy between the page and the server that does, on request, what networks do: it delays, loses the answer of a
 * request that the server has executed, cuts a connection before the server hears of it, or answers in the server's
 * place. It has one address while servers behind it come and go, and remembers every request that came through.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answered, type Asked, forward, handOver, readAsked } from './forward.ts';

/** What happens to a request that matches: each of these is one way in which a network or a balancer fails. */
export type Act =
  /** The server is asked after this wait. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The server executes it; the connection ends without an answer. */
  | { readonly kind: 'swallow' }
  /** The server executes it; the answer never comes, and the connection stays. */
  | { readonly kind: 'hang' }
  /** The connection ends before the server is asked. */
  | { readonly kind: 'cut' }
  /** The server is not asked. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: string;
    }
  /** The server is asked, and its answer changed. */
  | { readonly kind: 'rewrite'; change(answer: Answered): Answered };

export interface Fault {
  match(asked: Asked): boolean;
  /** How many matching requests it befalls; then it is over. */
  readonly times: number;
  readonly act: Act;
}

export interface Passed extends Asked {
  readonly atMs: number;
  readonly fault: Act['kind'] | null;
  /** What the server answered; null when it was not asked or is not there. */
  answer: Answered | null;
}

export class FaultProxy {
  /** The server behind; null: there is none, and every connection is cut. */
  target: string | null;
  readonly passed: Passed[] = [];
  readonly #faults: { fault: Fault; left: number }[] = [];
  readonly #server: Server;

  private constructor(target: string, server: Server) {
    this.target = target;
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async to(target: string): Promise<FaultProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FaultProxy(target, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on; the fault that was set first comes first. */
  befall(match: Fault['match'], act: Act, times = 1): void {
    this.#faults.push({ fault: { match, act, times }, left: times });
  }

  heal(): void {
    this.#faults.length = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #actFor(asked: Asked): Act | null {
    const found = this.#faults.find(({ fault, left }) => left > 0 && fault.match(asked));
    if (found === undefined) return null;
    found.left -= 1;
    return found.fault.act;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readAsked(request);
    const act = this.#actFor(asked);
    const passed: Passed = { ...asked, atMs: Date.now(), fault: act?.kind ?? null, answer: null };
    this.passed.push(passed);
    if (act?.kind === 'cut' || this.target === null) return void response.destroy();
    if (act?.kind === 'answer') return handOver(response, { ...act, body: Buffer.from(act.body) });
    if (act?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, act.ms));
    const { 'accept-encoding': encoding, ...rest } = asked.headers;
    const isRead = act?.kind === 'rewrite' || encoding === undefined;
    const headers = isRead ? rest : { ...rest, 'accept-encoding': encoding };
    passed.answer = await forward(this.target, { ...asked, headers });
    if (act?.kind === 'swallow') return void response.destroy();
    if (act?.kind === 'hang') return;
    handOver(response, act?.kind === 'rewrite' ? act.change(passed.answer) : passed.answer);
  }
}

/** An order request of any sale. */
export const isOrderRequest = ({ method, path }: Asked): boolean =>
  method === 'POST' && /^\/v1\/sales\/[^/]+\/orders(\?|$)/.test(path);
