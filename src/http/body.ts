/**
 * Reads a request's body up to a bound, for both the hot path and the rest. Past the bound it answers at once and
 * throws away what still comes, so that a client that writes before it reads gets the answer, and the connection can
 * go on; one that never stops is cut off. No closure per request: the state hangs on the request.
 */
import type { IncomingMessage } from 'node:http';

export const SHOPPER_BODY_BYTES_MAX = 16 * 1024;
export const MERCHANT_BODY_BYTES_MAX = 1024 * 1024;
/** How much of a body that is too large is read and thrown away before the connection is cut. */
const DISCARD_BYTES_MAX = 4 * 1024 * 1024;

/** Told once: the whole body, or that it is too large. Not told when the client goes away first. */
export interface BodyTaker {
  takeBody(body: Buffer): void;
  bodyTooLarge(): void;
}

interface Reading {
  readonly taker: BodyTaker;
  readonly bytesMax: number;
  chunks: Buffer[];
  bytes: number;
  isOver: boolean;
}

const READING = Symbol('reading');
type ReadRequest = IncomingMessage & { [READING]: Reading };

const EMPTY = Buffer.alloc(0);

/** Whether the request says that a body follows. */
export const hasBody = (request: IncomingMessage): boolean => {
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
};

export function readBody(request: IncomingMessage, bytesMax: number, taker: BodyTaker): void {
  const declared = request.headers['content-length'];
  const reading: Reading = { taker, bytesMax, chunks: [], bytes: 0, isOver: false };
  (request as ReadRequest)[READING] = reading;
  request.on('data', onData);
  if (declared !== undefined && Number(declared) > bytesMax) {
    reading.isOver = true;
    taker.bodyTooLarge();
    return;
  }
  request.on('end', onEnd);
}

function onData(this: IncomingMessage, chunk: Buffer): void {
  const reading = (this as ReadRequest)[READING];
  reading.bytes += chunk.length;
  if (reading.isOver) {
    if (reading.bytes > DISCARD_BYTES_MAX) this.socket.destroy();
    return;
  }
  if (reading.bytes <= reading.bytesMax) {
    reading.chunks.push(chunk);
    return;
  }
  reading.isOver = true;
  reading.chunks = [];
  reading.taker.bodyTooLarge();
}

function onEnd(this: IncomingMessage): void {
  const { taker, chunks, isOver } = (this as ReadRequest)[READING];
  if (isOver) return;
  const [first = EMPTY] = chunks;
  taker.takeBody(chunks.length <= 1 ? first : Buffer.concat(chunks));
}
