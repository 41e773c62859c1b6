/**
 * Time as the core sees it: epoch milliseconds, and RFC 3339 on the wire. Parses strictly, since
 * `Date.parse` also takes dates that no other program would write. Knows no clock.
 */
import type { EpochMs } from './scalars.ts';

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** The years that a sale may name: nobody schedules outside them, and four digits always suffice. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(9999, 0, 1);

/** Parses an RFC 3339 time (any offset) to epoch milliseconds; null where it is not one, or out of range. */
export function parseTime(text: string): EpochMs | null {
  const parts = RFC3339.exec(text);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts;
  const millis = Number(fraction.padEnd(3, '0').slice(0, 3));
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    millis,
  );
  const date = new Date(local);
  const exact = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!exact || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const at = local - offsetMsOf(zone);
  return Number.isNaN(at) || at < EARLIEST_MS || at > LATEST_MS ? null : (at as EpochMs);
}

function offsetMsOf(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** RFC 3339 in UTC with milliseconds. */
export const formatTime = (at: EpochMs): string => new Date(at).toISOString();
export const formatTimeOrNull = (at: EpochMs | null): string | null => (at === null ? null : formatTime(at));

export const addMs = (at: EpochMs, ms: number): EpochMs => (at + ms) as EpochMs;
