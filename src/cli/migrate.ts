/** `doorbuster migrate`: brings the ledger's schema up to this version before the server is started with it. */
import { Command } from 'commander';
import { migrateLedger } from '../app/ledger-commands.ts';
import { readDataFolder } from '../app/settings.ts';
import { type Context, example, print, printJson } from './context.ts';

interface MigrateOptions {
  readonly data?: string;
  readonly json?: true;
}

export function migrateCommand({ environment, folder }: Context): Command {
  return new Command('migrate')
    .description("bring the ledger's schema up to this version; refused while a server runs on it")
    .option('--data <folder>', 'the data folder (DOORBUSTER_DATA; default ./data)')
    .option('--json', 'print the versions as JSON')
    .addHelpText('after', example('doorbuster migrate --data ./data'))
    .action(async ({ data, json }: MigrateOptions) => {
      process.umask(0o077);
      const at = readDataFolder({ flags: { data }, environment, folder });
      const { from, to } = await migrateLedger(at);
      if (json) printJson({ data: at, from, to });
      else
        print(from === to ? `${at} has schema version ${to}: nothing to do` : `${at}: schema version ${from} → ${to}`);
    });
}
