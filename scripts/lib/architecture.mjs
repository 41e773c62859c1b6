/**
 * The architecture check: DESIGN's import table over src/, by dependency-cruiser, and the source rules.
 *
 * A rule checker that sees nothing reports nothing, so this also fails when
 * - the cruiser's modules are not exactly the .ts files on disk (it reads TypeScript through the compiler's API, and
 *   with a compiler that has none it says "no violations, 0 modules"),
 * - a file of src/ stands in no row of the table, or in two,
 * - a planted fault is not reported by the rule that should, an allowed import is reported, or a row has no plant.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import rules from '../../.dependency-cruiser.mjs';
import { importTable, rowsOf } from './import-table.mjs';
import { plantedImports } from './planted-imports.mjs';
import { judgeSources, plantedSources } from './source-rules.mjs';

/** Below this many files in src/ the count itself is suspect: a wrong folder, a broken checkout. */
const fewestFiles = 20;

/** Folders outside src/ that a rule speaks of: the outsiders that must not share code with what they judge. */
const withRulesOfTheirOwn = ['rehearsal', 'test/model', 'web'];

/** @param {string} root @param {string} folder @returns {string[]} its .ts files, as paths from root with slashes */
const typescriptFilesIn = (root, folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .sort();

/**
 * @param {string} root
 * @param {string[]} folders
 * @returns {Promise<import('dependency-cruiser').ICruiseResult>}
 */
const cruised = async (root, folders) => {
  const { output } = await cruise(
    folders,
    { ...rules.options, baseDir: root, ruleSet: { forbidden: rules.forbidden ?? [] }, validate: true },
    {},
    { tsConfig: extractTSConfig(new URL('../../tsconfig.json', import.meta.url).pathname) },
  );
  if (typeof output === 'string') throw new Error('dependency-cruiser answered with text where a result was expected');
  return output;
};

/** @param {string} folder lays the planted tree there, with stub packages */
const plant = (folder) => {
  const write = (/** @type {string} */ file, /** @type {string} */ text) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text, { flag: 'w' });
  };
  const isFile = (/** @type {string} */ to) => to.endsWith('.ts');
  const packages = plantedImports.map(([, to]) => to).filter((to) => !isFile(to) && !to.startsWith('node:'));
  for (const name of packages) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(`node_modules/${name}/index.js`, 'export const x = 1;\n');
  }
  const dependencies = Object.fromEntries(
    packages.filter((name) => !['vitest', 'stray'].includes(name)).map((name) => [name, '1.0.0']),
  );
  write('package.json', JSON.stringify({ name: 'planted', dependencies, devDependencies: { vitest: '1.0.0' } }));
  for (const [, to] of plantedImports) if (isFile(to) && !to.includes('nowhere')) write(to, 'export const x = 1;\n');
  for (const [from, to] of plantedImports) {
    const target = isFile(to) ? path.posix.relative(path.posix.dirname(from), to) : to;
    const specifier = isFile(to) && !target.startsWith('.') ? `./${target}` : target;
    write(from, `import { x } from '${specifier}';\nexport const y = x;\n`);
  }
};

/** @param {string[]} files @returns {string[]} what is wrong with their place in the table */
const roomless = (files) =>
  files
    .map((file) => ({ file, rows: rowsOf(file).map(({ name }) => name) }))
    .filter(({ rows }) => rows.length !== 1)
    .map(({ file, rows }) => `${file}: stands in ${rows.length} rows of the import table (${rows.join(', ')})`);

/** @returns {Promise<{ faults: string[], caught: number }>} whether each rule still bites */
const selfTest = async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-architecture-'));
  try {
    plant(folder);
    const { summary } = await cruised(folder, ['src', 'rehearsal', 'test', 'web']);
    const reported = summary.violations.map(({ from, rule }) => ({ from, rule: rule.name }));
    const faults = plantedImports
      .filter(([from, , rule]) =>
        rule === null
          ? reported.some((violation) => violation.from === from)
          : !reported.some((violation) => violation.from === from && violation.rule === rule),
      )
      .map(([from, to, rule]) => `self-test: ${from} -> ${to}: ${rule ?? 'nothing'} should be reported`);
    const sources = plantedImports.map(([from]) => from).filter((from) => from.startsWith('src/'));
    faults.push(...roomless(sources).map((fault) => `self-test: ${fault}`));
    const idle = importTable.filter(({ name }) => !plantedImports.some(([, , rule]) => rule === name));
    faults.push(...idle.map(({ name }) => `self-test: no planted fault for the row ${name}`));
    for (const [rule, file, source] of plantedSources) {
      const found = judgeSources([{ file, source }]).faults;
      const right = rule === null ? found.length === 0 : found.some((fault) => fault.includes(` ${rule}: `));
      if (!right) faults.push(`self-test: ${source} in ${file}: ${rule ?? 'nothing'} should be reported`);
    }
    const caught = [...plantedImports.map(([, , rule]) => rule), ...plantedSources.map(([rule]) => rule)];
    return { faults, caught: caught.filter((rule) => rule !== null).length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** @param {string} root @returns {Promise<{ faults: string[], summary: string }>} no faults: the architecture holds */
export const checkArchitecture = async (root) => {
  const files = typescriptFilesIn(root, 'src');
  const present = ['src', ...withRulesOfTheirOwn.filter((folder) => existsSync(path.join(root, folder)))];
  const { modules, summary } = await cruised(root, present);
  const seen = new Set(modules.map(({ source }) => source).filter((source) => /^src\/.*\.ts$/.test(source)));
  const faults = summary.violations.map(
    ({ from, to, rule }) =>
      `${from} -> ${to}: ${rule.name}: ${rules.forbidden?.find(({ name }) => name === rule.name)?.comment}`,
  );
  faults.push(...files.filter((file) => !seen.has(file)).map((file) => `${file}: the rule checker did not see it`));
  if (seen.size !== files.length) faults.push(`the rule checker saw ${seen.size} of ${files.length} files in src/`);
  if (files.length < fewestFiles) faults.push(`only ${files.length} files in src/: at least ${fewestFiles} expected`);
  faults.push(...roomless(files));
  const sources = judgeSources(files.map((file) => ({ file, source: readFileSync(path.join(root, file), 'utf8') })));
  const planted = await selfTest();
  return {
    faults: [...faults, ...sources.faults, ...planted.faults],
    summary:
      `${seen.size} of ${files.length} files of src/ seen, ${importTable.length} rows, ${planted.caught} planted faults ` +
      `caught, environment in ${sources.environmentReads} places`,
  };
};
