/**
 * The one table from refusal codes to HTTP, and the form of every refusal on the wire: problem+json (RFC 9457) with
 * code, retryable and effect. A test holds the table against the contract's. Nothing a client sent is repeated in a
 * problem but names of known fields: a mistyped secret must not come back in an error page.
 */
import type { Refusal, RefusalCode } from '../core/outcomes.ts';
import type { Effect } from '../kit/errors.ts';

export interface ProblemRule {
  readonly status: number;
  readonly retryable: boolean;
  readonly title: string;
}

const rule = (status: number, title: string, retryable = false): ProblemRule => ({ status, title, retryable });

export const PROBLEMS: Readonly<Record<RefusalCode, ProblemRule>> = {
  unauthenticated: rule(401, 'No credential, or one that is not right'),
  forbidden: rule(403, 'This credential opens another plane'),
  wrong_purchase_key: rule(403, 'The purchase key is missing or wrong'),
  not_eligible: rule(403, 'This sale is not open to this buyer'),
  challenge_required: rule(403, 'A challenge must be solved first', true),
  challenge_failed: rule(403, 'The challenge was not solved', true),
  not_admitted: rule(403, 'Not admitted from the waiting room', true),
  not_found: rule(404, 'Not found'),
  sold_out: rule(409, 'No unit is free'),
  not_enough: rule(409, 'Fewer units are free than asked'),
  limit_reached: rule(409, "The buyer's limit is reached"),
  sale_paused: rule(409, 'The sale is paused', true),
  sale_frozen: rule(409, 'The sale is frozen'),
  wrong_state: rule(409, 'Not possible in this state'),
  idempotency_conflict: rule(409, 'The Idempotency-Key was used for another request'),
  payment_mismatch: rule(409, 'The payment does not fit'),
  already_exists: rule(409, 'The id is taken'),
  full: rule(409, 'As many as can buy have been let in', true),
  sale_ended: rule(410, 'The sale has ended'),
  method_not_allowed: rule(405, 'Method not allowed'),
  unsupported_media_type: rule(415, 'Only application/json is taken'),
  too_large: rule(413, 'The body is too large'),
  invalid: rule(422, 'The request is not valid'),
  not_open: rule(425, 'The sale has not opened yet', true),
  rate_limited: rule(429, 'Too many requests', true),
  busy: rule(503, 'The server is busy', true),
  internal: rule(500, 'An error of ours', true),
  unavailable: rule(503, 'A part that is needed is down', true),
};

/** What a refusal may carry on its way out, beyond what the core says. */
export interface ProblemFacts extends Omit<Refusal, 'outcome'> {
  readonly effect?: Effect;
  readonly retryAfterMs?: number | null;
  /** HTTP demands its own status for what is no proper request (400, 408, 417, 431). */
  readonly status?: number;
}

/** A body before its request id and after it; equal refusals share one. */
export interface ProblemText {
  readonly status: number;
  readonly before: string;
  readonly after: string;
  readonly retryAfterMs: number | null;
}

export function problemText(facts: ProblemFacts): ProblemText {
  const known = PROBLEMS[facts.code];
  const status = facts.status ?? known.status;
  const retryAfterMs = facts.retryAfterMs ?? null;
  const head = { type: `urn:doorbuster:problem:${facts.code}`, title: known.title, status, detail: facts.detail };
  const tail = {
    code: facts.code,
    retryable: known.retryable,
    effect: facts.effect ?? 'none',
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    ...(facts.availability === undefined ? {} : { availability: facts.availability }),
    ...(facts.available === undefined ? {} : { available: facts.available }),
    ...(facts.minimum === undefined ? {} : { minimum: facts.minimum }),
    ...(facts.code === 'invalid' ? { errors: facts.errors ?? [{ path: '', message: facts.detail }] } : {}),
  };
  return {
    status,
    before: `${JSON.stringify(head).slice(0, -1)},"requestId":"`,
    after: `",${JSON.stringify(tail).slice(1)}`,
    retryAfterMs,
  };
}

/** Whole seconds, rounded up: a client that waits this long has waited long enough. */
export const retryAfterHeader = (retryAfterMs: number): string => String(Math.ceil(retryAfterMs / 1000));
