/** The words of a line: split at spaces, `name=value` apart, quotes (as in JSON) around what has spaces of its own. */
export interface Words {
  /** Those that are no `name=value`, in order. */
  readonly plain: readonly string[];
  readonly named: ReadonlyMap<string, string>;
}

const WORD = /(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g;
const NAMED = /^([a-zA-Z]+)=(.*)$/s;

export function wordsOf(line: string): Words {
  const plain: string[] = [];
  const named = new Map<string, string>();
  for (const word of line.match(WORD) ?? []) {
    const [, name, value] = NAMED.exec(word) ?? [];
    if (name === undefined || value === undefined) plain.push(unquoted(word));
    else named.set(name, unquoted(value));
  }
  return { plain, named };
}

const unquoted = (word: string): string => (word.startsWith('"') ? (JSON.parse(word) as string) : word);

/** As it must stand in a line to be read as one word. */
export const quoted = (text: string): string => (/^[^\s"=#]+$/.test(text) ? text : JSON.stringify(text));

/** `300s`, `1500ms`; milliseconds either way. */
export function durationMs(text: string): number {
  const [, digits, unit] = /^([+-]?\d+)(ms|s)$/.exec(text) ?? [];
  if (digits === undefined) throw new Error(`${text} is no duration: 300s, 1500ms`);
  return Number(digits) * (unit === 's' ? 1000 : 1);
}

export const durationOf = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);
