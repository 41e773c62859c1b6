/** `doorbuster backup`: one consistent copy of the ledger, also while the server runs. */
import path from 'node:path';
import { Command } from 'commander';
import { SettingError } from '../kit/errors.ts';
import { type Context, example, print, printJson } from './context.ts';

interface BackupOptions {
  readonly to: string;
  readonly data?: string;
  readonly json?: true;
}

export function backupCommand({ environment, folder }: Context): Command {
  return new Command('backup')
    .description('copy the ledger into one file, also while the server runs; never overwrites')
    .requiredOption('--to <file>', 'the file to make')
    .option('--data <folder>', 'the data folder (DOORBUSTER_DATA; default ./data)')
    .option('--json', 'print what was made as JSON')
    .addHelpText('after', example('doorbuster backup --to /backups/doorbuster-friday.db'))
    .action(async ({ to, data, json }: BackupOptions) => {
      const { backupTo } = await import('../app/ledger-commands.ts');
      const { readDatabase, readDataFolder } = await import('../app/settings.ts');
      // The copy holds what shoppers gave: for the owner alone.
      process.umask(0o077);
      const input = { flags: { data }, environment, folder };
      if (readDatabase(input) !== null) throw new SettingError(ON_A_DATABASE);
      const at = readDataFolder(input);
      const file = path.resolve(folder, to);
      const { bytes } = backupTo(at, file);
      if (json) printJson({ file, bytes });
      else print(`${file}: ${bytes} bytes\n${RESTORE}`);
    });
}

const ON_A_DATABASE =
  'DOORBUSTER_DATABASE_URL is set: a ledger on a database is copied by the database (pg_dump, mariadb-dump --single-transaction, or its own backups)';

const RESTORE =
  'To restore: stop the server, put the file into an empty data folder as doorbuster.db, with merchant-key and ' +
  'buyer-secret of the old folder beside it, and start the server there.';
