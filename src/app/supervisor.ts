/**
 * `serve --processes N`: one supervisor, N server processes on one port. The supervisor holds the port and nothing
 * else: it starts the processes, starts one again that died, hands signals on, and ends when they have ended.
 *
 * A process here is:
 *   starting   not yet listening                  → serving, gone
 *   serving    answers its share of connections   → gone
 *   gone       started again after a pause, unless the whole is stopping; a start that is refused ends the whole
 */
import cluster, { type Worker } from 'node:cluster';
import type { Log } from '../kit/log.ts';

/** A process that dies at every start must not keep the machine busy. */
const AGAIN_FROM_MS = 250;
const AGAIN_UP_TO_MS = 10_000;
/** A process that has served for this long was well: the next pause begins anew. */
const WELL_AFTER_MS = 30_000;

/** What a process tells the supervisor when it accepts requests. */
export interface Listening {
  readonly listening: string;
}

export const isSupervised = (): boolean => cluster.isWorker;

/** To the supervisor, from one of its processes. */
export const tellListening = (url: string): void => {
  process.send?.({ listening: url } satisfies Listening);
};

/** Runs until told to stop, or until no process can be started; resolves with the exit code. */
export function supervise(processes: number, log: Log, onListening: (url: string) => void): Promise<number> {
  return new Supervisor(processes, log, onListening).run();
}

class Supervisor {
  readonly #log: Log;
  readonly #processes: number;
  readonly #onListening: (url: string) => void;
  /** Not `cluster.workers`, which a process may leave later than it ends. */
  readonly #alive = new Set<Worker>();
  readonly #serving = new Set<number>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #hasServed = false;
  #stopping = false;
  #pauseMs = AGAIN_FROM_MS;
  #exitCode = 0;
  /** The exit code of the start that was refused; what its fellows say when they are stopped does not count. */
  #refused: number | null = null;
  #done: (code: number) => void = () => {};

  constructor(processes: number, log: Log, onListening: (url: string) => void) {
    this.#processes = processes;
    this.#log = log;
    this.#onListening = onListening;
  }

  run(): Promise<number> {
    const done = new Promise<number>((resolve) => {
      this.#done = resolve;
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#stop(signal));
    for (let each = 0; each < this.#processes; each++) this.#start();
    return done;
  }

  #start(): void {
    const startedMs = performance.now();
    const worker = cluster.fork();
    this.#alive.add(worker);
    worker.on('message', (message: Listening) => this.#onServing(worker, message));
    worker.on('exit', (code, signal) => this.#onExit(worker, { code, signal, livedMs: performance.now() - startedMs }));
  }

  #onServing(worker: Worker, { listening }: Listening): void {
    this.#serving.add(worker.id);
    if (this.#hasServed || this.#serving.size < this.#processes) return;
    this.#hasServed = true;
    this.#onListening(listening);
  }

  #onExit(worker: Worker, end: { code: number | null; signal: string | null; livedMs: number }): void {
    this.#alive.delete(worker);
    const wasServing = this.#serving.delete(worker.id);
    const { code, signal, livedMs } = end;
    if (this.#stopping) {
      this.#exitCode = Math.max(this.#exitCode, code ?? 1);
      this.#endIfAlone();
      return;
    }
    if (!wasServing && !this.#hasServed) {
      // It could not start, and said why: the others could not either, or must not.
      this.#refused = code === 0 || code === null ? 1 : code;
      this.#stop('SIGTERM');
      return;
    }
    if (livedMs > WELL_AFTER_MS) this.#pauseMs = AGAIN_FROM_MS;
    this.#log.error({ pid: worker.process.pid, code, signal, againInMs: this.#pauseMs }, 'a server process has died');
    this.#startAgain();
  }

  #startAgain(): void {
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start();
    }, this.#pauseMs);
    this.#restarts.add(timer);
    this.#pauseMs = Math.min(AGAIN_UP_TO_MS, this.#pauseMs * 2);
  }

  /** A second signal ends the processes at once, as it would end one. */
  #stop(signal: NodeJS.Signals): void {
    for (const timer of this.#restarts) clearTimeout(timer);
    this.#restarts.clear();
    for (const worker of this.#alive) worker.process.kill(this.#stopping ? 'SIGKILL' : 'SIGTERM');
    if (!this.#stopping) this.#log.info({ signal }, 'stopping all server processes');
    this.#stopping = true;
    this.#endIfAlone();
  }

  #endIfAlone(): void {
    if (this.#alive.size === 0) this.#done(this.#refused ?? this.#exitCode);
  }
}
