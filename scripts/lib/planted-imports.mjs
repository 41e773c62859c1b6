/**
 * Faults planted to test the architecture rules: a small tree of modules, each with one import, and the rule that must
 * report it; null where the import is allowed, so that a rule that reports everything fails too.
 */

const contract = 'src/inventory/contract/x.ts';
const sqlEngine = 'src/inventory/engines/sql/x.ts';
const redisEngine = 'src/inventory/engines/redis/x.ts';

/** Imported module, importing module, rule. @type {[from: string, to: string, rule: string | null][]} */
export const plantedImports = [
  ['src/core/to-kit.ts', 'src/kit/x.ts', 'core'],
  ['src/core/to-node.ts', 'node:fs', 'core'],
  ['src/core/to-package.ts', 'jose', 'core'],
  ['src/core/to-core.ts', 'src/core/x.ts', null],
  ['src/core/x.test.ts', 'vitest', null],
  ['src/core/y.test.ts', 'src/ledger/x.ts', 'core-test'],
  ['src/kit/to-core.ts', 'src/core/x.ts', 'kit'],
  ['src/kit/to-package.ts', 'fastify', 'kit'],
  ['src/kit/to-node.ts', 'node:fs', null],
  ['src/kit/to-pino.ts', 'pino', null],
  ['src/inventory/contract/to-batcher.ts', 'src/inventory/batcher/x.ts', 'inventory-contract'],
  ['src/inventory/batcher/to-engine.ts', sqlEngine, 'inventory-batcher'],
  ['src/inventory/batcher/to-contract.ts', contract, null],
  ['src/inventory/conformance/to-runner.ts', 'vitest', 'inventory-conformance'],
  ['src/inventory/conformance/to-batcher.ts', 'src/inventory/batcher/x.ts', null],
  ['src/inventory/conformance/to-engine.ts', sqlEngine, 'inventory-conformance'],
  ['src/inventory/engines/sql/to-engine.ts', redisEngine, 'engine'],
  ['src/inventory/engines/sql/to-ledger.ts', 'src/ledger/x.ts', 'engine'],
  ['src/inventory/engines/sql/to-own.ts', sqlEngine, null],
  ['src/inventory/engines/sql/to-contract.ts', contract, null],
  ['src/inventory/lab/naive.ts', sqlEngine, 'engine'],
  ['src/ledger/to-engine.ts', sqlEngine, 'ledger'],
  ['src/ledger/to-contract.ts', contract, 'ledger'],
  ['src/ledger/to-core.ts', 'src/core/x.ts', null],
  ['src/ledger/dialects/sqlite/to-dialect.ts', 'src/ledger/dialects/mysql/x.ts', 'ledger-dialect'],
  ['src/ledger/dialects/sqlite/to-driver.ts', 'node:sqlite', null],
  ['src/purchase/order/to-step.ts', 'src/purchase/payment/x.ts', 'purchase-step'],
  ['src/purchase/order/to-ledger.ts', 'src/ledger/x.ts', 'purchase-step'],
  ['src/purchase/order/to-own.ts', 'src/purchase/order/x.ts', null],
  ['src/purchase/path.ts', 'src/purchase/order/x.ts', null],
  ['src/purchase/other.ts', 'src/http/x.ts', 'purchase-path'],
  ['src/http/to-ledger.ts', 'src/ledger/x.ts', 'http'],
  ['src/http/to-app.ts', 'src/app/x.ts', 'http'],
  ['src/http/to-purchase.ts', 'src/purchase/path.ts', null],
  ['src/cli/books.ts', 'src/app/x.ts', 'cli'],
  ['src/cli/sale.ts', 'src/core/x.ts', 'cli'],
  ['src/cli/demo.ts', 'src/rehearsal/x.ts', null],
  ['src/cli/serve.ts', 'src/app/x.ts', null],
  ['src/cli/doctor.ts', 'src/ledger/x.ts', 'cli-that-wires'],
  ['src/app/to-cli.ts', 'src/cli/books.ts', 'app'],
  ['src/app/to-engine.ts', sqlEngine, null],
  ['src/app/to-test.ts', 'test/x.ts', 'bench-and-tests-stay-outside'],
  ['src/app/to-dev-package.ts', 'vitest', 'no-dev-package-at-run-time'],
  ['src/app/to-stray-package.ts', 'stray', 'no-undeclared-package'],
  ['src/app/to-nowhere.ts', 'src/app/nowhere.ts', 'no-unresolvable'],
  ['src/app/ring.ts', 'src/app/ring.ts', 'no-cycle'],
  ['src/rehearsal/to-core.ts', 'src/core/x.ts', 'rehearsal'],
  ['src/rehearsal/to-http.ts', 'undici', null],
  ['rehearsal/to-core.ts', 'src/core/x.ts', 'rehearsal-scripts'],
  ['test/model/auditor.ts', 'src/core/x.ts', 'auditor'],
];
