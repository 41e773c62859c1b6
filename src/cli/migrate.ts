/** `doorbuster migrate`: brings the ledger's schema up to this version before the server is started with it. */
import { Command } from 'commander';
import { type Context, example, print, printJson } from './context.ts';

interface MigrateOptions {
  readonly data?: string;
  readonly database?: string;
  readonly json?: true;
}

export function migrateCommand({ environment, folder }: Context): Command {
  return new Command('migrate')
    .description("bring the ledger's schema up to this version; refused while a server runs on a data folder")
    .option('--data <folder>', 'the data folder (DOORBUSTER_DATA; default ./data)')
    .option('--database <url>', 'a ledger on postgres:// or mysql:// (DOORBUSTER_DATABASE_URL)')
    .option('--json', 'print the versions as JSON')
    .addHelpText('after', example('doorbuster migrate --data ./data'))
    .action(async ({ data, database, json }: MigrateOptions) => {
      const { addressOf } = await import('../app/ledger.ts');
      const { migrateDatabase, migrateLedger } = await import('../app/ledger-commands.ts');
      const { readDatabase, readDataFolder } = await import('../app/settings.ts');
      process.umask(0o077);
      const input = { flags: { data, database }, environment, folder };
      const server = readDatabase(input);
      const at = server === null ? readDataFolder(input) : addressOf(server.url);
      const { from, to } = await (server === null ? migrateLedger(at) : migrateDatabase(server));
      if (json) printJson({ data: at, from, to });
      else
        print(from === to ? `${at} has schema version ${to}: nothing to do` : `${at}: schema version ${from} → ${to}`);
    });
}
