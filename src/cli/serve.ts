/** `doorbuster serve`: the server. Its settings are flags here, variables or doorbuster.config.json (API.md, Running it). */
import { Command } from 'commander';
import { type Context, example } from './context.ts';

interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
  readonly database?: string;
  readonly redis?: string;
  readonly trustedProxies?: string;
  readonly roles?: string;
  readonly processes?: string;
  readonly log?: string;
  readonly json?: true;
}

export function serveCommand({ environment, folder }: Context): Command {
  return new Command('serve')
    .description('run the server; the secrets it needs are made in the data folder at the first start')
    .option('--host <address>', 'where to listen (DOORBUSTER_HOST; default 127.0.0.1)')
    .option('--port <number>', 'on which port; 0 takes a free one (DOORBUSTER_PORT; default 8080)')
    .option('--data <folder>', 'ledger and generated secrets (DOORBUSTER_DATA; default ./data)')
    .option(
      '--database <url>',
      'the ledger on postgres:// or mysql:// instead of the data folder (DOORBUSTER_DATABASE_URL)',
    )
    .option('--redis <url>', 'not in this version (DOORBUSTER_REDIS_URL)')
    .option('--trusted-proxies <list>', 'addresses whose forwarded headers count (DOORBUSTER_TRUSTED_PROXIES)')
    .option('--roles <list>', 'what this process does: web, worker or both (DOORBUSTER_ROLES; default web,worker)')
    .option('--processes <number>', 'server processes on one port, with a database (DOORBUSTER_PROCESSES; default 1)')
    .option('--log <level>', 'trace, debug, info, warn, error, fatal or silent (DOORBUSTER_LOG; default info)')
    .option('--json', 'log JSON lines on a terminal too')
    .addHelpText('after', example('doorbuster serve --port 8080 --data ./data'))
    .action(async ({ trustedProxies, json, ...options }: ServeOptions) => {
      const flags = { ...options, 'trusted-proxies': trustedProxies };
      // Loaded here: the other commands need no server to start.
      const { serve } = await import('../app/serve.ts');
      const isTerminal = process.stderr.isTTY && json === undefined;
      process.exit(await serve({ flags, environment, folder }, { prettyLog: isTerminal }));
    });
}
