/**
 * The engines that the suite runs on, by the folder that they live in. A new engine is one line here; that each
 * folder under src/inventory/engines and src/inventory/lab is named, conformance.test.ts makes sure.
 */
import { memorySubject } from '../../src/inventory/conformance/memory-engine.ts';
import type { Factory, Manifest } from '../../src/inventory/conformance/subject.ts';
import { LedgerEngines, sqliteSource } from '../support/ledger-engines.ts';

export interface Wired {
  /** The folder of the engine's code. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly factory: Factory;
  /** After the last case. */
  readonly close: () => Promise<void>;
}

const sqlite = new LedgerEngines(sqliteSource());

export const WIRED: readonly Wired[] = [
  {
    folder: 'conformance',
    manifest: { engine: 'memory (reference)', lacks: [] },
    factory: async () => memorySubject(),
    close: async () => {},
  },
  {
    folder: 'engines/sql',
    manifest: { engine: 'sql on SQLite', lacks: [] },
    factory: () => sqlite.subject(),
    close: () => sqlite.close(),
  },
];
