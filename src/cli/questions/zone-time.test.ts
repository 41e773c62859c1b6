/** Expected instants from the zones' own rules (IANA tz database), written as UTC. */
import { describe, expect, test } from 'vitest';
import { meaningOf, offsetMs, wallTimeOf, zonedText, zoneOf } from './zone-time.ts';

const meaning = (text: string, zone: string) => {
  const wall = wallTimeOf(text);
  if (wall === null) throw new Error(`no time: ${text}`);
  const found = meaningOf(wall, zone);
  const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
  if (found.kind === 'once') return iso(found.atMs);
  if (found.kind === 'twice') return [iso(found.earlierMs), iso(found.laterMs)];
  return { between: [iso(found.beforeMs), iso(found.afterMs)] };
};

describe('a time that is there once', () => {
  test.each([
    ['2026-07-01 12:00', 'Europe/Berlin', '2026-07-01T10:00'],
    ['2026-12-24 10:00', 'Europe/Berlin', '2026-12-24T09:00'],
    ['2026-03-29 01:59', 'Europe/Berlin', '2026-03-29T00:59'],
    ['2026-03-29 03:00', 'Europe/Berlin', '2026-03-29T01:00'],
    ['2026-10-25 03:00', 'Europe/Berlin', '2026-10-25T02:00'],
    ['2026-10-25 01:59', 'Europe/Berlin', '2026-10-24T23:59'],
    ['2026-11-01 00:59', 'America/New_York', '2026-11-01T04:59'],
    ['2026-11-01 02:00', 'America/New_York', '2026-11-01T07:00'],
    ['2026-11-11 00:00', 'Asia/Shanghai', '2026-11-10T16:00'],
    ['2026-10-04 02:30', 'Australia/Lord_Howe', '2026-10-03T15:30'],
    ['2026-06-01 09:15', 'Asia/Kathmandu', '2026-06-01T03:30'],
    ['2011-12-29 23:59', 'Pacific/Apia', '2011-12-30T09:59'],
    ['2011-12-31 00:00', 'Pacific/Apia', '2011-12-30T10:00'],
    ['2026-07-01 12:00', 'UTC', '2026-07-01T12:00'],
    ['2028-02-29 12:00', 'Pacific/Kiritimati', '2028-02-28T22:00'],
    ['2026-12-24 00:00', 'America/St_Johns', '2026-12-24T03:30'],
  ])('%s in %s is %s', (text, zone, expected) => expect(meaning(text, zone)).toBe(expected));
});

describe('a time that is not there (clocks spring forward)', () => {
  test.each([
    ['2026-03-29 02:30', 'Europe/Berlin', ['2026-03-29T00:59', '2026-03-29T01:00']],
    ['2026-03-29 02:00', 'Europe/Berlin', ['2026-03-29T00:59', '2026-03-29T01:00']],
    ['2026-03-29 02:59', 'Europe/Berlin', ['2026-03-29T00:59', '2026-03-29T01:00']],
    ['2026-03-08 02:30', 'America/New_York', ['2026-03-08T06:59', '2026-03-08T07:00']],
    // Half an hour, at 02:00.
    ['2026-10-04 02:15', 'Australia/Lord_Howe', ['2026-10-03T15:29', '2026-10-03T15:30']],
    // A whole day, when Samoa crossed the date line.
    ['2011-12-30 12:00', 'Pacific/Apia', ['2011-12-30T09:59', '2011-12-30T10:00']],
  ])('%s in %s', (text, zone, between) => expect(meaning(text, zone)).toEqual({ between }));
});

describe('a time that is there twice (clocks fall back)', () => {
  test.each([
    ['2026-10-25 02:30', 'Europe/Berlin', ['2026-10-25T00:30', '2026-10-25T01:30']],
    ['2026-10-25 02:00', 'Europe/Berlin', ['2026-10-25T00:00', '2026-10-25T01:00']],
    ['2026-11-01 01:30', 'America/New_York', ['2026-11-01T05:30', '2026-11-01T06:30']],
    ['2026-04-05 01:45', 'Australia/Lord_Howe', ['2026-04-04T14:45', '2026-04-04T15:15']],
  ])('%s in %s', (text, zone, both) => expect(meaning(text, zone)).toEqual(both));
});

test('every quarter of an hour of a year comes back as itself, in every zone of the tables', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Shanghai', 'Australia/Lord_Howe', 'Pacific/Apia']) {
    for (let atMs = Date.UTC(2026, 0, 1); atMs < Date.UTC(2027, 0, 1); atMs += 6.25 * 3_600_000) {
      const wall = wallTimeOf(zonedText(atMs, zone).slice(0, 16));
      if (wall === null) throw new Error('no time');
      const found = meaningOf(wall, zone);
      const all = found.kind === 'once' ? [found.atMs] : found.kind === 'twice' ? [found.earlierMs, found.laterMs] : [];
      expect(all).toContain(atMs);
    }
  }
});

test('both meanings are told apart by their offset', () => {
  const [earlier, later] = [Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30)];
  expect(zonedText(earlier, 'Europe/Berlin')).toBe('2026-10-25 02:30 UTC+02:00');
  expect(zonedText(later, 'Europe/Berlin')).toBe('2026-10-25 02:30 UTC+01:00');
  expect(zonedText(Date.UTC(2026, 0, 1), 'America/St_Johns')).toBe('2025-12-31 20:30 UTC-03:30');
  expect(offsetMs(Date.UTC(2026, 0, 1), 'Asia/Shanghai')).toBe(8 * 3_600_000);
});

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['Berlin', null],
  ['+02:00', null],
  ['', null],
])('the zone %j is %j', (text, zone) => expect(zoneOf(text)).toBe(zone));

test.each([
  '2026-02-30 10:00',
  '2026-13-01 10:00',
  '2026-01-01 24:00',
  '2026-01-01 10:60',
  '2026-01-01',
  'tomorrow',
  '',
])('%j is no time', (text) => expect(wallTimeOf(text)).toBeNull());
