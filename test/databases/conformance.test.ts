/** The conformance suite on real database servers, with the batches of one process and of four on the same books. */
import { afterAll, describe, it } from 'vitest';
import { conformance } from '../../src/inventory/conformance/suite.ts';
import { type DatabaseKind, TestDatabase } from '../support/database.ts';
import { LedgerEngines, serverSource } from '../support/ledger-engines.ts';

const KINDS: readonly DatabaseKind[] = ['postgres', 'mariadb'];
const PROCESSES = [1, 4];

for (const kind of KINDS) {
  describe(kind, () => {
    let started: Promise<TestDatabase> | null = null;
    const server = (): Promise<TestDatabase> => {
      started ??= TestDatabase.start(kind);
      return started;
    };
    const engines = PROCESSES.map((processes) => new LedgerEngines(serverSource(kind, server, processes)));
    PROCESSES.forEach((processes, at) => {
      conformance({
        factory: () => (engines[at] as LedgerEngines).subject(),
        manifest: { engine: `sql on ${kind}, ${processes} process${processes === 1 ? '' : 'es'}`, lacks: [] },
        runner: { describe, test: (name, body) => void it(name, body) },
        onSkip: (name, why) => console.log(`skipped by manifest: ${name}: ${why}`),
      });
    });
    afterAll(async () => {
      for (const each of engines) await each.close();
      await (await started)?.close();
    });
  });
}
