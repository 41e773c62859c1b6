/**
 * `doorbuster sale show`: a sale with its books. `--watch` keeps looking, once a second: a live view on a terminal, a
 * line for each change (JSON lines with `--json`) into a pipe; it ends when the sale has, or by Ctrl-C.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Books } from './books.ts';
import { ServerClient, type ServerOptions, withServerOptions } from './client.ts';
import { CommandFailure, type Context, EXIT_NO, example, print, printJson } from './context.ts';
import { liveSight, type Sight, sightLine, sightTable } from './sale-sight.ts';
import type { SaleView } from './sale-view.ts';
import { LiveArea } from './terminal/live-area.ts';
import { type Look, lookOf } from './terminal/look.ts';

interface ShowOptions extends ServerOptions {
  readonly watch?: true;
  readonly json?: true;
}

const LOOK_EVERY_MS = 1000;

export function saleShowCommand(context: Context): Command {
  const command = new Command('show')
    .description('settings, phase and stock of a sale')
    .argument('<saleId>', 'the sale')
    .option('--watch', 'keep looking until the sale has ended')
    .option('--json', 'print the sale as JSON');
  return withServerOptions(command)
    .addHelpText('after', example('doorbuster sale show autumn-drop', 'doorbuster sale show autumn-drop --watch'))
    .action(async (saleId: string, options: ShowOptions) => {
      const client = new ServerClient(context, options);
      const look = lookOf(process.stdout, context.environment);
      if (options.watch) await watch(() => sightOf(client, saleId), { look, json: options.json !== undefined });
      else if (options.json) printJson(await saleOf(client, saleId));
      else print(sightTable(await sightOf(client, saleId), look).join('\n'));
    });
}

const pathOf = (saleId: string): string => `/v1/merchant/sales/${encodeURIComponent(saleId)}`;

const saleOf = (client: ServerClient, saleId: string): Promise<SaleView> =>
  client.call<SaleView>('GET', pathOf(saleId));

async function sightOf(client: ServerClient, saleId: string): Promise<Sight> {
  const sale = await saleOf(client, saleId);
  return { sale, books: await client.call<Books>('GET', `${pathOf(saleId)}/books`) };
}

async function watch(look: () => Promise<Sight>, { look: shown, json }: { look: Look; json: boolean }): Promise<void> {
  const first = await look();
  if (shown.isTerminal && !json) await watchLive(first, look, shown);
  else await watchLines(first, look, json ? (sight) => JSON.stringify(sight) : sightLine);
}

async function watchLive(first: Sight, lookAgain: () => Promise<Sight>, look: Look): Promise<void> {
  let sight = first;
  let note: string | null = null;
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  // Only now: a signal between hiding the cursor and hearing of signals would leave it hidden.
  const area = new LiveArea(process.stdout, (width) =>
    liveSight(sight, { width: width - 1, nowMs: Date.now(), look, note }),
  );
  try {
    while (sight.sale.phase !== 'ended' && !stopped.signal.aborted) {
      await sleep(LOOK_EVERY_MS, null, { signal: stopped.signal }).catch(() => {});
      if (stopped.signal.aborted) break;
      // A server that restarts in the middle is waited for; what was seen last stays.
      const seen = await lookAgain().catch((error: unknown) => messageOf(error));
      note = typeof seen === 'string' ? seen : null;
      if (typeof seen !== 'string') sight = seen;
    }
  } finally {
    area.stop();
  }
}

async function watchLines(
  first: Sight,
  lookAgain: () => Promise<Sight>,
  lineOf: (sight: Sight) => string,
): Promise<void> {
  let sight = first;
  let said = '';
  for (;;) {
    const line = lineOf(sight);
    if (line !== said) print(line);
    said = line;
    if (sight.sale.phase === 'ended') return;
    await sleep(LOOK_EVERY_MS);
    sight = await lookAgain();
  }
}

function messageOf(error: unknown): string {
  if (error instanceof CommandFailure && error.exitCode === EXIT_NO) return error.message;
  throw error;
}
