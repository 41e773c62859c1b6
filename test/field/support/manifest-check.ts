/**
 * Holds the manifest against the test sources: what it promises must be there as a real, unskipped `it`, and what is
 * there must be promised. Pure: manifest and sources in, faults in words out. It must itself fail on doctored input,
 * which `manifest.test.ts` shows.
 */
import ts from 'typescript';
import { type Entry, type Place, places } from '../manifest.ts';

/** Text of every `*.test.ts` of a folder, by file name. */
export type Sources = Readonly<Record<string, string>>;

export interface CheckInput {
  readonly manifest: Readonly<Record<string, Entry>>;
  readonly caseCount: number;
  readonly builtIssues: readonly number[];
  readonly sources: Readonly<Record<Place, Sources>>;
}

type TestsByFile = ReadonlyMap<string, FileTests>;

const PLACES = Object.keys(places) as Place[];

const testsOf = (sources: Sources): TestsByFile =>
  new Map(Object.entries(sources).map(([file, text]) => [file, readTests(file, text)]));

export function manifestFaults(input: CheckInput): string[] {
  const { manifest, caseCount, builtIssues, sources } = input;
  const faults: string[] = [];
  const found = PLACES.map((place) => ({ place, testsByFile: testsOf(sources[place]) }));
  for (const { testsByFile } of found)
    for (const [file, { switchedOff }] of testsByFile)
      for (const what of switchedOff) faults.push(`${file}: ${what} switches a test off`);

  const wanted = Array.from({ length: caseCount }, (_, at) => `H${String(at + 1).padStart(3, '0')}`);
  for (const id of wanted) if (!Object.hasOwn(manifest, id)) faults.push(`${id} is not in the manifest`);

  for (const [id, entry] of Object.entries(manifest)) {
    if (!wanted.includes(id)) faults.push(`${id} is no field case`);
    if (PLACES.every((place) => entry[place] === undefined)) {
      if ((entry.later ?? []).length === 0) faults.push(`${id} names neither a test nor what it waits for`);
    } else {
      if ((entry.on ?? []).length === 0) faults.push(`${id} names no configuration`);
      for (const { place, testsByFile } of found) {
        const file = entry[place];
        if (file !== undefined) faults.push(...missing(id, file, testsByFile));
      }
      if ((entry.part === undefined) !== ((entry.later ?? []).length === 0))
        faults.push(`${id}: a part needs what the rest waits for, and the other way round`);
    }
    for (const reason of entry.later ?? []) {
      const issue = /^issue (\d+): \S/.exec(reason)?.[1];
      if (issue === undefined && !/^a later capability: \S/.test(reason))
        faults.push(`${id}: no such reason: ${reason}`);
      if (issue !== undefined && builtIssues.includes(Number(issue))) faults.push(`${id} is due: ${reason}`);
    }
  }
  for (const { place, testsByFile } of found)
    for (const [file, { cases }] of testsByFile)
      for (const id of cases)
        if (manifest[id]?.[place] !== file)
          faults.push(`${file} tests ${id}${places[place].on}, the manifest does not say so`);
  return faults;
}

function missing(id: string, file: string, testsByFile: TestsByFile): string[] {
  const tests = testsByFile.get(file);
  if (tests === undefined) return [`${id}: there is no file ${file}`];
  return tests.cases.has(id) ? [] : [`${id}: ${file} has no test of that name`];
}

interface FileTests {
  /** Ids that begin the name of an `it`. */
  readonly cases: ReadonlySet<string>;
  readonly switchedOff: readonly string[];
}

/** What was read of a text; the doctored inputs differ from the real one in a single file. */
const read = new Map<string, FileTests>();

/** Reads the tests off the syntax tree, so that a comment or a string is never taken for a test. */
function readTests(file: string, text: string): FileTests {
  const known = read.get(text);
  if (known !== undefined) return known;
  const cases = new Set<string>();
  const switchedOff: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && isTestRoot(node.expression)) {
      if (!KEPT.includes(node.name.text)) switchedOff.push(node.getText());
    }
    if (ts.isCallExpression(node) && isIt(node.expression)) {
      const [name, body] = node.arguments;
      const title = name === undefined ? '' : leadingText(name);
      if (body !== undefined && ts.isArrowFunction(body))
        for (const id of /^(H\d{3}(?: |$))+/.exec(title)?.[0].trim().split(' ') ?? []) cases.add(id);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
  const tests = { cases, switchedOff };
  read.set(text, tests);
  return tests;
}

const isTestRoot = (node: ts.Node): boolean =>
  (ts.isIdentifier(node) && ['it', 'test', 'describe'].includes(node.text)) ||
  (ts.isPropertyAccessExpression(node) && isTestRoot(node.expression));

/** Ways to write a test that leave it on. */
const KEPT = ['concurrent', 'each'];

const isIt = (node: ts.Node): boolean =>
  (ts.isIdentifier(node) && node.text === 'it') ||
  (ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'each' &&
    isIt(node.expression.expression)) ||
  (ts.isPropertyAccessExpression(node) && node.name.text === 'concurrent' && isIt(node.expression));

function leadingText(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.head.text : '';
}
