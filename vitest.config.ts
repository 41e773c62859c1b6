/**
 * Which tests there are, in groups. `npm run check` runs `core` and `embedded`; `npm test` runs all.
 *
 * - core: beside the pure code; no files, threads or processes.
 * - embedded: conformance of the embedded engine, and the scripted transcripts.
 * - served: what starts a server and asks it a few things.
 * - browser: the pages in a real Chromium, on a real server.
 * - databases: the product on PostgreSQL and MariaDB servers that the tests start; also what of the other groups runs there.
 * - load: what keeps the machine busy for a while (crash, model, fuzz, field cases).
 *
 * Two workers at most, whatever the machine: a test that starts a server under load needs the other core for it.
 */
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first, so that no long file starts when the rest is done. Folders not named here come last. */
const LONGEST_FIRST = [
  'test/databases/',
  'test/crash/',
  'test/model/',
  'test/browser/',
  'test/fuzz/',
  'test/field/',
  'test/http/',
];

const LOAD = ['test/{crash,model,fuzz,field}/**/*.test.ts'];
const DATABASES = ['test/databases/**/*.test.ts'];
/** Of the field cases, those that meet a ledger shared by four processes hardest; the matrix runs them all. */
const DATABASE_LEDGERS = process.env.FIELD_LEDGER === undefined ? ['postgres:4', 'mariadb:4'] : [];
const FIELD_ON_DATABASES = ['test/field/{d-idempotency,e-limits,q-running}.test.ts'];
const BROWSER = ['test/browser/**/*.test.ts'];
const EMBEDDED = ['test/{conformance,transcripts}/**/*.test.ts'];

const rank = ({ moduleId, project }: TestSpecification): number => {
  const file = path.relative(project.config.root, moduleId).replaceAll(path.sep, '/');
  const at = LONGEST_FIRST.findIndex((folder) => file.startsWith(folder));
  return at === -1 ? LONGEST_FIRST.length : at;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Generous: a time-out is there to end a test that hangs, not to judge speed (that is what `npm run bench` does). */
const TIMEOUT_MS = 120_000;

const group = (name: string, include: string[], exclude: string[] = [], more: { maxConcurrency?: number } = {}) => ({
  extends: true as const,
  test: { name, include, exclude: ['**/node_modules/**', 'dist/**', ...exclude], ...more },
});

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    teardownTimeout: 30_000,
    sequence: { sequencer: LongestFirst },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], exclude: ['src/**/*.test.ts'] },
    projects: [
      group('core', ['src/**/*.test.ts', 'web/**/*.test.ts']),
      group('embedded', EMBEDDED),
      group('served', ['test/**/*.test.{ts,mjs}'], [...LOAD, ...BROWSER, ...EMBEDDED, ...DATABASES]),
      group('browser', BROWSER, [], { maxConcurrency: 3 }),
      group('databases', DATABASES),
      ...DATABASE_LEDGERS.map((ledger) => {
        const each = group(`field on ${ledger}`, FIELD_ON_DATABASES);
        return { ...each, test: { ...each.test, env: { FIELD_LEDGER: ledger } } };
      }),
      group('load', LOAD),
    ],
  },
});
