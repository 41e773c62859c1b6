/** What both proxies of the tests do: read a request whole, ask the server behind, hand its answer over whole. */
import { request as ask, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function whole(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

export async function readAsked(request: IncomingMessage): Promise<Asked> {
  const { method = 'GET', url = '/', headers } = request;
  return { method, path: url, headers, body: await whole(request) };
}

/** Rejects when nobody answers at `target`. Each request has a connection of its own, so none is sent twice by itself. */
export function forward(target: string, { method, path, headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, target);
    const sent = ask(url, { method, headers: { ...headers, connection: 'close' }, agent: false }, (answer) => {
      whole(answer).then(
        (read) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: read }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const OF_THE_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'content-length'];

/** `Connection: close`: a browser repeats by itself what it sent on a connection that it had used before. */
export function handOver(response: ServerResponse, { status, headers, body }: Answered): void {
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
  const isBodiless = status === 304 || status === 204;
  response.writeHead(status, {
    ...Object.fromEntries(kept),
    ...(isBodiless ? {} : { 'content-length': body.length }),
    connection: 'close',
  });
  response.end(body);
}
