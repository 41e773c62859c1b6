/**
 * The conformance suite and the transcripts on real database servers, with the batches of one process and of four on
 * the same books; and the matrix of engine × case, which must have no empty cell.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CASES, conformance } from '../../src/inventory/conformance/suite.ts';
import { LedgerEngines, serverSource } from '../support/ledger-engines.ts';
import { printMatrix } from '../support/matrix.ts';
import { play } from '../transcripts/play.ts';
import { parseTranscript, printTranscript } from '../transcripts/transcript.ts';
import { KINDS, onEachDatabase, PROCESSES } from './support/each-database.ts';

const transcripts = path.join(import.meta.dirname, '../transcripts/cases');
/** An engine on a real clock cannot wait five minutes for a hold to run out. */
const takesTime = (text: string): boolean => /^pass |(?:opens|ends)At=/m.test(text);
const texts = readdirSync(transcripts)
  .filter((file) => file.endsWith('.txt'))
  .map((file): [string, string] => [file, readFileSync(path.join(transcripts, file), 'utf8')])
  .filter(([, text]) => !takesTime(text));

const columns = KINDS.flatMap((kind) => PROCESSES.map((processes) => nameOf(kind, processes)));
const marks = new Map<string, Map<string, string>>(columns.map((name) => [name, new Map()]));
const rows = [...CASES.map(({ name }) => name), ...texts.map(([file]) => `transcript: ${file}`)];

function nameOf(kind: string, processes: number): string {
  return `${kind} × ${processes}`;
}

/** A test that leaves its mark. */
const marked = (column: string) => (name: string, row: string, body: () => Promise<void>) =>
  it(name, async () => {
    marks.get(column)?.set(row, 'FAILED');
    await body();
    marks.get(column)?.set(row, 'passed');
  });

onEachDatabase((kind, server) => {
  for (const processes of PROCESSES) {
    const column = nameOf(kind, processes);
    const engines = new LedgerEngines(serverSource(kind, server, processes));
    const test = marked(column);
    conformance({
      factory: () => engines.subject(),
      manifest: { engine: `sql on ${column}`, lacks: [] },
      runner: { describe, test: (name, body) => test(name, name, body) },
      onSkip: (name) => expect.fail(`${name} was skipped`),
    });
    describe(`transcripts on ${column}`, () => {
      for (const [file, text] of texts)
        test(file, `transcript: ${file}`, async () => {
          expect(printTranscript(await play(parseTranscript(text), await engines.subject()))).toBe(text);
        });
    });
    afterAll(() => engines.close());
  }
});

afterAll(() => printMatrix('engine × case', rows, columns, (row, column) => marks.get(column)?.get(row)));

it('the matrix has no empty cell', () => {
  expect(texts.length).toBeGreaterThanOrEqual(4);
  for (const column of columns) expect(rows.filter((row) => !marks.get(column)?.has(row))).toEqual([]);
});
