/**
 * The model test on real database servers: a seeded workload through the batchers of four server processes, each with
 * connections of its own, judged in the order in which the database took the batches (I1 to I6).
 */
import { afterAll, expect, it } from 'vitest';
import type { Act } from '../../src/core/act.ts';
import { inOrderOfTheBooks, runOnEngine } from '../model/engine.ts';
import { textOfEngineFailure } from '../model/failure-text.ts';
import { LedgerEngines, serverSource } from '../support/ledger-engines.ts';
import { onEachDatabase } from './support/each-database.ts';

const OPERATIONS = 10_000;
const SEED = 1;
const SERVERS = 4;

onEachDatabase((kind, server) => {
  const engines = new LedgerEngines(serverSource(kind, server, SERVERS));
  afterAll(() => engines.close());

  it(`${OPERATIONS} operations through ${SERVERS} batchers, nothing to object to`, async () => {
    const subject = () => engines.subject();
    const done = await runOnEngine({ operations: OPERATIONS, seed: SEED, servers: SERVERS, subject });
    const { operations, batches, sales, failure } = done;
    if (failure !== null) expect.fail(`sale seed ${failure.saleSeed}\n\n${textOfEngineFailure(failure)}`);
    expect(operations).toBeGreaterThanOrEqual(OPERATIONS);
    console.log(`${kind}: ${operations} operations in ${batches} batches and ${sales} sales, seed ${SEED}`);
  });

  it('a rule broken in one of the four is noticed', async () => {
    let engineNo = 0;
    const subject = async () => {
      const whole = await engines.subject();
      return {
        ...whole,
        // Every fourth server has forgotten how a key is spelt: its retries are orders of their own.
        another: async () => {
          const engine = await whole.another();
          if (engineNo++ % SERVERS !== 0) return engine;
          const forget = (act: Act): Act =>
            act.kind === 'claim' ? { ...act, key: `${act.key}-${act.orderId}` as never } : act;
          const act = (batch: Parameters<typeof engine.act>[0]) =>
            engine.act({ ...batch, acts: batch.acts.map(forget) });
          return { ...engine, act };
        },
      };
    };
    const { failure } = await runOnEngine({ operations: 4000, seed: SEED, servers: SERVERS, subject });
    expect(failure?.what).toMatch(/\(claim\): expected /);
  });
});

it('batches are put in the order of the books: a change first, then those that saw it', () => {
  const at = (before: number, after: number, atMs: number) => ({
    atMs,
    acts: [],
    verdicts: [],
    ledgerSeq: { before, after },
  });
  const [first, saw, second, late] = [at(0, 1, 10), at(1, 1, 12), at(1, 2, 13), at(2, 2, 15)];
  expect(inOrderOfTheBooks([late, second, saw, first])).toEqual([first, saw, second, late]);
});
