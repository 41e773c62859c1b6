/**
 * Local times of a zone, by Intl alone: which instants a wall clock's reading means (field case H039). A day on which
 * clocks spring forward lacks some readings, one on which they fall back has some twice. Pure: knows no clock.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** No zone is or was farther from UTC than this, and no shift of a clock larger than a day (Apia skipped one in 2011). */
const FARTHEST_MS = 26 * HOUR_MS;

/** What a clock on the wall shows. */
export interface WallTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/**
 * - `once`: one instant.
 * - `twice`: clocks fall back over it; `earlier` comes first.
 * - `never`: clocks spring forward over it; `before` is the last minute ahead of the gap, `after` the first one past it.
 */
export type Meaning =
  | { readonly kind: 'once'; readonly atMs: number }
  | { readonly kind: 'twice'; readonly earlierMs: number; readonly laterMs: number }
  | { readonly kind: 'never'; readonly beforeMs: number; readonly afterMs: number };

export function meaningOf(wall: WallTime, zone: string): Meaning {
  const asUtcMs = utcOf(wall);
  const instants = instantsOf(asUtcMs, zone);
  const [first, second] = instants;
  if (first !== undefined && second !== undefined) return { kind: 'twice', earlierMs: first, laterMs: second };
  if (first !== undefined) return { kind: 'once', atMs: first };
  // Inside a gap the reading by the offset of before lies past the jump, and by the offset of after ahead of it.
  let before = asUtcMs - FARTHEST_MS - HOUR_MS;
  let after = asUtcMs + FARTHEST_MS + HOUR_MS;
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (readingOf(middle, zone) < asUtcMs) before = middle;
    else after = middle;
  }
  return { kind: 'never', beforeMs: before, afterMs: after };
}

/** Every instant at which a clock of the zone shows this reading, ascending: none, one or two. */
function instantsOf(asUtcMs: number, zone: string): number[] {
  // Offsets in force around it; a reading can only be meant by one of them.
  const around = [-FARTHEST_MS, -HOUR_MS, 0, HOUR_MS, FARTHEST_MS].map((ms) => asUtcMs + ms);
  const offsets = new Set([...around, ...around.map((ms) => ms - offsetMs(ms, zone))].map((ms) => offsetMs(ms, zone)));
  const instants = [...offsets].map((offset) => asUtcMs - offset).filter((ms) => readingOf(ms, zone) === asUtcMs);
  return [...new Set(instants)].sort((a, b) => a - b);
}

/** How far the zone's clocks are ahead of UTC at this instant. */
export const offsetMs = (atMs: number, zone: string): number => readingOf(atMs, zone) - atMs;

/** What a clock of the zone shows, as if it were UTC. */
function readingOf(atMs: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const millis = ((atMs % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + millis;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const options = {
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const;
  const made = new Intl.DateTimeFormat('en-US-u-ca-iso8601', { ...options, timeZone: zone, hourCycle: 'h23' });
  formats.set(zone, made);
  return made;
}

const utcOf = ({ year, month, day, hour, minute }: WallTime): number => Date.UTC(year, month - 1, day, hour, minute);

/** `2026-10-25 02:30 UTC+02:00`: the reading with its offset, so that nothing is left open. */
export const zonedText = (atMs: number, zone: string): string =>
  `${wallText(atMs, zone)} ${offsetText(offsetMs(atMs, zone))}`;

/** `2026-10-25 02:30`. */
export const wallText = (atMs: number, zone: string): string =>
  new Date(readingOf(atMs, zone)).toISOString().slice(0, 16).replace('T', ' ');

function offsetText(ms: number): string {
  const minutes = Math.abs(Math.round(ms / MINUTE_MS));
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `UTC${ms < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** The canonical name of a zone that Intl knows; null for any other. */
export function zoneOf(text: string): string | null {
  // Offsets like +02:00 are taken by Intl but name no zone: clocks there never change.
  if (!/^[A-Za-z]/.test(text)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** `2026-12-24 10:00`, also with a T; null where it is no date and time that a calendar has. */
export function wallTimeOf(text: string): WallTime | null {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})[ T]+(\d{1,2}):(\d{2})$/.exec(text.trim());
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = parts.slice(1).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour <= 23 && minute <= 59;
  return isReal ? { year, month, day, hour, minute } : null;
}
