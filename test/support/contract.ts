/**
 * The table "Codes of refusal" of the contract, written by hand from its text, and the judge of a single
 * answer: whatever the server says, it is either a success or a problem that this table knows. Used by the
 * contract tests and by the bad-input test; imports nothing from src/, so that it cannot inherit a mistake.
 */

export interface CodeRule {
  readonly status: number;
  readonly retryable: boolean;
  /** Codes after which something may have been taken say `unknown`; all others only ever `none`. */
  readonly effects: readonly ('none' | 'unknown')[];
}

const rule = (status: number, retryable = false, effects: CodeRule['effects'] = ['none']): CodeRule => ({
  status,
  retryable,
  effects,
});

export const codes = {
  unauthenticated: rule(401),
  forbidden: rule(403),
  wrong_purchase_key: rule(403),
  not_eligible: rule(403),
  challenge_required: rule(403, true),
  challenge_failed: rule(403, true),
  not_admitted: rule(403, true),
  not_found: rule(404),
  sold_out: rule(409),
  not_enough: rule(409),
  limit_reached: rule(409),
  sale_paused: rule(409, true),
  sale_frozen: rule(409),
  wrong_state: rule(409),
  idempotency_conflict: rule(409),
  payment_mismatch: rule(409),
  already_exists: rule(409),
  full: rule(409, true),
  sale_ended: rule(410),
  method_not_allowed: rule(405),
  unsupported_media_type: rule(415),
  too_large: rule(413),
  invalid: rule(422),
  not_open: rule(425, true),
  rate_limited: rule(429, true),
  busy: rule(503, true),
  internal: rule(500, true, ['none', 'unknown']),
  unavailable: rule(503, true, ['none', 'unknown']),
} as const satisfies Record<string, CodeRule>;

export type Code = keyof typeof codes;

/** What the judge needs of an answer, whichever client received it. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The code of a problem, or null when the answer is not one. */
export const codeOf = (answer: Answer): Code | null => {
  const body = parsed(answer.text);
  const code = isRecord(body) ? body.code : undefined;
  return typeof code === 'string' && Object.hasOwn(codes, code) ? (code as Code) : null;
};

/** Fields that only one code has. */
function detailFaults(code: Code, body: Record<string, unknown>, answer: Answer): string[] {
  const faults: string[] = [];
  if (code === 'invalid') {
    const errors = body.errors;
    const isList = Array.isArray(errors) && errors.length > 0;
    const rows: unknown[] = isList ? errors : [];
    if (!isList) faults.push('invalid without errors');
    if (!rows.every((row) => isRecord(row) && typeof row.path === 'string' && typeof row.message === 'string')) {
      faults.push('errors without path and message');
    }
  }
  if (code === 'sold_out' && !['all_held', 'sold_out'].includes(body.availability as string)) {
    faults.push(`sold_out with availability ${JSON.stringify(body.availability)}`);
  }
  if (code === 'not_enough' && !Number.isInteger(body.available)) faults.push('not_enough without available');
  if (code === 'method_not_allowed' && !answer.header('allow')) faults.push('405 without Allow');
  return faults;
}

/**
 * Everything that is wrong with an answer of status 400 or above; an empty list when it keeps the contract.
 * `transport` allows the statuses that HTTP itself demands for a request that is not HTTP (400, 408, 414, 417, 431, 501, 505),
 * beside the table's own; everything else about the problem still holds.
 */
export function problemFaults(answer: Answer, options: { transport?: boolean } = {}): string[] {
  const faults: string[] = [];
  const type = answer.header('content-type') ?? '';
  if (!/^application\/problem\+json(;|$)/.test(type)) faults.push(`content type ${JSON.stringify(type)}`);
  const body = parsed(answer.text);
  if (!isRecord(body)) return [...faults, `not a JSON object: ${answer.text.slice(0, 200)}`];
  const code = codeOf(answer);
  if (code === null) return [...faults, `unknown code ${JSON.stringify(body.code)}`];
  const known: CodeRule = codes[code];
  const transportStatus = options.transport === true && [400, 408, 414, 417, 431, 501, 505].includes(answer.status);
  if (answer.status !== known.status && !transportStatus) faults.push(`${code} with HTTP ${answer.status}`);
  if (body.status !== answer.status) faults.push(`status ${JSON.stringify(body.status)} in HTTP ${answer.status}`);
  if (body.retryable !== known.retryable) faults.push(`${code} with retryable ${JSON.stringify(body.retryable)}`);
  if (!(known.effects as readonly unknown[]).includes(body.effect)) {
    faults.push(`${code} with effect ${JSON.stringify(body.effect)}`);
  }
  for (const field of ['type', 'title', 'requestId']) {
    if (typeof body[field] !== 'string' || body[field] === '') faults.push(`no ${field}`);
  }
  const waitMs = body.retryAfterMs;
  if (waitMs !== undefined && !(typeof waitMs === 'number' && waitMs >= 0)) faults.push('retryAfterMs is no number');
  if ((waitMs === undefined) !== (answer.header('retry-after') === null)) {
    faults.push('retryAfterMs and Retry-After do not go together');
  }
  return [...faults, ...detailFaults(code, body, answer)];
}

/** Everything that is wrong with any answer: a refusal must be a problem of the table, never `internal`. */
export function answerFaults(answer: Answer, options: { transport?: boolean; head?: boolean } = {}): string[] {
  if (answer.status === 500) return [`a 500: ${answer.text.slice(0, 300)}`];
  if (answer.status < 400) {
    return codeOf(answer) === null ? [] : [`a refusal (${codeOf(answer)}) in HTTP ${answer.status}`];
  }
  if (options.head === true) return [];
  return problemFaults(answer, options);
}
