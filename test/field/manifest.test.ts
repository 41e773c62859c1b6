/** No field case is silently missing: the manifest is held against the sources, and the check against doctored input. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { builtIssues, caseCount, manifest, type Place, places } from './manifest.ts';
import { type CheckInput, manifestFaults, type Sources } from './support/manifest-check.ts';

const sourcesIn = (folder: string): Sources =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file.endsWith('.test.ts') && file !== 'manifest.test.ts')
      .map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
  );
const sources = Object.fromEntries(
  Object.entries(places).map(([place, { folder }]) => [
    place,
    sourcesIn(fileURLToPath(new URL(folder === '.' ? '.' : `${folder}/`, import.meta.url))),
  ]),
) as Record<Place, Sources>;
const real: CheckInput = { manifest, caseCount, builtIssues, sources };

test('every field case is tested where the manifest says, or waits for something that is not built', () => {
  expect(manifestFaults(real)).toEqual([]);
  const present = Object.values(manifest).filter((entry) =>
    (Object.keys(places) as Place[]).some((place) => entry[place] !== undefined),
  );
  console.log(`field cases: ${present.length} of ${caseCount} present, ${caseCount - present.length} later`);
});

const { H001: _gone, ...without } = manifest;
const stock = sources.file['a-stock.test.ts'] as string;
const withStock = (text: string): CheckInput => ({
  ...real,
  sources: { ...sources, file: { ...sources.file, 'a-stock.test.ts': text } },
});
/** The one test of H003 begins in another way. */
const h003 = (beginning: string): CheckInput => withStock(stock.replace(/it\(\s*'H003 /, beginning));
const withEntry = (id: string, entry: object): CheckInput => ({ ...real, manifest: { ...manifest, [id]: entry } });

const doctored: readonly [string, CheckInput, RegExp][] = [
  ['a case is left out', { ...real, manifest: without }, /H001 is not in the manifest/],
  ['a case beyond the last', withEntry('H110', { later: ['issue 9: x'] }), /H110 is no field case/],
  ['a test is renamed', h003("it('H903 "), /H003: a-stock.test.ts has no test/],
  ['a test is a comment', h003("// it('H003 "), /H003: a-stock.test.ts has no test/],
  ['a test is skipped', h003("it.skip('H003 "), /it\.skip switches a test off/],
  ['a test is a plan', h003("it.todo('H003 "), /it\.todo switches a test off/],
  [
    'a case claims a test that is not there',
    withEntry('H054', { file: 'a-stock.test.ts', on: ['embedded'] }),
    /H054: a-stock/,
  ],
  [
    'a case claims a file that is not there',
    withEntry('H001', { file: 'z.test.ts', on: ['embedded'] }),
    /no file z\.test\.ts/,
  ],
  [
    'a case claims a page test that is not there',
    withEntry('H001', { file: 'a-stock.test.ts', page: 'clock.test.ts', on: ['embedded'] }),
    /H001: clock\.test\.ts has no test/,
  ],
  [
    'a case claims a test on databases that is not there',
    withEntry('H001', { file: 'a-stock.test.ts', database: 'start.test.ts', on: ['embedded'] }),
    /H001: start\.test\.ts has no test/,
  ],
  [
    'a case claims a test in a terminal that is not there',
    withEntry('H001', { file: 'a-stock.test.ts', terminal: 'show.test.ts', on: ['embedded'] }),
    /H001: there is no file show\.test\.ts/,
  ],
  [
    'a test in a terminal is not promised',
    withEntry('H039', { file: 'f-clock.test.ts', on: ['embedded'] }),
    /terminal\.test\.ts tests H039 in a terminal, the manifest does not say so/,
  ],
  [
    'a test on databases is not promised',
    withEntry('H083', { later: ['issue 9: x'] }),
    /tests H083 on databases, the manifest does not say so/,
  ],
  [
    'a page test is not promised',
    withEntry('H096', { later: ['issue 9: x'] }),
    /tests H096 on the page, the manifest does not say so/,
  ],
  ['a tested case is hidden as later', withEntry('H001', { later: ['issue 5: x'] }), /a-stock.test.ts tests H001/],
  ['a case runs nowhere', withEntry('H001', { file: 'a-stock.test.ts', on: [] }), /H001 names no configuration/],
  ['a case has no reason', withEntry('H054', { later: [] }), /H054 names neither/],
  ['a reason is no reason', withEntry('H054', { later: ['soon'] }), /H054: no such reason/],
  ['a case waits for what is built', withEntry('H054', { later: ['issue 2: x'] }), /H054 is due/],
  ['an issue is built and its cases are not', { ...real, builtIssues: [2, 6] }, /H054 is due/],
  [
    'a part without the rest',
    withEntry('H008', { file: 'a-stock.test.ts', on: ['embedded'], part: 'x' }),
    /H008: a part/,
  ],
];

test.each(doctored)('the check fails when %s', (_what, input, fault) => {
  const faults = manifestFaults(input);
  expect(faults.some((each) => fault.test(each))).toBe(true);
});
