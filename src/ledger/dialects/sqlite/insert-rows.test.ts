import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, isConstraint, openDatabase } from './driver.ts';
import { createRowsInsert } from './insert-rows.ts';

let folder: string;
let db: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doorbuster-rows-'));
  db = openDatabase(join(folder, 'rows.db'));
  db.exec('CREATE TABLE things (seq INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, units INTEGER CHECK (units < 9))');
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

interface Thing {
  readonly name: string;
  readonly units: number;
}

const things = (count: number): Thing[] => Array.from({ length: count }, (_, n) => ({ name: `t${n}`, units: n % 9 }));
const insertInto = (onConflict?: string) =>
  createRowsInsert<Thing>(db, {
    into: 'things (name, units)',
    columns: 2,
    valuesOf: ({ name, units }) => [name, units],
    ...(onConflict === undefined ? {} : { onConflict }),
  });
const stored = () =>
  db
    .prepare('SELECT name, units FROM things ORDER BY seq')
    .all()
    .map((row) => ({ ...(row as Thing) }));

it.each([0, 1, 7, 8, 9, 31, 32, 33, 64, 75])('writes %i rows in their order and tells the last id', (count) => {
  const rows = things(count);
  expect(insertInto()(rows)).toBe(count === 0 ? null : count);
  expect(stored()).toEqual(rows);
});

it('throws the constraint error of a row in the middle; rolled back, nothing stays', () => {
  db.exec('BEGIN IMMEDIATE');
  const rows = things(40).map((row, n) => (n === 20 ? { ...row, name: 't3' } : row));
  let thrown: unknown;
  try {
    insertInto()(rows);
  } catch (error) {
    thrown = error;
  }
  expect(isConstraint(thrown)).toBe(true);
  db.exec('ROLLBACK');
  expect(stored()).toEqual([]);
});

it('changes what is there with an upsert, whose check still holds', () => {
  const put = insertInto('ON CONFLICT (name) DO UPDATE SET units = excluded.units');
  put(things(40));
  put(things(40).map((row) => ({ ...row, units: 8 })));
  expect(stored().every(({ units }) => units === 8)).toBe(true);
  expect(() => put(things(40).map((row, n) => ({ ...row, units: n === 39 ? 9 : 1 })))).toThrow(/CHECK/);
});
