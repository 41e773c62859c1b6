/**
 * The model test: a seeded workload on the core and through the SQL engine on SQLite, judged by the auditor. Any number
 * of operations and any seed by hand: `node --import tsx test/model/run.ts --operations N --seed S`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { decide } from '../../src/core/decide.ts';
import { memorySubject } from '../../src/inventory/conformance/memory-engine.ts';
import { LedgerEngines, sqliteSource } from '../support/ledger-engines.ts';
import { play } from '../transcripts/play.ts';
import { parseTranscript } from '../transcripts/transcript.ts';
import { runOnEngine } from './engine.ts';
import { textOfEngineFailure, textOfFailure } from './failure-text.ts';
import { run, runSale, seedOf, shrink } from './simulate.ts';

const SEED = 1;
const CORE_OPERATIONS = 200_000;
const ENGINE_OPERATIONS = 10_000;

const sqlite = new LedgerEngines(sqliteSource());
afterAll(() => sqlite.close());

it(`${CORE_OPERATIONS} operations on the core`, () => {
  const { operations, sales, failure } = run({ operations: CORE_OPERATIONS, seed: SEED });
  if (failure !== null) expect.fail(`seed ${SEED}, sale seed ${failure.saleSeed}\n\n${textOfFailure(shrink(failure))}`);
  expect(operations).toBeGreaterThanOrEqual(CORE_OPERATIONS);
  console.log(`${operations} operations in ${sales} sales, seed ${SEED}`);
});

it(`${ENGINE_OPERATIONS} operations through the SQL engine on SQLite, from two servers at once`, async () => {
  const { operations, batches, sales, failure } = await runOnEngine({
    operations: ENGINE_OPERATIONS,
    seed: SEED,
    subject: () => sqlite.subject(),
  });
  if (failure !== null) expect.fail(`seed ${SEED}, sale seed ${failure.saleSeed}\n\n${textOfEngineFailure(failure)}`);
  expect(operations).toBeGreaterThanOrEqual(ENGINE_OPERATIONS);
  console.log(`${operations} operations in ${batches} batches and ${sales} sales, seed ${SEED}`);
});

describe('what the verdict rests on', () => {
  it('the auditor imports its own files, and nothing else', () => {
    const own = readdirSync(path.join(import.meta.dirname, 'auditor')).map((file) => `auditor/${file}`);
    expect(own.length).toBeGreaterThan(3);
    for (const file of ['auditor.ts', ...own]) {
      const source = readFileSync(path.join(import.meta.dirname, file), 'utf8');
      const imports = [...source.matchAll(/\b(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
        (match) => match[1] ?? '',
      );
      const targets = imports.map((specifier) => path.posix.join(path.posix.dirname(file), specifier));
      expect(imports.filter((specifier) => !specifier.startsWith('.'))).toEqual([]);
      expect(targets.filter((target) => target !== 'auditor.ts' && !own.includes(target))).toEqual([]);
      expect(source).not.toMatch(/\b(src|dist)\//);
    }
  });

  it('the same seed is the same workload, another one another', () => {
    const historyOf = (seed: number) => {
      const batches: string[] = [];
      runSale(seed, (state, acts, now) => {
        batches.push(JSON.stringify([now, acts]));
        return decide(state, acts, now);
      });
      return batches;
    };
    expect(historyOf(seedOf(1, 1))).toEqual(historyOf(seedOf(1, 1)));
    expect(historyOf(seedOf(1, 1))).not.toEqual(historyOf(seedOf(1, 2)));
  });

  it('a failure reads as a transcript: played again, the broken rules answer it, the true ones do not', async () => {
    const { failure } = run({ operations: 20_000, seed: SEED, rules: withoutLimit });
    if (failure === null) return expect.fail('nothing was noticed');
    const text = textOfFailure(shrink(failure, withoutLimit));
    expect(text).toMatch(/^# .*limit_reached/);
    const played = (rules?: typeof decide) =>
      play(parseTranscript(text), memorySubject(rules === undefined ? {} : { rules }));
    expect(await played(withoutLimit)).toEqual(parseTranscript(text));
    expect(await played()).not.toEqual(parseTranscript(text));
  });
});

/** Rules that have forgotten the limit. */
function withoutLimit(...[state, acts, now]: Parameters<typeof decide>): ReturnType<typeof decide> {
  return decide({ ...state, sale: { ...state.sale, limitPerBuyer: null } }, acts, now);
}
