/**
 * How long the page waits before it asks again. Every wait is spread by chance: a million pages that lost the same
 * server, or wait for the same opening, must not come back in the same instant.
 */

export interface PollFacts {
  readonly phase: 'scheduled' | 'open' | 'paused' | 'ended';
  /** Milliseconds until the opening by the server's clock; null where there is none or nobody knows the time. */
  readonly toOpeningMs: number | null;
  readonly toEndMs: number | null;
  readonly poll: { readonly afterMs: number; readonly jitterMs: number };
  readonly isHidden: boolean;
  /** Attempts that failed since the last answer. */
  readonly failures: number;
}

/** What nobody looks at may be older. */
const HIDDEN_MS = 15_000;
/** A sale that opens much later may still be moved or opened by hand. */
const FAR_MS = 120_000;
const FAR_POLL_MS = 10_000;
/** A sale without an opening time is opened by hand, at any moment. */
const UNKNOWN_POLL_MS = 3_000;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 30_000;

/** Doubles with each failure; `chance` is 0 to 1. Half of it is certain, so that it is never next to nothing. */
export const backoffMs = (failures: number, chance: number): number =>
  Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1)) * (0.5 + chance);

/** When to ask for the state file next, in milliseconds from now. */
export function pollMs({ phase, toOpeningMs, toEndMs, poll, isHidden, failures }: PollFacts, chance: number): number {
  const jitterMs = poll.jitterMs * chance;
  if (failures > 0) return backoffMs(failures, chance);
  let waitMs = poll.afterMs + jitterMs;
  if (phase === 'scheduled') {
    if (toOpeningMs === null) waitMs += UNKNOWN_POLL_MS;
    // Never earlier than the opening itself, or all pages would learn of it a whole poll later.
    else if (toOpeningMs > 0)
      waitMs = Math.min(toOpeningMs + jitterMs, toOpeningMs > FAR_MS ? FAR_POLL_MS * (1 + chance) : FAR_MS);
  }
  if (isHidden) waitMs = Math.max(waitMs, HIDDEN_MS * (1 + chance));
  // The end comes by itself, whatever the rhythm.
  if (toEndMs !== null && toEndMs > 0 && phase !== 'ended') waitMs = Math.min(waitMs, toEndMs + jitterMs);
  return waitMs;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
