/** The sale's state file, asked for again and again in the rhythm of time/waits.ts: what every shopper may know. */
import { call, type SaleFile } from './api.ts';
import { pollMs } from './time/waits.ts';

export interface Watcher {
  /** The server's time, or null while it is not known. */
  now(): number | null;
  /** An answer came; `isNew` where it says something else than the one before. */
  taken(file: SaleFile, isNew: boolean): void;
  changed(): void;
}

const POLL_UNKNOWN = { afterMs: 1_000, jitterMs: 500 };

export class StateFile {
  file: SaleFile | null = null;
  /** The file as text, to tell one from another. */
  text = '';
  isMissing = false;
  /** Questions without an answer since the last answer. */
  failures = 0;
  readonly #url: string;
  readonly #stopping: AbortSignal;
  readonly #watcher: Watcher;
  /** Grows each time the page was out of sight; the file is fresh if it was asked for since. */
  #sights = 0;
  #freshOf = -1;
  #timer = 0;
  #asking = new AbortController();

  constructor(url: string, stopping: AbortSignal, watcher: Watcher) {
    this.#url = url;
    this.#stopping = stopping;
    this.#watcher = watcher;
    stopping.addEventListener('abort', () => this.#interrupt());
  }

  get isFresh(): boolean {
    return this.#freshOf === this.#sights;
  }

  /** H096: nothing may be bought by what is known until the file has been asked for anew. */
  distrust(): void {
    this.#sights += 1;
    this.failures = 0;
  }

  /** Asks now, and from then on by itself. */
  async refresh(): Promise<void> {
    this.#interrupt();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const sight = this.#sights;
    const answer = await call<SaleFile>(this.#url, { signal });
    if (signal.aborted || this.#stopping.aborted) return;
    this.isMissing = !answer.ok && answer.problem.code === 'not_found';
    if (answer.ok) this.#take(answer.body, sight);
    else this.failures += 1;
    this.#watcher.changed();
    this.#timer = window.setTimeout(() => void this.refresh(), this.#pollMs());
  }

  #interrupt(): void {
    this.#asking.abort();
    clearTimeout(this.#timer);
  }

  #take(file: SaleFile, sight: number): void {
    const text = JSON.stringify(file);
    const isNew = text !== this.text;
    this.text = text;
    this.file = file;
    this.failures = 0;
    this.#freshOf = sight;
    this.#watcher.taken(file, isNew);
  }

  #pollMs(): number {
    const { file, failures } = this;
    const nowMs = this.#watcher.now();
    const until = (at: string | null | undefined): number | null =>
      at && nowMs !== null ? Date.parse(at) - nowMs : null;
    return pollMs(
      {
        phase: file?.phase ?? 'open',
        toOpeningMs: until(file?.opensAt),
        toEndMs: until(file?.endsAt),
        poll: file?.poll ?? POLL_UNKNOWN,
        isHidden: document.hidden,
        failures,
      },
      Math.random(),
    );
  }
}
