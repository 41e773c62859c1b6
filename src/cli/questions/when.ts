/** The instants that an operator's answer to "when?" can mean: one, or two on a day when clocks fall back (H039). Pure. */
import type { Reading } from './answers.ts';
import { meaningOf, wallText, wallTimeOf, zonedText } from './zone-time.ts';

export interface WhenOptions {
  readonly zone: string;
  readonly nowMs: number;
  /** The opening, where the answer must come after it. */
  readonly afterMs: number | null;
}

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const UNIT_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };

export function whenOf(text: string, options: WhenOptions): Reading<readonly number[]> {
  const { zone, nowMs, afterMs } = options;
  const read = instantsOf(text.trim(), options);
  if ('allowed' in read) return read;
  const toCome = read.value.filter((ms) => ms > nowMs);
  if (toCome.length === 0) return { allowed: `A time to come; now it is ${zonedText(nowMs, zone)}.` };
  if (afterMs === null) return { value: toCome };
  const later = toCome.filter((ms) => ms > afterMs);
  return later.length > 0 ? { value: later } : { allowed: `A time after the opening, ${zonedText(afterMs, zone)}.` };
}

function instantsOf(text: string, { zone, nowMs }: WhenOptions): Reading<readonly number[]> {
  const span = /^in (\d{1,5}) ?(m|h|d)[a-z]*$/i.exec(text);
  if (span !== null) return { value: [nowMs + Number(span[1]) * (UNIT_MS[span[2]?.toLowerCase() ?? ''] ?? 0)] };
  const wall = wallTimeOf(text);
  if (wall === null) return { allowed: `A date and time like ${wallText(nowMs + WEEK_MS, zone)}, or "in 10 minutes".` };
  const meaning = meaningOf(wall, zone);
  switch (meaning.kind) {
    case 'once':
      return { value: [meaning.atMs] };
    case 'twice':
      return { value: [meaning.earlierMs, meaning.laterMs] };
    case 'never': {
      const [before, after] = [wallText(meaning.beforeMs, zone), wallText(meaning.afterMs, zone)];
      return {
        allowed: `That time does not exist in ${zone}: clocks go forward over it. The nearest are ${before} and ${after}.`,
      };
    }
  }
}
