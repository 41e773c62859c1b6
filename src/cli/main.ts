#!/usr/bin/env node
/**
 * The `doorbuster` command: puts the commands together, hands them the environment (the one place that touches it
 * outside app), and turns whatever they throw into one line on stderr (JSON with `--json`) and an exit code: 0 fine,
 * 1 the answer is no, 2 wrong use or a wrong setting.
 */
import { Command, CommanderError } from 'commander';
import { SettingError } from '../kit/errors.ts';
import { backupCommand } from './backup.ts';
import { booksCommand } from './books.ts';
import { completionCommand } from './completion.ts';
import { CommandFailure, type Context, EXIT_NO, EXIT_WRONG_USE, example } from './context.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { saleCommand } from './sale.ts';
import { serveCommand } from './serve.ts';

/** Nothing but a flag says so: where commander refuses the rest, nobody has parsed it. */
const isForMachines = process.argv.includes('--json');

function program(context: Context): Command {
  const root = new Command('doorbuster')
    .description('A flash-sale server: sells limited stock to a stampede, exactly what there is.')
    .addHelpText('after', example('doorbuster serve', 'doorbuster demo', 'doorbuster sale --help'));
  for (const command of [
    serveCommand(context),
    demoCommand(context),
    saleCommand(context),
    booksCommand(context),
    keysCommand(context),
    migrateCommand(context),
    backupCommand(context),
    doctorCommand(context),
    completionCommand(() => root),
  ])
    root.addCommand(command);
  throwInsteadOfExit(root, isForMachines);
  return root;
}

/** Commander would end the process itself, with exit code 1 for wrong use, and write its own words to stderr. */
function throwInsteadOfExit(command: Command, isSilent: boolean): void {
  command.exitOverride();
  if (isSilent) command.configureOutput({ writeErr: () => {} });
  for (const child of command.commands) throwInsteadOfExit(child, isSilent);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_WRONG_USE;
  if (error instanceof SettingError) return EXIT_WRONG_USE;
  return error instanceof CommandFailure ? error.exitCode : EXIT_NO;
}

function codeOf(error: unknown): string {
  if (error instanceof CommandFailure) return error.code;
  if (error instanceof SettingError) return 'wrong_setting';
  return error instanceof CommanderError ? 'wrong_use' : 'failed';
}

/** One line, whatever the message is made of. */
function lineOf(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ');
  if (!isForMachines) return `doorbuster: ${message}\n`;
  const said = message.replace(/^error: /, '');
  return `${JSON.stringify({ error: { code: codeOf(error), message: said, exitCode: exitCodeOf(error) } })}\n`;
}

try {
  await program({ environment: process.env, folder: process.cwd() }).parseAsync(process.argv);
} catch (error) {
  const exitCode = exitCodeOf(error);
  // Commander has said its own already; where it was asked for help, nothing is wrong.
  if (!(error instanceof CommanderError) || (isForMachines && exitCode !== 0)) process.stderr.write(lineOf(error));
  process.exitCode = exitCode;
}
