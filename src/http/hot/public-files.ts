/**
 * What every page polls: the time and a sale's state file. No credential is looked at, nothing personal is in
 * the answer, and the file's bytes are kept until something that it shows has changed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse } from '../../core/outcomes.ts';
import { isSaleId } from '../../core/scalars.ts';
import { formatTime } from '../../core/time.ts';
import type { Log } from '../../kit/log.ts';
import type { LiveSale } from '../../purchase/sale/live-sale.ts';
import { stateFileOf } from '../../purchase/sale/state-file.ts';
import type { Shop } from '../../purchase/shop.ts';
import { writeJson, writeProblem } from '../answers.ts';
import { type Cors, corsHeaders } from '../cors.ts';
import { factsOfError } from '../faults.ts';
import { matches } from '../if-none-match.ts';
import { nextRequestId } from '../request-ids.ts';

export interface PublicParts {
  readonly shop: Shop;
  readonly log: Log;
  readonly cors: Cors;
}

/** `Vary` always: a cache must not hand one origin's answer to another. */
function allowOrigin(response: ServerResponse, origin: string | undefined, isAllowed: boolean): void {
  response.setHeader('Vary', 'Origin');
  if (origin === undefined || !isAllowed) return;
  for (const [name, value] of Object.entries(corsHeaders(origin))) response.setHeader(name, value);
}

export function answerTime(parts: PublicParts, request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  if (origin !== undefined) allowOrigin(response, origin, parts.cors.allowsSomewhere(origin));
  const body = `{"now":"${formatTime(parts.shop.now())}"}`;
  writeJson(response, { status: 200, body, requestId: nextRequestId() });
}

export function answerState(
  parts: PublicParts,
  request: IncomingMessage,
  response: ServerResponse,
  saleId: string,
): void {
  const known = parts.shop.sales.known(saleId);
  if (known !== undefined) return sendState(parts, request, response, known);
  if (!isSaleId(saleId)) return sendState(parts, request, response, null);
  parts.shop.sales.byId(saleId).then(
    (live) => sendState(parts, request, response, live),
    (error: unknown) => {
      const requestId = nextRequestId();
      writeProblem(response, factsOfError(error, parts.log, requestId), requestId);
    },
  );
}

function sendState(
  { shop, cors }: PublicParts,
  request: IncomingMessage,
  response: ServerResponse,
  live: LiveSale | null,
): void {
  const { origin } = request.headers;
  allowOrigin(response, origin, origin !== undefined && cors.allowsIn(origin, live));
  const file = live === null ? null : stateFileOf(live, shop.now());
  if (file === null) return writeProblem(response, refuse('not_found', 'There is no such sale.'), nextRequestId());
  const headers = ['Cache-Control', 'public, max-age=1', 'ETag', file.etag, 'X-Content-Type-Options', 'nosniff'];
  headers.push('Doorbuster-Request-Id', nextRequestId());
  if (matches(request.headers['if-none-match'], file.etag)) {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(file.body.length));
  response.writeHead(200, headers);
  response.end(file.body);
}
