/** The suite's own assertions: it takes no test runner along, so it cannot take one's `expect`. */
class ConformanceFault extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'ConformanceFault';
  }
}

export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new ConformanceFault(what);
}

/** Equal by value, whatever the order of fields. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [textOf(actual), textOf(expected)];
  check(got === wanted, `${what}: ${got}, not ${wanted}`);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** How often each text occurs. */
export function countsOf(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
