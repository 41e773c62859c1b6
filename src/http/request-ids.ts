/**
 * Request ids: ours, never a client's. A random name of the process and a counter, of constant length, so that equal
 * answers stay equally long. Not secret; they tie an answer to a line in the log.
 */
import { randomBytes } from 'node:crypto';

const COUNTER_DIGITS = 8;
/** 36^8: a process that served a million requests a second would begin anew after 32 days. */
const COUNTER_END = 36 ** COUNTER_DIGITS;

export const REQUEST_ID_LENGTH = 12 + COUNTER_DIGITS;

const processName = randomBytes(6).toString('hex');
let counter = 0;

export function nextRequestId(): string {
  counter = (counter + 1) % COUNTER_END;
  return processName + counter.toString(36).padStart(COUNTER_DIGITS, '0');
}
