/**
 * Operating errors: what went wrong outside our rules (a full disk, a lost connection, a queue past its bound).
 * Thrown, never returned; they carry a stable code and, above all, whether something may have been taken.
 */
export type OperatingCode = 'busy' | 'unavailable' | 'internal';
export type Effect = 'none' | 'unknown';

export class OperatingError extends Error {
  readonly code: OperatingCode;
  /** `unknown` obliges the caller to ask again with the same key. */
  readonly effect: Effect;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(
    code: OperatingCode,
    message: string,
    how: { effect: Effect; retryable?: boolean; retryAfterMs?: number | null; cause?: unknown },
  ) {
    super(message, how.cause === undefined ? {} : { cause: how.cause });
    this.name = 'OperatingError';
    this.code = code;
    this.effect = how.effect;
    this.retryable = how.retryable ?? true;
    this.retryAfterMs = how.retryAfterMs ?? null;
  }
}

/** A setting that cannot be used. Ends the start with exit code 2 and this one line. */
export class SettingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SettingError';
  }
}
