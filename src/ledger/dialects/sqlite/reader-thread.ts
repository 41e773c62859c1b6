/**
 * The reader: lists, books, CSV and single orders, on a read-only connection in a thread of its own, so that a
 * large list never delays a sale. Sees every commit that was acknowledged (WAL).
 */
import { parentPort, workerData } from 'node:worker_threads';
import { OperatingError } from '../../../kit/errors.ts';
import { openDatabase } from './driver.ts';
import { ledgerPath } from './folder.ts';
import { type Call, type FromWorker, sendable } from './messages.ts';
import { createReads } from './reads.ts';

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
const send = (message: FromWorker): void => port.postMessage(message);

const db = openDatabase(ledgerPath((workerData as { folder: string }).folder), { readOnly: true });
const calls = createReads(db) as unknown as Record<string, (...args: unknown[]) => unknown>;

/** A read changes nothing, so any fault of one is `unavailable` with effect none. */
const readable = (error: unknown): Error =>
  error instanceof RangeError
    ? error
    : new OperatingError('unavailable', `The ledger could not be read: ${(error as Error).message}`, {
        effect: 'none',
      });

port.on('message', ({ id, name, args }: Call) => {
  if (name === 'close') {
    db.close();
    send({ type: 'answer', id, value: null });
    port.close();
    return;
  }
  try {
    send({ type: 'answer', id, value: calls[name]?.(...args) });
  } catch (error) {
    send({ type: 'error', id, error: sendable(readable(error)) });
  }
});
send({ type: 'ready', value: null });
