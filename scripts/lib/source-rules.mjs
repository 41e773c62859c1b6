/**
 * Rules on what a source file says rather than on what it imports: who reads the environment, where SQL lives, what
 * the pure core must not touch. They look at the syntax tree, so comments and ordinary words do not count.
 * Called by architecture.mjs; `plantedSources` are the faults that they must catch.
 */
import ts from 'typescript';

/** @typedef {{ rule: 'environment' | 'pure-core' | 'sql-outside-ledger', line: number, text: string }} Finding */

/** What core must not name: time, chance, the process and the outside come in as arguments. */
const impure = new Set(
  'process performance console fetch crypto setTimeout setInterval setImmediate queueMicrotask globalThis Buffer'.split(
    ' ',
  ),
);

const sqlStatement =
  /^\s*(SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(UNIQUE\s+)?(TABLE|INDEX|TRIGGER)\s|PRAGMA\s)/i;

/** Outside app the environment may appear in these files, in one place each: handed over whole, not read. */
const handsOverEnvironment = [
  'src/cli/main.ts', // to app
  'src/rehearsal/child.ts', // to the server it starts, without the settings meant for another one
];

/** @param {ts.Node} node */
const isEnvironment = (node) => {
  const isProcess = (/** @type {ts.Node | undefined} */ part) =>
    part !== undefined && ts.isIdentifier(part) && part.text === 'process';
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'env' && isProcess(node.expression);
  if (ts.isElementAccessExpression(node)) return isProcess(node.expression);
  if (ts.isVariableDeclaration(node)) return ts.isObjectBindingPattern(node.name) && isProcess(node.initializer);
  return ts.isImportDeclaration(node) && /^['"](node:)?process['"]$/.test(node.moduleSpecifier.getText());
};

/** @param {ts.Node} node */
const isImpure = (node) => {
  if (ts.isNewExpression(node)) return node.expression.getText() === 'Date' && !node.arguments?.length;
  if (ts.isPropertyAccessExpression(node)) return /^(Date\.now|Math\.random)$/.test(node.getText());
  if (!ts.isIdentifier(node) || !impure.has(node.text)) return false;
  const { parent } = node;
  const isName =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    ((ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node);
  return !isName;
};

/** @param {ts.Node} node */
const isSql = (node) =>
  (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node)) &&
  sqlStatement.test(node.text);

/** @param {string} file path from the package's root @param {string} source @returns {Finding[]} */
const findingsIn = (file, source) => {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  /** @type {Finding[]} */
  const findings = [];
  /** @param {Finding['rule']} rule @param {ts.Node} node */
  const add = (rule, node) => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    findings.push({ rule, line: line + 1, text: node.getText().split('\n')[0]?.slice(0, 80) ?? '' });
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (isEnvironment(node)) add('environment', node);
    if (file.startsWith('src/core/') && !file.endsWith('.test.ts') && isImpure(node)) add('pure-core', node);
    if (!file.startsWith('src/ledger/') && isSql(node)) add('sql-outside-ledger', node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return findings;
};

/**
 * Applies the rules to the files of src/.
 * @param {{ file: string, source: string }[]} files
 * @returns {{ faults: string[], environmentReads: number }} environmentReads: places where it may stand that were seen
 */
export const judgeSources = (files) => {
  let environmentReads = 0;
  /** @type {string[]} */
  const faults = [];
  for (const { file, source } of files) {
    const findings = findingsIn(file, source);
    const reads = findings.filter(({ rule }) => rule === 'environment').length;
    const mayRead = file.startsWith('src/app/') || (handsOverEnvironment.includes(file) && reads === 1);
    if (mayRead) environmentReads += reads;
    for (const { rule, line, text } of findings) {
      if (rule !== 'environment' || !mayRead) faults.push(`${file}:${line} ${rule}: ${text}`);
    }
  }
  return { faults, environmentReads };
};

/** Each must be found, by the rule named; those with null must pass. @type {[Finding['rule'] | null, string, string][]} */
export const plantedSources = [
  ['environment', 'src/kit/a.ts', 'export const a = process.env.HOME;'],
  ['environment', 'src/http/b.ts', "export const b = process['env'];"],
  ['environment', 'src/ledger/c.ts', 'const { env } = process; export const c = env;'],
  ['environment', 'src/kit/d.ts', "import { env } from 'node:process'; export const d = env;"],
  ['environment', 'src/cli/main.ts', 'export const e = [process.env, process.env.HOME];'],
  [null, 'src/cli/main.ts', 'serve(process.env);'],
  [null, 'src/app/f.ts', 'export const f = process.env.HOME;'],
  [null, 'src/kit/g.ts', '// process.env is not read here\nexport const g = process.pid;'],
  ['pure-core', 'src/core/h.ts', 'export const h = () => Date.now();'],
  ['pure-core', 'src/core/i.ts', 'export const i = () => new Date();'],
  ['pure-core', 'src/core/j.ts', 'export const j = () => Math.random();'],
  ['pure-core', 'src/core/k.ts', 'export const k = () => crypto.randomUUID();'],
  [null, 'src/core/l.ts', 'export const l = (at: number) => new Date(at).getUTCDay();'],
  ['sql-outside-ledger', 'src/http/m.ts', "export const m = 'SELECT * FROM orders';"],
  [null, 'src/ledger/n.ts', 'export const n = `SELECT * FROM orders`;'],
];
