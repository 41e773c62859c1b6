/**
 * The sale's public state file as the shoppers' pages see it: read by one poller for all of them, as a cache in
 * front of the server would (the file may be cached for a second, so a million pages cost one read a second).
 * Tells when the sale opens and whether a unit came back; notes a purchase key shown too early, which must never be.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorbusterApi } from './api.ts';
import type { SaleState } from './wire.ts';

const CLOSE_TO_OPENING_MS = 600;
const POLL_CLOSE_MS = 25;
const POLL_MS = 250;

export class StateFile {
  readonly #api: DoorbusterApi;
  readonly #saleId: string;
  #latest: SaleState | null = null;
  #stopped = false;
  #running: Promise<void> | null = null;
  /** The purchase key was visible while the sale was not open (I6). */
  keyShownEarly = false;

  constructor(api: DoorbusterApi, saleId: string) {
    this.#api = api;
    this.#saleId = saleId;
  }

  get latest(): SaleState | null {
    return this.#latest;
  }

  start(): void {
    this.#running = this.#poll();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Waits until the file says that the sale is open, or throws after `withinMs`. */
  async opened(withinMs: number): Promise<SaleState & { readonly purchaseKey: string }> {
    const deadline = performance.now() + withinMs;
    while (performance.now() < deadline) {
      const state = this.#latest;
      if (state?.phase === 'open' && state.purchaseKey !== undefined)
        return { ...state, purchaseKey: state.purchaseKey };
      await sleep(5);
    }
    throw new Error(`the sale did not open within ${Math.round(withinMs / 1000)} s`);
  }

  /** True while the file says that a unit of this item is free. */
  available(sku: string): boolean {
    return this.#latest?.items.find((item) => item.sku === sku)?.availability === 'available';
  }

  async #poll(): Promise<void> {
    while (!this.#stopped) {
      const state = await this.#api.state(this.#saleId);
      if (state !== null) {
        if (state.phase === 'scheduled' && state.purchaseKey !== undefined) this.keyShownEarly = true;
        this.#latest = state;
      }
      await sleep(this.#pauseMs());
    }
  }

  #pauseMs(): number {
    const opensAt = this.#latest?.phase === 'scheduled' ? this.#latest.opensAt : null;
    if (opensAt === null) return POLL_MS;
    return Date.parse(opensAt) - Date.now() < CLOSE_TO_OPENING_MS ? POLL_CLOSE_MS : POLL_MS;
  }
}
