/**
 * `npm run bench [-- SECTION ...] [--quick] [--json] [--seed N]`: ratios against yardsticks measured in the same run.
 * Prints a machine line, a seed, one row a measurement, and each floor with pass or fail.
 * Exit: 0 every floor holds, 1 one does not (or a section failed), 2 wrong use.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { floorText, holds, type Row, type Settings } from './figures.ts';
import { machineLine } from './machine.ts';
import { abandon, cliPath } from './processes.ts';
import { engineSection } from './sections/engine.ts';
import { httpSection, type Saturation } from './sections/http.ts';
import { latencySection } from './sections/latency.ts';
import { memorySection } from './sections/memory.ts';
import { sqlSection } from './sections/sql.ts';
import { startSection } from './sections/start.ts';

const SECTIONS: Readonly<Record<string, (settings: Settings, saturation: Saturation) => Promise<Row[]>>> = {
  http: httpSection,
  latency: latencySection,
  engine: engineSection,
  start: startSection,
  memory: memorySection,
  sql: sqlSection,
};

const USAGE = `usage: npm run bench -- [${Object.keys(SECTIONS).join('|')} ...] [--quick] [--json] [--seed N]\n`;

interface Wanted {
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly json: boolean;
  readonly seed: number;
}

function wanted(): Wanted | null {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, seed: { type: 'string' } },
    });
    const seed = Number(values.seed ?? 1);
    if (!Number.isSafeInteger(seed) || positionals.some((name) => SECTIONS[name] === undefined)) return null;
    const names = positionals.length > 0 ? positionals : Object.keys(SECTIONS);
    return { names, quick: values.quick === true, json: values.json === true, seed };
  } catch {
    return null;
  }
}

async function bench({ names, quick, json, seed }: Wanted): Promise<number> {
  const say = (line: string): void => void (json || process.stdout.write(`${line}\n`));
  const settings: Settings = { quick, seed, note: (line) => process.stderr.write(`  ${line}\n`) };
  const machine = machineLine();
  say(`machine: ${machine}`);
  say(`seed: ${seed}${quick ? ' (quick: a smoke run, its figures mean little)' : ''}`);
  const [rows, failures, saturation]: [Row[], string[], Saturation] = [[], [], {}];
  for (const name of names) {
    try {
      for (const row of (await SECTIONS[name]?.(settings, saturation)) ?? []) {
        rows.push(row);
        say(`${row.section}: ${row.name}: ${row.text}`);
        for (const floor of row.floors) say(`  ${floorText(floor, !quick)}`);
      }
    } catch (error) {
      failures.push(name);
      process.stderr.write(
        `${name} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    }
  }
  const missed = quick ? [] : rows.flatMap(({ floors }) => floors.filter((floor) => !holds(floor)));
  if (json) process.stdout.write(`${JSON.stringify({ machine, seed, quick, rows, missed, failures })}\n`);
  say(
    failures.length + missed.length === 0
      ? 'every floor holds'
      : `${missed.length} floors missed, ${failures.length} sections failed`,
  );
  return failures.length + missed.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    abandon();
    process.exit(1);
  });
}

const options = wanted();
if (options === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (!existsSync(cliPath)) {
  process.stderr.write('dist/cli/main.js is missing: run `npm run build` first\n');
  process.exitCode = 2;
} else {
  process.exitCode = await bench(options);
}
