/** `doorbuster doctor`: looks at the installation here and says what would keep it from selling. Exit 1 if anything would. */
import { Command } from 'commander';
import type { Finding } from '../app/doctor/examine.ts';
import { type Context, EXIT_NO, example, print, printJson } from './context.ts';
import { type Look, lookOf, type Style } from './terminal/look.ts';
import { padEnd, widthOf } from './terminal/text-width.ts';

interface DoctorOptions {
  readonly data?: string;
  readonly database?: string;
  readonly host?: string;
  readonly port?: string;
  readonly json?: true;
}

export function doctorCommand({ environment, folder }: Context): Command {
  return new Command('doctor')
    .description('check the installation here; exit 1 where something would keep it from selling')
    .option('--data <folder>', 'the data folder (DOORBUSTER_DATA; default ./data)')
    .option('--database <url>', 'the database that the ledger is on (DOORBUSTER_DATABASE_URL)')
    .option('--host <address>', 'where it listens (DOORBUSTER_HOST)')
    .option('--port <number>', 'on which port (DOORBUSTER_PORT)')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', example('doorbuster doctor --data ./data'))
    .action(async ({ json, ...flags }: DoctorOptions) => {
      const { examine } = await import('../app/doctor/examine.ts');
      const { realInstallation } = await import('../app/doctor/installation.ts');
      const findings = await examine(realInstallation({ flags: { ...flags }, environment, folder }));
      const look = lookOf(process.stdout, environment);
      const ok = findings.every(({ state }) => state !== 'bad');
      if (json) printJson({ ok, findings });
      else print([...checklist(findings, look), '', conclusion(findings, look)].join('\n'));
      process.exitCode = ok ? 0 : EXIT_NO;
    });
}

type Marks = Readonly<Record<Finding['state'], readonly [sign: string, style: Style]>>;

/** A line for each check; under one that is not good, what to do. */
function checklist(findings: readonly Finding[], { paint, signs }: Look): string[] {
  const marks: Marks = {
    good: [signs.good, 'green'],
    doubtful: [signs.doubtful, 'yellow'],
    bad: [signs.bad, 'red'],
    skipped: [signs.none, 'dim'],
  };
  const signWidth = Math.max(...Object.values(marks).map(([sign]) => widthOf(sign)));
  const checkWidth = Math.max(...findings.map(({ check }) => widthOf(check)));
  return findings.flatMap(({ check, state, says, todo }) => {
    const [sign, style] = marks[state];
    const line = `${paint(style, padEnd(sign, signWidth))} ${padEnd(check, checkWidth)}  ${says}`;
    return todo === null ? [line] : [line, `${' '.repeat(signWidth + checkWidth + 3)}${signs.arrow} ${todo}`];
  });
}

function conclusion(findings: readonly Finding[], { paint }: Look): string {
  const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length;
  const [bad, doubtful] = [count('bad'), count('doubtful')];
  if (bad > 0) return paint('red', `${bad} of ${findings.length} would keep it from selling.`);
  return doubtful > 0
    ? paint('yellow', `It can sell; ${doubtful} of ${findings.length} should be looked at.`)
    : paint('green', 'All is well.');
}
