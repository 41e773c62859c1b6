import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpochMs } from './scalars.ts';
import { addMs, formatTime, formatTimeOrNull, parseTime } from './time.ts';

describe('parseTime', () => {
  it.each([
    ['2030-01-01T10:00:00Z', Date.UTC(2030, 0, 1, 10)],
    ['2030-01-01T10:00:00.000Z', Date.UTC(2030, 0, 1, 10)],
    ['2030-01-01T10:00:00.5Z', Date.UTC(2030, 0, 1, 10, 0, 0, 500)],
    ['2030-01-01T10:00:00.007Z', Date.UTC(2030, 0, 1, 10, 0, 0, 7)],
    // Finer than a millisecond: cut off, so that a time is never later than what was said.
    ['2030-01-01T10:00:00.123999999Z', Date.UTC(2030, 0, 1, 10, 0, 0, 123)],
    ['2030-01-01t10:00:00z', Date.UTC(2030, 0, 1, 10)],
    ['2030-01-01T12:00:00+02:00', Date.UTC(2030, 0, 1, 10)],
    ['2030-01-01T04:30:00-05:30', Date.UTC(2030, 0, 1, 10)],
    ['2030-01-01T00:15:00+14:00', Date.UTC(2029, 11, 31, 10, 15)],
    ['2030-01-01T10:00:00-00:00', Date.UTC(2030, 0, 1, 10)],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
    ['2000-01-01T00:00:00Z', Date.UTC(2000, 0, 1)],
    ['9998-12-31T23:59:59.999Z', Date.UTC(9998, 11, 31, 23, 59, 59, 999)],
  ])('%s is a time', (text, at) => {
    expect(parseTime(text)).toBe(at);
  });

  it.each([
    [''],
    ['now'],
    ['2030'],
    ['2030-01-01'],
    ['2030-01-01T10:00Z'],
    ['2030-01-01T10:00:00'],
    ['2030-01-01 10:00:00Z'],
    [' 2030-01-01T10:00:00Z'],
    ['2030-01-01T10:00:00Z '],
    ['2030-01-01T10:00:00Z\n'],
    ['2030-1-1T10:00:00Z'],
    ['+02030-01-01T10:00:00Z'],
    ['12030-01-01T10:00:00Z'],
    ['2030-00-01T10:00:00Z'],
    ['2030-13-01T10:00:00Z'],
    ['2030-01-00T10:00:00Z'],
    ['2030-01-32T10:00:00Z'],
    ['2030-02-29T10:00:00Z'],
    ['2030-04-31T10:00:00Z'],
    ['2030-01-01T24:00:00Z'],
    ['2030-01-01T10:60:00Z'],
    ['2030-01-01T10:00:60Z'],
    ['2030-01-01T10:00:00.Z'],
    ['2030-01-01T10:00:00,5Z'],
    ['2030-01-01T10:00:00.1234567890Z'],
    ['2030-01-01T10:00:00+24:00'],
    ['2030-01-01T10:00:00+02:60'],
    ['2030-01-01T10:00:00+0200'],
    ['2030-01-01T10:00:00+02'],
    ['2030-01-01T10:00:00 +02:00'],
    ['2030-01-01T10:00:00GMT'],
    ['٢٠٣٠-01-01T10:00:00Z'],
    ['1999-12-31T23:59:59Z'],
    ['0001-01-01T00:00:00Z'],
    ['9999-01-01T00:00:01Z'],
    ['Tue, 01 Jan 2030 10:00:00 GMT'],
    ['1893492000000'],
  ])('%j is none', (text) => {
    expect(parseTime(text)).toBeNull();
  });

  it('reads what formatTime writes, to the millisecond', () => {
    const times = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(9998, 11, 31) });
    fc.assert(fc.property(times, (at) => parseTime(formatTime(at as EpochMs)) === at));
  });

  it('never throws, and answers null or a whole number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const at = parseTime(text);
        return at === null || Number.isInteger(at);
      }),
    );
  });
});

it('writes RFC 3339 in UTC with milliseconds', () => {
  expect(formatTime(1_893_492_000_007 as EpochMs)).toBe('2030-01-01T10:00:00.007Z');
  expect(formatTimeOrNull(null)).toBeNull();
  expect(addMs(1_893_492_000_000 as EpochMs, 300_000)).toBe(Date.UTC(2030, 0, 1, 10, 5));
});
