/**
 * The two clocks of a process. Wall time says when a sale opens; monotonic time says how long something took,
 * and cannot be set. Everything that needs one is handed a `Clock`.
 */
export interface Clock {
  /** Milliseconds since the epoch, an integer; may jump either way. */
  wallMs(): number;
  /** Milliseconds since some fixed point, never going back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
