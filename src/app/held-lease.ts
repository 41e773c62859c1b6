/**
 * A lease that this process wants: asked for and renewed in the background. Work is done only under a fence that is
 * good by the monotonic clock, counted from before the lease was asked for; the ledger looks again when it acts.
 *
 *   waiting   another process has it, or the database does not answer     → held
 *   held      renewed a few times within its life                         → waiting (not renewed in time), released
 */
import type { Fence, LeaseName, Leases } from '../core/books.ts';

/** Units are to be back 10 s after a worker is lost (API.md): its lease, one look of another, one sweep. */
const LEASE_SECONDS = 5;
const EVERY_MS = 1000;

export interface HeldLeaseParts {
  readonly leases: Leases;
  readonly name: LeaseName;
  readonly holder: string;
  readonly monotonicMs: () => number;
  readonly onChange: (name: LeaseName, isHeld: boolean) => void;
}

export class HeldLease {
  readonly #parts: HeldLeaseParts;
  #fence: Fence | null = null;
  #untilMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #asking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: HeldLeaseParts) {
    this.#parts = parts;
  }

  /** The fence to act under, or null while the work is another's. */
  readonly fence = (): Fence | null => (this.#parts.monotonicMs() < this.#untilMs ? this.#fence : null);

  start(): void {
    this.#asking = this.#ask().then(() => {
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(), EVERY_MS);
    });
  }

  /** Lets another process have it at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#asking;
    const fence = this.fence();
    this.#untilMs = Number.NEGATIVE_INFINITY;
    // If the database does not hear of it, the lease runs out by itself.
    if (fence !== null) await this.#parts.leases.release(fence, this.#parts.holder).catch(() => {});
  }

  async #ask(): Promise<void> {
    const { leases, name, holder, monotonicMs, onChange } = this.#parts;
    const askedMs = monotonicMs();
    const before = this.fence() !== null;
    try {
      this.#fence = await leases.take(name, holder, LEASE_SECONDS);
      if (this.#fence !== null) this.#untilMs = askedMs + LEASE_SECONDS * 1000;
    } catch {
      // Told by the news, which asks the same database more often.
    }
    const after = this.fence() !== null;
    if (before !== after) onChange(name, after);
  }
}
