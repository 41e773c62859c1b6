/** `doorbuster doctor`: looks at the installation here and says what would keep it from selling. Exit 1 if anything would. */
import { Command } from 'commander';
import { examine, type Finding } from '../app/doctor/examine.ts';
import { realInstallation } from '../app/doctor/installation.ts';
import { type Context, EXIT_NO, example, print, printJson } from './context.ts';

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
      const findings = await examine(realInstallation({ flags: { ...flags }, environment, folder }));
      const ok = findings.every(({ state }) => state !== 'bad');
      if (json) printJson({ ok, findings });
      else print(findings.map(lineOf).join('\n'));
      process.exitCode = ok ? 0 : EXIT_NO;
    });
}

const MARKS: Readonly<Record<Finding['state'], string>> = {
  good: 'ok  ',
  doubtful: 'warn',
  bad: 'BAD ',
  skipped: '-   ',
};

const lineOf = ({ check, state, says }: Finding): string => `${MARKS[state]}  ${check.padEnd(13)} ${says}`;
