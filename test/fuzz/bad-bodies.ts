/**
 * One mutation of a right body, always one that the contract refuses: a wrong value, an unknown, missing or repeated
 * name, poisoned text, broken JSON, another top level, too deep, too large.
 */
import type { Code } from '../support/contract.ts';
import type { Plane } from '../support/routes.ts';
import type { BodySpec, Field } from './bodies.ts';
import { changeAt, Entries, jsonBytes, objectPaths, RawJson, toTree } from './json-text.ts';
import type { Random } from './random.ts';
import { brokenLiterals, poisonedTexts, strangeNames, strangeTexts } from './strange.ts';
import type { World } from './world.ts';

export interface BadBody {
  readonly name: string;
  readonly bytes: Buffer;
  readonly codes: readonly Code[];
}

type Mutation = (random: Random, tree: unknown, spec: BodySpec) => readonly [string, unknown] | null;

/** Fields whose parents exist in the right body. */
const reachable = (tree: unknown, fields: readonly Field[]): readonly Field[] => {
  const objects = new Set(objectPaths(tree).map((path) => path.join('.')));
  return fields.filter((entry) => {
    const parent = entry.path.slice(0, -1).join('.');
    return objects.has(parent) || objects.has(entry.path.join('.'));
  });
};

const wrongValue: Mutation = (random, tree, spec) => {
  const fields = reachable(tree, spec.fields);
  if (fields.length === 0) return null;
  const entry = random.pick(fields);
  return [`wrong ${entry.path.join('.')}`, changeAt(tree, entry.path, () => toTree(random.pick(entry.wrong)))];
};

const brokenValue: Mutation = (random, tree, spec) => {
  const fields = reachable(tree, spec.fields);
  if (fields.length === 0) return null;
  const entry = random.pick(fields);
  return [`broken literal at ${entry.path.join('.')}`, changeAt(tree, entry.path, () => random.pick(brokenLiterals))];
};

/** Free objects (attributes, contact, delivery) take any name, so an unknown one is put into the objects with known fields. */
const freeObjects = new Set(['attributes', 'contact', 'delivery']);

const closedObjects = (tree: unknown): string[][] =>
  objectPaths(tree).filter((path) => !path.some((name) => freeObjects.has(name)));

const unknownName: Mutation = (random, tree) => {
  const name = random.pick(strangeNames);
  const value = random.pick<unknown>([
    1,
    'x',
    null,
    true,
    [],
    new Entries([]),
    new Entries([['__proto__', 1]]),
    ...strangeTexts.slice(0, 8),
  ]);
  const path = random.pick(closedObjects(tree));
  const added = changeAt(tree, path, (object) => new Entries([...(object as Entries).rows, [name, value]]));
  return [`unknown name ${JSON.stringify(name).slice(0, 40)}`, added];
};

const missingName: Mutation = (random, tree, spec) => {
  const fields = reachable(tree, spec.fields).filter((entry) => entry.required);
  if (fields.length === 0) return null;
  const entry = random.pick(fields);
  const last = entry.path.at(-1);
  const without = changeAt(tree, entry.path.slice(0, -1), (object) => {
    return new Entries((object as Entries).rows.filter(([name]) => name !== last));
  });
  return [`without ${entry.path.join('.')}`, without];
};

const repeatedName: Mutation = (random, tree) => {
  const paths = objectPaths(tree).filter((path) => {
    let size = 0;
    changeAt(tree, path, (object) => {
      size = (object as Entries).rows.length;
      return object;
    });
    return size > 0;
  });
  if (paths.length === 0) return null;
  const twice = changeAt(tree, random.pick(paths), (object) => {
    const rows = (object as Entries).rows;
    const [name, value] = random.pick(rows);
    return new Entries([...rows, [name, random.chance(0.5) ? value : 'other']]);
  });
  return ['the same name twice', twice];
};

const poisoned: Mutation = (random, tree) => {
  const path = random.pick(objectPaths(tree));
  const text = random.pick(poisonedTexts);
  return ['poisoned text', changeAt(tree, path, (object) => new Entries([...(object as Entries).rows, ['x', text]]))];
};

const topLevel: Mutation = (random, tree) => [
  'another top level',
  random.pick<unknown>([
    null,
    true,
    false,
    0,
    1e21,
    '',
    'text',
    [],
    [tree],
    [[]],
    new RawJson('1e400'),
    new RawJson('9'.repeat(64)),
  ]),
];

const deep: Mutation = (random, tree) => {
  const depth = random.pick([4, 20, 200, 1000, 2500]);
  const value = random.pick([
    new RawJson('['.repeat(depth) + ']'.repeat(depth)),
    new RawJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  ]);
  if (random.chance(0.3)) return [`${depth} deep, alone`, [value]];
  return [`${depth} deep`, changeAt(tree, [], (object) => new Entries([...(object as Entries).rows, ['deep', value]]))];
};

const mutations: readonly (readonly [number, Mutation])[] = [
  [40, wrongValue],
  [8, brokenValue],
  [14, unknownName],
  [8, missingName],
  [6, repeatedName],
  [6, poisoned],
  [5, topLevel],
  [4, deep],
];

/** Breaks the text itself. */
function brokenText(random: Random, right: Buffer): Buffer {
  const cut = right.subarray(0, random.integer(1, right.length - 1));
  return random.pick([
    cut,
    Buffer.concat([right, Buffer.from(random.pick(['{}', ',', ']', '}', 'x', '\u0000', '//']))]),
    Buffer.concat([Buffer.from(random.pick(['x', ',', '\u0000', '{', '[', ")]}'\n"])), right]),
    Buffer.from(right.toString('utf8').replaceAll('"', "'").replace("'", '\u201c')),
    Buffer.from(right.toString('utf8'), 'utf16le'),
    Buffer.concat([Buffer.from([0xff]), random.bytes(random.integer(1, 200))]),
  ]);
}

/** Bytes past the plane's bound: 16 KiB of the shopper's, 1 MiB of the merchant's. */
function tooLarge(random: Random, right: Buffer, plane: Plane): Buffer {
  const bound = plane === 'merchant' ? 1_048_576 : 16_384;
  const length = bound + random.pick([1, 1, 100, 5000]);
  return Buffer.concat([right, Buffer.alloc(length - right.length, 0x20)]);
}

export function badBody(random: Random, spec: BodySpec, world: World, plane: Plane): BadBody {
  const tree = toTree(spec.right(world));
  const right = jsonBytes(tree);
  const invalid = (name: string, bytes: Buffer): BadBody => ({ name, bytes, codes: ['invalid'] });
  if (random.chance(plane === 'merchant' ? 0.002 : 0.03)) {
    return { name: 'too large', bytes: tooLarge(random, right, plane), codes: ['too_large'] };
  }
  // An empty body is right where none is needed, so the text is broken only where there is something to break.
  if (random.chance(0.08) && spec.fields.length > 0) return invalid('broken text', brokenText(random, right));
  for (;;) {
    const mutated = random.weighted(mutations)(random, tree, spec);
    if (mutated !== null) return invalid(mutated[0], jsonBytes(mutated[1]));
  }
}
