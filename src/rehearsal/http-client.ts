/**
 * The wire of a rehearsal: requests over a bounded number of kept-alive connections, and the one thing no
 * ordinary client does on purpose, a connection cut between the request and its answer. Knows nothing of sales.
 * A failed connection is thrown as `LostAnswer`: the caller cannot know what the server did and must ask again
 * with the same idempotency key.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names, first value each. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON; undefined when the answer was empty or no JSON. */
  readonly body: unknown;
}

/** The answer did not arrive: the effect of the request is unknown. */
export class LostAnswer extends Error {
  readonly effect = 'unknown';
}

/** Longer than any answer the server promises (202 comes after a second), shorter than a shopper's patience. */
const ANSWER_TIMEOUT_MS = 15_000;

export class HttpClient {
  readonly #url: URL;
  readonly #pool: Pool;

  constructor(options: { url: string; connections: number }) {
    this.#url = new URL(options.url);
    this.#pool = new Pool(this.#url.origin, {
      connections: options.connections,
      pipelining: 1,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    });
  }

  /** Sends and reads the whole answer; whatever its status, it is returned. Throws only `LostAnswer`. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const text = request.body === undefined ? null : JSON.stringify(request.body);
    const headers = text === null ? request.headers : { 'content-type': 'application/json', ...request.headers };
    try {
      const answer = await this.#pool.request({
        method: request.method,
        path: request.path,
        headers: headers ?? {},
        body: text,
      });
      return {
        status: answer.statusCode,
        headers: firstValues(answer.headers),
        body: parsed(await answer.body.text()),
      };
    } catch (error) {
      throw new LostAnswer(`${request.method} ${request.path}: no answer`, { cause: error });
    }
  }

  /**
   * Sends over a connection of its own and cuts it `cutAfterMs` after the last byte went out, without reading
   * the answer. The server may or may not have done the work: that is the point.
   */
  async sendAndCut(request: HttpRequest, cutAfterMs: number): Promise<void> {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port || 80), noDelay: true });
    socket.on('error', () => {});
    try {
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.write(serialised(request, this.#url.host), () => resolve());
      });
      await sleep(cutAfterMs);
    } finally {
      socket.destroy();
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function serialised(request: HttpRequest, host: string): string {
  const body = request.body === undefined ? '' : JSON.stringify(request.body);
  const headers = {
    host,
    ...(body === '' ? {} : { 'content-type': 'application/json' }),
    'content-length': String(Buffer.byteLength(body)),
    ...request.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${request.method} ${request.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function firstValues(headers: Readonly<Record<string, string | string[] | undefined>>): HttpAnswer['headers'] {
  const flat: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) flat[name] = Array.isArray(value) ? value[0] : value;
  return flat;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
