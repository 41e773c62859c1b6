/**
 * The scripted transcripts, against the rules and against every engine. `UPDATE_TRANSCRIPTS=1 npx vitest run
 * test/transcripts` writes what the rules answer into the files; the difference is then read like any other change.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { memorySubject } from '../../src/inventory/conformance/memory-engine.ts';
import { LedgerEngines, sqliteSource } from '../support/ledger-engines.ts';
import { actOf, lineOf } from './language/act-line.ts';
import { play } from './play.ts';
import { parseTranscript, printTranscript } from './transcript.ts';

const folder = path.join(import.meta.dirname, 'cases');
const files = readdirSync(folder).filter((file) => file.endsWith('.txt'));
const isUpdate = process.env.UPDATE_TRANSCRIPTS === '1';
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
/** An engine on a real clock cannot wait five minutes for a hold to run out. */
const takesTime = (text: string): boolean => /^pass |(?:opens|ends)At=/m.test(text);

const sqlite = new LedgerEngines(sqliteSource());
afterAll(() => sqlite.close());

it('there are transcripts, also for engines on a real clock', () => {
  expect(files.length).toBeGreaterThanOrEqual(12);
  expect(files.filter((file) => !takesTime(read(file))).length).toBeGreaterThanOrEqual(4);
});

it('a line says an act, and the act says that line', () => {
  const lines = files
    .flatMap((file) => parseTranscript(read(file)))
    .flatMap((part) => (typeof part === 'string' ? [] : part.commands))
    .filter((line) => !/^(sale|item|pass|books)\b/.test(line));
  expect(lines.length).toBeGreaterThan(200);
  for (const line of lines) expect(actOf(lineOf(actOf(line, 0), 0), 0), line).toEqual(actOf(line, 0));
});

it('a line that says no act is refused', () => {
  for (const line of ['', 'buy a amy', 'correct endsAt=soon']) expect(() => actOf(line, 0)).toThrow();
});

describe('the rules answer', () => {
  it.each(files)('%s', async (file) => {
    const text = read(file);
    const answered = printTranscript(await play(parseTranscript(text), memorySubject()));
    if (isUpdate) writeFileSync(path.join(folder, file), answered);
    else expect(answered).toBe(text);
  });
});

describe('the SQL engine on SQLite answers the same', () => {
  it.each(files.filter((file) => !takesTime(read(file))))('%s', async (file) => {
    const text = read(file);
    expect(printTranscript(await play(parseTranscript(text), await sqlite.subject()))).toBe(text);
  });
});
