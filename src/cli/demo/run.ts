/**
 * One run of the demo: starts the server, has the show performed, stays with a sale to try by hand where somebody
 * watches, and ends its processes and removes its folder however it ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DoorbusterApi } from '../../rehearsal/api.ts';
import { type OwnServer, type StampedeProcess, startOwnServer } from '../../rehearsal/child.ts';
import { CommandFailure, EXIT_NO, printJson } from '../context.ts';
import { type Plan, perform, SALE_ID } from './perform.ts';
import type { Printer } from './printer.ts';
import { stay } from './stay.ts';
import { programName } from './try-it.ts';

export interface RunOptions extends Plan {
  readonly once?: true;
  readonly json?: true;
}

/** What Ctrl-C ends before we have heard of it ourselves: it goes to all processes of the terminal at once. */
const SIGNAL_WITHIN_MS = 200;

/** The two processes, as far as they were started. */
interface Parts {
  server?: OwnServer;
  stampede?: StampedeProcess;
}

/** Runs the demo; the exit code. */
export async function runDemo(options: RunOptions, printer: Printer, folder: string): Promise<number> {
  const parts: Parts = {};
  const interrupted = nextSignal();
  const cliPath = fileURLToPath(new URL('../main.js', import.meta.url));
  try {
    const server = startOwnServer({ cliPath });
    parts.server = server;
    const outcome = await Promise.race([perform(options, parts, printer), interrupted]);
    if (typeof outcome === 'string') return EXIT_NO;
    if (options.json !== undefined) printJson(outcome);
    else if (options.once === undefined && printer.look.isTerminal)
      await stayOn(server, { printer, program: programName(process.argv[1] ?? cliPath, folder), interrupted });
    return outcome.kept ? 0 : EXIT_NO;
  } catch (error) {
    if ((await Promise.race([interrupted, sleep(SIGNAL_WITHIN_MS, null)])) !== null) return EXIT_NO;
    throw new CommandFailure(EXIT_NO, printer.words.failed(error instanceof Error ? error.message : String(error)));
  } finally {
    printer.endLive();
    await parts.stampede?.stop();
    await parts.server?.stop();
    if (printer.look.isTerminal && options.once === undefined) printer.say(printer.words.stopped);
  }
}

async function stayOn(
  server: OwnServer,
  { printer, program, interrupted }: { printer: Printer; program: string; interrupted: Promise<unknown> },
): Promise<void> {
  const { url, merchantKey } = await server.listening;
  const shop = new DoorbusterApi({ url, merchantKey, connections: 2 });
  const { words, look, say } = printer;
  const running = { url, dataFolder: server.dataFolder, program, firstSaleId: SALE_ID };
  try {
    await stay({
      shop,
      running,
      words,
      look,
      out: process.stdout,
      say,
      until: Promise.race([interrupted, server.ended]),
    });
  } finally {
    await shop.close();
  }
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  });
}
