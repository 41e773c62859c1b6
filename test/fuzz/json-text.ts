/**
 * Writes JSON that JSON.stringify cannot: names that come twice, `__proto__` as a name, numbers past every bound, raw
 * bytes. A body is a tree of plain values, RawJson and Entries.
 */

/** A piece that is written as it is. */
export class RawJson {
  readonly bytes: Buffer;

  constructor(text: string | Buffer) {
    this.bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  }
}

/** An object as an ordered list, in which a name may come twice. */
export class Entries {
  readonly rows: [string, unknown][];

  constructor(rows: [string, unknown][]) {
    this.rows = rows;
  }
}

/** Turns plain objects into Entries, deeply, so that mutations can work on them. */
export function toTree(value: unknown): unknown {
  if (value instanceof RawJson || value instanceof Entries) return value;
  if (Array.isArray(value)) return value.map(toTree);
  if (typeof value === 'object' && value !== null) {
    return new Entries(Object.entries(value).map(([name, entry]): [string, unknown] => [name, toTree(entry)]));
  }
  return value;
}

function write(value: unknown, parts: Buffer[]): void {
  if (value instanceof RawJson) {
    parts.push(value.bytes);
  } else if (value instanceof Entries) {
    parts.push(Buffer.from('{'));
    for (const [index, [name, entry]] of value.rows.entries()) {
      parts.push(Buffer.from(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`));
      write(entry, parts);
    }
    parts.push(Buffer.from('}'));
  } else if (Array.isArray(value)) {
    parts.push(Buffer.from('['));
    for (const [index, entry] of value.entries()) {
      if (index > 0) parts.push(Buffer.from(','));
      write(entry, parts);
    }
    parts.push(Buffer.from(']'));
  } else {
    parts.push(Buffer.from(JSON.stringify(value) ?? 'null'));
  }
}

export function jsonBytes(value: unknown): Buffer {
  const parts: Buffer[] = [];
  write(toTree(value), parts);
  return Buffer.concat(parts);
}

/** Replaces the value at the path (names and indexes) with `change` of it; the tree must have the path. */
export function changeAt(tree: unknown, path: readonly string[], change: (value: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return change(tree);
  if (Array.isArray(tree))
    return tree.map((entry, index) => (String(index) === first ? changeAt(entry, rest, change) : entry));
  if (!(tree instanceof Entries)) throw new Error(`no ${path.join('.')}`);
  const has = tree.rows.some(([name]) => name === first);
  const rows: [string, unknown][] = has ? tree.rows : [...tree.rows, [first, undefined]];
  return new Entries(
    rows.map(([name, entry]): [string, unknown] => [name, name === first ? changeAt(entry, rest, change) : entry]),
  );
}

/** The paths of all objects in the tree, the root's first. */
export function objectPaths(tree: unknown, at: readonly string[] = []): string[][] {
  if (Array.isArray(tree)) return tree.flatMap((entry, index) => objectPaths(entry, [...at, String(index)]));
  if (!(tree instanceof Entries)) return [];
  return [[...at], ...tree.rows.flatMap(([name, entry]) => objectPaths(entry, [...at, name]))];
}
