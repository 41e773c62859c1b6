/**
 * Who may import what: the architecture's import table as data. `.dependency-cruiser.mjs` turns each row into a rule,
 * `architecture.mjs` proves that every rule still bites and that every file of src/ stands in exactly one row.
 *
 * Paths are regular expressions from the root of the package. `$1` in `own` stands for the first group of `from`.
 * Whatever a row does not name is forbidden to it: rooms, node: modules and packages alike. Types count as imports.
 */

const core = '^src/core/';
const contract = '^src/inventory/contract(?:/|(?:\\.test)?\\.ts$)';
const batcher = '^src/inventory/batcher(?:/|(?:\\.test)?\\.ts$)';
const kit = '^src/kit/';
const rehearsal = '^src/rehearsal/';

/**
 * @typedef {object} Row
 * @property {string} name the rule's name in reports
 * @property {string} from the files that the row speaks of
 * @property {string} [except] files within `from` that another row speaks of
 * @property {string[]} rooms what it may import of this package
 * @property {'all' | string[]} node which node: modules
 * @property {'all' | string[]} packages which packages
 * @property {string} why shown with a violation
 */

/** @type {Row[]} */
export const importTable = [
  {
    name: 'core',
    from: core,
    rooms: [core],
    node: [],
    packages: [],
    why: 'core is pure: no I/O, clock, randomness; it imports core alone',
  },
  {
    name: 'kit',
    from: kit,
    rooms: [kit],
    node: 'all',
    packages: ['pino', 'prom-client', 'hdr-histogram-js'],
    why: 'kit is small leaf tools: node: and small libraries, nothing of the product',
  },
  {
    name: 'inventory-contract',
    from: contract,
    rooms: [contract, core, kit],
    node: [],
    packages: [],
    why: 'the contract knows core and kit',
  },
  {
    name: 'inventory-batcher',
    from: batcher,
    rooms: [batcher, contract, core, kit],
    node: [],
    packages: [],
    why: 'the batcher knows the contract, core and kit, never an engine',
  },
  {
    name: 'inventory-conformance',
    from: '^src/inventory/conformance/',
    rooms: ['^src/inventory/conformance/', batcher, contract, core, kit],
    node: [],
    packages: [],
    why: 'the suite knows the contract and the batcher; its test runner and the engine factory are handed to it',
  },
  {
    name: 'engine',
    from: '^src/inventory/(?:engines|lab)/([^/.]+)(?:/|(?:\\.test)?\\.ts$)',
    rooms: ['^src/inventory/(?:engines|lab)/$1(?:/|\\.ts$)', contract, core, kit],
    node: [],
    packages: [],
    why: 'an engine knows core, contract, kit and its own driver: never another engine, never the ledger (it gets its port)',
  },
  {
    name: 'ledger-dialect',
    from: '^src/ledger/dialects/([^/]+)/',
    rooms: ['^src/ledger/dialects/$1/', '^src/ledger/(?!dialects/)', core, kit],
    node: ['crypto', 'fs', 'fs/promises', 'module', 'path', 'sqlite', 'url', 'worker_threads'],
    packages: ['@photostructure/sqlite', 'pg', 'mysql2'],
    why: 'a dialect knows the ledger, core, kit and its database driver: never another dialect, never an engine',
  },
  {
    name: 'ledger',
    from: '^src/ledger/',
    except: '^src/ledger/dialects/[^/]+/',
    rooms: ['^src/ledger/', core, kit],
    node: ['crypto', 'fs', 'fs/promises', 'module', 'path', 'timers/promises', 'url', 'worker_threads'],
    packages: [],
    why: 'the ledger knows core, kit and database drivers: never an engine',
  },
  {
    name: 'purchase-step',
    from: '^src/purchase/([^/]+)/',
    rooms: ['^src/purchase/$1/', contract, core, kit],
    node: ['crypto'],
    packages: ['jose'],
    why: 'a step never imports another step: steps meet in core types and are wired in app',
  },
  {
    name: 'purchase-path',
    from: '^src/purchase/[^/]+\\.ts$',
    rooms: ['^src/purchase/', contract, core, kit],
    node: [],
    packages: [],
    why: 'the path is the ordered list of the steps',
  },
  {
    name: 'http',
    from: '^src/http/',
    rooms: ['^src/http/', '^src/purchase/', core, kit],
    node: ['buffer', 'crypto', 'http', 'net', 'stream', 'url', 'zlib'],
    packages: ['fastify', '@fastify/swagger', '@fastify/type-provider-typebox', 'typebox'],
    why: 'http knows purchase, core and kit; what it serves from is handed to it by app',
  },
  {
    name: 'rehearsal',
    from: rehearsal,
    rooms: [rehearsal],
    node: 'all',
    packages: ['undici', 'hdr-histogram-js'],
    why: 'the rehearsal is an outsider: it speaks the HTTP API alone',
  },
  {
    name: 'cli-that-wires',
    from: '^src/cli/(?:serve|migrate|keys|doctor|backup)\\.ts$',
    rooms: ['^src/cli/', '^src/app/', rehearsal, kit],
    node: 'all',
    packages: ['commander', 'undici', 'hdr-histogram-js'],
    why: 'serve, migrate, keys, doctor and backup work on the installation itself, through app',
  },
  {
    name: 'cli',
    from: '^src/cli/',
    except: '^src/cli/(?:serve|migrate|keys|doctor|backup)\\.ts$',
    rooms: ['^src/cli/', rehearsal, kit],
    node: 'all',
    packages: ['commander', 'undici', 'hdr-histogram-js'],
    why: 'a command speaks the HTTP API (and may start a rehearsal, which does too); only serve, migrate, keys, doctor and backup may reach into app',
  },
  {
    name: 'app',
    from: '^src/app/',
    rooms: ['^src/(?!cli/)'],
    node: 'all',
    packages: 'all',
    why: 'app wires everything, and is wired into nothing but commands',
  },
];

/** Packages that a test beside the code may import, on top of what its row allows. */
export const testPackages = ['vitest', 'fast-check'];

/** @param {string} file @returns {Row[]} the rows that speak of this file: exactly one, or the table has a gap */
export const rowsOf = (file) =>
  importTable.filter((row) => new RegExp(row.from).test(file) && !(row.except && new RegExp(row.except).test(file)));
