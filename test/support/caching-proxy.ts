/**
 * A shared cache in front of the server, as greedy as RFC 9111 allows: whatever is not marked `no-store` or `private`
 * is kept and served to everybody, looking at no cookie, and, where no lifetime is given, for as long as the test runs.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answered, type Asked, forward, handOver, readAsked } from './forward.ts';

export interface Stored extends Answered {
  readonly untilMs: number;
}

export interface CachingProxy {
  readonly url: string;
  readonly stored: ReadonlyMap<string, Stored>;
  /** How many requests were answered without the server. */
  hits(): number;
  close(): Promise<void>;
}

export async function startCachingProxy(target: string): Promise<CachingProxy> {
  const stored = new Map<string, Stored>();
  let hits = 0;
  const answerOf = async (asked: Asked): Promise<Answered> => {
    const key = `${asked.path} ${asked.headers['accept-encoding'] ?? ''} ${asked.headers.origin ?? ''}`;
    const known = stored.get(key);
    if (asked.method === 'GET' && known !== undefined && known.untilMs > Date.now()) {
      hits += 1;
      return known;
    }
    const { 'if-none-match': _conditional, ...headers } = asked.headers;
    const answer = await forward(target, { ...asked, headers });
    const untilMs = Date.now() + lifetimeMs(answer.headers['cache-control']);
    if (asked.method === 'GET' && answer.status === 200 && untilMs > Date.now()) {
      stored.set(key, { ...answer, untilMs });
    }
    return answer;
  };
  const server = createServer((request, response) => {
    readAsked(request)
      .then(answerOf)
      .then(
        (answer) => handOver(response, answer),
        () => response.destroy(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored,
    hits: () => hits,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function lifetimeMs(cacheControl: string | undefined): number {
  if (cacheControl === undefined) return 600_000;
  if (/no-store|private|no-cache/.test(cacheControl)) return 0;
  const seconds = /s-maxage=(\d+)/.exec(cacheControl)?.[1] ?? /max-age=(\d+)/.exec(cacheControl)?.[1];
  return seconds === undefined ? 600_000 : Number(seconds) * 1000;
}
