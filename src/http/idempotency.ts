/**
 * The Idempotency-Key of every POST but orders: optional, checked for its form, bound to caller, route and body.
 * Acts carry it into the sale's atomic step, which remembers it together with what the act changed (I3).
 */
import type { FastifyRequest } from 'fastify';
import type { RequestKey } from '../core/act.ts';
import { isIdempotencyKey } from '../core/scalars.ts';
import { fingerprintOf } from './fingerprint.ts';
import { invalid, RefusedError } from './outcome.ts';

const HEADER = 'idempotency-key';

/** Throws `invalid` for a key that is none. */
export function checkIdempotencyKey(request: FastifyRequest): void {
  const key = request.headers[HEADER];
  if (key === undefined || (typeof key === 'string' && isIdempotencyKey(key))) return;
  throw new RefusedError(
    invalid([{ path: '/headers/idempotency-key', message: 'must be 1 to 255 visible ASCII characters' }]),
  );
}

/** The request's key, or null where it has none. `caller`: `merchant` or `buyer:<exact id>`. */
export function requestKeyOf(request: FastifyRequest, caller: string): RequestKey | null {
  const key = request.headers[HEADER];
  if (typeof key !== 'string') return null;
  const route = `${request.method} ${request.routeOptions.url} ${JSON.stringify(request.params)}`;
  return { caller, route, key, fingerprint: fingerprintOf(request.body ?? {}) };
}

/** As a part of an act, where there is one. */
export function keyed(request: FastifyRequest, caller: string): { request?: RequestKey } {
  const key = requestKeyOf(request, caller);
  return key === null ? {} : { request: key };
}
