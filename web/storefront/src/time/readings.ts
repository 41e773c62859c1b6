/** Reads the server's time: several round trips at first, one now and then, none while one is under way. */
import { call } from '../api.ts';
import { ServerClock } from './server-clock.ts';
import { backoffMs, sleep } from './waits.ts';

const READ_AGAIN_MS = 60_000;
/** The first connection is slow to open; a moment later the way is free. */
const BETWEEN_MS = 100;
const FAILURES_MAX = 5;

export class Readings {
  readonly clock = new ServerClock();
  readonly #url: string;
  readonly #stopping: AbortSignal;
  readonly #changed: () => void;
  #isReading = false;
  #readAtMs = 0;

  constructor(url: string, stopping: AbortSignal, changed: () => void) {
    this.#url = url;
    this.#stopping = stopping;
    this.#changed = changed;
  }

  isDue(nowMs: number): boolean {
    return nowMs - this.#readAtMs > READ_AGAIN_MS;
  }

  async read(times: number): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let failures = 0, done = 0; done < times && failures < FAILURES_MAX && !this.#stopping.aborted; ) {
      const sentMs = performance.now();
      const answer = await call<{ now: string }>(this.#url);
      const gotMs = performance.now();
      if (answer.ok) {
        this.clock.add({ sentMs, gotMs, serverMs: Date.parse(answer.body.now) });
        done += 1;
        this.#changed();
      } else {
        failures += 1;
        await sleep(backoffMs(failures, Math.random()));
      }
      if (done < times) await sleep(BETWEEN_MS);
    }
    this.#readAtMs = performance.now();
    this.#isReading = false;
  }
}
