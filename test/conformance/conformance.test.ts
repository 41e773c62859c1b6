/** The conformance suite on every engine, and a matrix of engine × case, so that none is silently unwired. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CASES, conformance } from '../../src/inventory/conformance/suite.ts';
import { WIRED } from './wired.ts';

type Mark = 'passed' | 'FAILED' | 'skipped';
const marks = new Map<string, Map<string, Mark>>();

const inventory = path.join(import.meta.dirname, '../../src/inventory');
const foldersOf = (place: string): string[] => {
  const folder = path.join(inventory, place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .map((entry) => `${place}/${entry.name.replace(/\.ts$/, '')}`);
};

it('every engine of the product is wired here', () => {
  const engines = [...foldersOf('engines'), ...foldersOf('lab')];
  expect(engines.length).toBeGreaterThan(0);
  expect(engines.filter((folder) => !WIRED.some((wired) => wired.folder === folder))).toEqual([]);
});

it('the suite has names that are told apart', () => {
  expect(new Set(CASES.map((each) => each.name)).size).toBe(CASES.length);
  expect(CASES.length).toBeGreaterThan(50);
});

for (const { manifest, factory } of WIRED) {
  const ours = new Map<string, Mark>();
  marks.set(manifest.engine, ours);
  const test = (name: string, body: () => Promise<void>) =>
    it(name, async () => {
      ours.set(name, 'FAILED');
      await body();
      ours.set(name, 'passed');
    });
  conformance({
    factory,
    manifest,
    runner: { describe, test },
    onSkip: (name, why) => {
      ours.set(name, 'skipped');
      console.log(`skipped by manifest: ${name}: ${why}`);
    },
  });
}

afterAll(async () => {
  for (const { close } of WIRED) await close();
  const engines = WIRED.map(({ manifest }) => manifest.engine);
  const width = Math.max(...CASES.map((each) => each.name.length));
  const line = (name: string, cells: readonly string[]) =>
    [name.padEnd(width), ...cells.map((cell, at) => cell.padEnd(engines[at]?.length ?? 0))].join('  ').trimEnd();
  const rows = CASES.map(({ name }) =>
    line(
      name,
      engines.map((engine) => marks.get(engine)?.get(name) ?? 'NOT RUN'),
    ),
  );
  console.log([line('engine × case', engines), ...rows].join('\n'));
});

describe('the matrix', () => {
  it('has no empty cell', () => {
    for (const { manifest } of WIRED)
      expect(CASES.filter(({ name }) => !marks.get(manifest.engine)?.has(name)).map(({ name }) => name)).toEqual([]);
  });
});
