/**
 * One suite for every engine (contract.ts). It takes a factory and checks that first, gets its test runner as
 * arguments, and skips by manifest only. Engines that must fail it stand in test/conformance/broken/.
 *
 * The expected values are those of API.md and DESIGN.md, written down in the cases; the suite never asks `decide`.
 */
import type { ConformanceCase } from './case.ts';
import { BATCH_CASES } from './cases/batches.ts';
import { CORRECTION_CASES } from './cases/corrections.ts';
import { DURABILITY_CASES } from './cases/durability.ts';
import { END_CASES } from './cases/ends.ts';
import { FACTORY_CASES } from './cases/factory.ts';
import { KEY_CASES } from './cases/keys.ts';
import { LIMIT_CASES } from './cases/limits.ts';
import { PAYMENT_CASES } from './cases/payments.ts';
import { PHASE_CASES } from './cases/phases.ts';
import { PLACED_CASES } from './cases/placed.ts';
import { RETAKE_CASES } from './cases/retakes.ts';
import { STOCK_CASES } from './cases/stock.ts';
import type { Factory, Manifest } from './subject.ts';

/** The factory's own cases come first: when they fail, the others say nothing. */
export const CASES: readonly ConformanceCase[] = [
  ...FACTORY_CASES,
  ...STOCK_CASES,
  ...KEY_CASES,
  ...LIMIT_CASES,
  ...END_CASES,
  ...PAYMENT_CASES,
  ...RETAKE_CASES,
  ...PHASE_CASES,
  ...PLACED_CASES,
  ...CORRECTION_CASES,
  ...BATCH_CASES,
  ...DURABILITY_CASES,
];

/** The part of a test runner that the suite needs; that of vitest, node:test and others fits. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
}

export interface ConformanceParts {
  readonly factory: Factory;
  readonly manifest: Manifest;
  readonly runner: Runner;
  /** Told of each case that the manifest skips, so that it is printed and never silent. */
  readonly onSkip: (name: string, why: string) => void;
}

export function conformance({ factory, manifest, runner, onSkip }: ConformanceParts): void {
  runner.describe(`${manifest.engine} conforms`, () => {
    for (const each of CASES) {
      const lacking = each.needs.filter((capability) => manifest.lacks.includes(capability));
      if (lacking.length > 0) onSkip(each.name, `${manifest.engine} lacks ${lacking.join(', ')}`);
      else runner.test(each.name, () => each.run(factory));
    }
  });
}
