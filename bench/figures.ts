/**
 * Figures, floors and how they are shown. A section measures and returns rows; `main.ts` prints them and decides the
 * exit code. A floor is judged on the median, never on the best run.
 */

export interface Row {
  readonly section: string;
  readonly name: string;
  /** The figures in words, for a reader. */
  readonly text: string;
  /** The same for machines. */
  readonly figures: Readonly<Record<string, number | string>>;
  readonly floors: readonly Floor[];
}

export interface Floor {
  readonly name: string;
  readonly value: number;
  readonly bound: number;
  readonly kind: 'at_least' | 'at_most';
}

export interface Settings {
  /** A smoke form: small counts, so that every section is run in seconds; floors are shown but not judged. */
  readonly quick: boolean;
  readonly seed: number;
  readonly note: (line: string) => void;
}

export const holds = ({ kind, value, bound }: Floor): boolean =>
  kind === 'at_least' ? value >= bound : value <= bound;

export function floorText(floor: Floor, judged: boolean): string {
  const sign = floor.kind === 'at_least' ? '>=' : '<=';
  const mark = judged ? (holds(floor) ? 'pass' : 'FAIL') : 'not judged (quick)';
  return `${mark}: ${floor.name} ${rounded(floor.value)} ${sign} ${floor.bound}`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Three figures that mean something; whole numbers above a thousand. */
export function rounded(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

export const spread = (values: readonly number[]): string =>
  `${rounded(Math.min(...values))}..${rounded(Math.max(...values))}`;
