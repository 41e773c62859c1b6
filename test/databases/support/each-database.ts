/**
 * Each database that the product is tested on, with a server that is started once per test file and removed at its
 * end. TEST_DATABASES narrows them down (`postgres`), which is how the matrix runs one column at a time;
 * TEST_DATABASE_PROGRAMS=<folder of initdb or mariadbd> takes another version than the one that is installed.
 */
import { afterAll, describe } from 'vitest';
import { type DatabaseKind, TestDatabase } from '../../support/database.ts';

const ALL: readonly DatabaseKind[] = ['postgres', 'mariadb'];
const wanted = process.env.TEST_DATABASES?.split(',') ?? ALL;
export const KINDS = ALL.filter((kind) => wanted.includes(kind));

/** As many server processes as the matrix has columns for. */
const counts = process.env.TEST_PROCESSES;
export const PROCESSES = counts === undefined ? [1, 4] : [Number(counts)];

/** `long` work is for `npm run test:matrix`; `npm test` does a part of it. */
export const isWhole = process.env.TEST_WHOLE === '1';

export type GetDatabase = () => Promise<TestDatabase>;

export function onEachDatabase(body: (kind: DatabaseKind, database: GetDatabase) => void): void {
  for (const kind of KINDS)
    describe(kind, () => {
      let started: Promise<TestDatabase> | null = null;
      // Registered first, so that it runs last.
      afterAll(async () => (await started)?.close());
      body(kind, () => {
        started ??= TestDatabase.start(kind);
        return started;
      });
    });
}
