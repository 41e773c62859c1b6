/**
 * Loaded into a served process by `node --import`: its wall clock (Date) runs as many milliseconds ahead as the file
 * named by FIELD_CLOCK_FILE says, read anew every 50 ms, in every thread. The monotonic clock is left alone.
 */
import { readFileSync } from 'node:fs';

const file = process.env.FIELD_CLOCK_FILE;
const RealDate = Date;
let aheadMs = 0;

function read() {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // Not written yet: the clock is right.
  }
}

globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + aheadMs;
  }
};

if (file !== undefined) {
  read();
  setInterval(read, 50).unref();
}
