/**
 * The architecture's rules for dependency-cruiser, made from scripts/lib/import-table.mjs: each row becomes one rule
 * "from these files to anything that the row does not name". Run through `npm run check`, which also proves that the
 * cruiser saw every file and that each rule catches a planted fault (scripts/lib/architecture.mjs).
 */
import { builtinModules } from 'node:module';
import { importTable, testPackages } from './scripts/lib/import-table.mjs';

const testFile = '\\.test\\.ts$';
const escaped = (/** @type {string} */ text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const packagePath = (/** @type {string} */ name) => `(^|/)node_modules/${escaped(name)}/`;
const nodePath = (/** @type {string} */ name) => `^(node:)?${escaped(name)}$`;

/**
 * @param {import('./scripts/lib/import-table.mjs').Row} row
 * @param {boolean} forTests for the tests beside the row's code, which may import test tools too
 * @returns {import('dependency-cruiser').IRegularForbiddenRuleType}
 */
const rule = (row, forTests) => ({
  name: forTests ? `${row.name}-test` : row.name,
  severity: 'error',
  comment: row.why,
  from: {
    path: forTests ? `(?=${row.from}).*${testFile}` : row.from,
    pathNot: [...(row.except ? [row.except] : []), ...(forTests ? [] : [testFile])],
  },
  to: {
    couldNotResolve: false,
    pathNot: [
      ...row.rooms,
      ...(row.packages === 'all' ? ['(^|/)node_modules/'] : row.packages.map(packagePath)),
      ...(row.node === 'all' ? [] : row.node.map(nodePath)),
      ...(forTests ? testPackages.map(packagePath) : []),
    ],
    ...(row.node === 'all' || forTests ? { dependencyTypesNot: ['core'] } : {}),
  },
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...importTable.map((row) => rule(row, false)),
    ...importTable.map((row) => rule(row, true)),
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'two modules that need each other are one module, or three',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'an import that leads nowhere would escape every other rule',
      from: {},
      // The storefront's styles are resolved by vite.
      to: { couldNotResolve: true, pathNot: '\\.css\\?inline$' },
    },
    {
      name: 'no-dev-package-at-run-time',
      severity: 'error',
      comment: 'an installed product has no dev dependencies',
      from: { path: '^src/', pathNot: testFile },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      comment: 'a package that package.json does not name may be gone tomorrow',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'rehearsal-scripts',
      severity: 'error',
      comment: 'the rehearsal is an outsider: it speaks the HTTP API alone',
      from: { path: '^rehearsal/' },
      to: { path: '^(src/(?!rehearsal/)|dist/|test/)' },
    },
    {
      name: 'storefront',
      severity: 'error',
      comment: 'what runs in a browser speaks the HTTP API alone',
      from: { path: '^web/' },
      to: { path: '^(src|dist|test|rehearsal|scripts)/' },
    },
    {
      name: 'auditor',
      severity: 'error',
      comment: 'the auditor judges from the invariants: it must not share code with what it judges',
      from: { path: '^test/model/auditor' },
      to: { path: '^(src|dist)/' },
    },
    {
      name: 'bench-and-tests-stay-outside',
      severity: 'error',
      comment: 'the product never imports its tests, benches or scripts',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts|rehearsal|web|dist)/' },
    },
  ],
  options: {
    doNotFollow: { path: ['(^|/)node_modules/', '^dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    detectProcessBuiltinModuleCalls: true,
    // A floor of Node 20 has no node:sqlite of its own; where it exists it is the driver.
    builtInModules: {
      override: [...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'node:sqlite'],
      add: [],
    },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
