/**
 * One of the ledger's worker threads as the main thread sees it: calls that return promises. When the thread says
 * `fatal` or dies, every call in flight rejects with effect unknown, and `onFatal` is told.
 */
import { Worker } from 'node:worker_threads';
import { OperatingError } from '../../../kit/errors.ts';
import { type FromWorker, received } from './messages.ts';

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadEvents {
  readonly onFatal: (error: Error) => void;
  readonly onBroken?: (message: string, actKind: string) => void;
}

export class Thread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<unknown>;
  #lastId = 0;
  #closed = false;

  constructor(entry: URL, data: unknown, events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(entry, { workerData: data });
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.type === 'ready') resolve(message.value);
        else if (message.type === 'refused') {
          this.#closed = true;
          reject(received(message.error));
        } else this.#onMessage(message);
      });
      this.#worker.on('error', reject);
    });
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => {
      if (!this.#closed) this.#die(new Error(`a ledger thread ended with code ${code}`));
    });
  }

  /** What the thread said when it was up; rejects when it could not start. */
  ready<T>(): Promise<T> {
    return this.#ready as Promise<T>;
  }

  call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    if (this.#closed)
      return Promise.reject(new OperatingError('unavailable', 'The ledger is closed.', { effect: 'none' }));
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, name, args });
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const closing = this.call<void>('close');
    this.#closed = true;
    await closing;
  }

  #onMessage(message: Exclude<FromWorker, { type: 'ready' | 'refused' }>): void {
    if (message.type === 'fatal') return this.#die(new Error(message.message));
    if (message.type === 'broken') return this.#events.onBroken?.(message.message, message.actKind);
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === 'answer') pending?.resolve(message.value as never);
    else pending?.reject(received(message.error));
  }

  /** `onFatal` first: a process that stops at once answers nobody with something that may not be true. */
  #die(error: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.onFatal(error);
    const lost = new OperatingError('unavailable', 'The ledger has stopped.', { effect: 'unknown', cause: error });
    for (const pending of this.#pending.values()) pending.reject(lost);
    this.#pending.clear();
  }
}
