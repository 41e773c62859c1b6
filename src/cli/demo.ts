/**
 * `doorbuster demo`: a server in a fresh folder, a sale that opens in a few seconds, a stampede from a second
 * process, then books and verdict in plain words. Speaks to the server over its HTTP API alone, like any shop.
 * On a terminal it is a show with a live view, and leaves the server running with a sale to try by hand.
 * Exit: 0 every promise was kept, 1 one was broken or the run failed, 2 wrong use.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { DoorbusterApi } from '../rehearsal/api.ts';
import { type OwnServer, type StampedeProcess, startOwnServer } from '../rehearsal/child.ts';
import { type Language, languageOf, languages, wordsOf } from '../rehearsal/words/words.ts';
import { CommandFailure, type Context, EXIT_NO, example, printJson, wholeNumber } from './context.ts';
import { perform, SALE_ID } from './demo/perform.ts';
import { type Printer, printerTo } from './demo/printer.ts';
import { stay } from './demo/stay.ts';
import { programName } from './demo/try-it.ts';
import { localeOf } from './terminal/look.ts';

export interface DemoOptions {
  readonly once?: true;
  readonly shoppers: number;
  readonly stock: number;
  readonly seed?: number;
  readonly lang?: Language;
  readonly json?: true;
  readonly evidence?: string;
}

/** More shoppers than this do not fit into one process's memory and patience. */
const MOST = 1_000_000;
/** What Ctrl-C ends before we have heard of it ourselves: it goes to all processes of the terminal at once. */
const SIGNAL_WITHIN_MS = 200;

export function demoCommand({ environment, folder }: Context): Command {
  return new Command('demo')
    .description('sell a sale to thousands of simulated shoppers on a server of its own, and prove what came of it')
    .option('--once', 'end after the verdict (as it does anyway when stdout is not a terminal)')
    .option('--shoppers <n>', 'distinct shoppers', wholeNumber(1, MOST), 10_000)
    .option('--stock <n>', 'units for sale', wholeNumber(1, MOST), 100)
    .option('--seed <n>', 'repeat a run: the same shoppers with the same habits', wholeNumber(1, 0xffff_ffff))
    .addOption(new Option('--lang <language>', 'its language (default: by LC_ALL or LANG)').choices(languages))
    .option('--json', 'print one JSON object with all figures instead of the story')
    .option('--evidence <file>', 'keep what the shoppers were told and what the books say, as JSON')
    .addHelpText('after', example('doorbuster demo', 'doorbuster demo --once --shoppers 20000 --stock 500'))
    .action(async (options: DemoOptions) => {
      const words = wordsOf(options.lang ?? languageOf(localeOf(environment)));
      const printer = printerTo(process.stdout, { environment, words, isQuiet: options.json !== undefined });
      process.exitCode = await demo(options, printer, folder);
    });
}

/** The two processes, as far as they were started. */
export interface Parts {
  server?: OwnServer;
  stampede?: StampedeProcess;
}

/** Runs the demo; the exit code. Ends its processes and removes its folder however it ends. */
async function demo(options: DemoOptions, printer: Printer, folder: string): Promise<number> {
  const parts: Parts = {};
  const interrupted = nextSignal();
  const cliPath = fileURLToPath(new URL('./main.js', import.meta.url));
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
