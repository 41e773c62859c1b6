/**
 * `doorbuster demo`: a server in a fresh folder, a sale that opens in a few seconds, a stampede from a second
 * process, then books and verdict in plain words. Speaks to the server over its HTTP API alone, like any shop.
 * Exit: 0 every promise was kept, 1 one was broken or the run failed, 2 wrong use.
 */
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { DoorbusterApi } from '../rehearsal/api.ts';
import { type OwnServer, type StampedeProcess, startOwnServer, startStampede } from '../rehearsal/child.ts';
import type { StampedeEvent } from '../rehearsal/main.ts';
import { counted, progressLine, story, verdict } from '../rehearsal/plain-words.ts';
import type { StampedeReport } from '../rehearsal/report.ts';
import { CommandFailure, EXIT_NO, example, printJson, wholeNumber } from './context.ts';

interface DemoOptions {
  readonly once?: true;
  readonly shoppers: number;
  readonly stock: number;
  readonly seed?: number;
  readonly json?: true;
  readonly evidence?: string;
}

/** More shoppers than this do not fit into one process's memory and patience. */
const MOST = 1_000_000;
const SALE_ID = 'demo-drop';
const PRICE_MINOR = 4900;
/** As short as the contract allows, so that unpaid units come back while somebody is still there to buy them. */
const HOLD_SECONDS = 5;
const OPENS_IN_MS = 3000;
/** Arrivals a second over the whole rush; a good third of all come in its first second. */
const ARRIVALS_PER_SECOND = 1500;
const SHORTEST_RUSH_MS = 2000;
/** Watchers stay until the first unpaid holds have ended and their units are back. */
const WATCH_AFTER_HOLD_MS = 3500;
const SOCKETS = 128;
const OPEN_WITHIN_MS = 60_000;

export function demoCommand(): Command {
  return new Command('demo')
    .description('sell a sale to thousands of simulated shoppers on a server of its own, and prove what came of it')
    .option('--once', 'end after the verdict (as it does anyway when stdout is not a terminal)')
    .option('--shoppers <n>', 'distinct shoppers', wholeNumber(1, MOST), 10_000)
    .option('--stock <n>', 'units for sale', wholeNumber(1, MOST), 100)
    .option('--seed <n>', 'repeat a run: the same shoppers with the same habits', wholeNumber(1, 0xffff_ffff))
    .option('--json', 'print one JSON object with all figures instead of the story')
    .option('--evidence <file>', 'keep what the shoppers were told and what the books say, as JSON')
    .addHelpText('after', example('doorbuster demo', 'doorbuster demo --once --shoppers 20000 --stock 500'))
    .action(async (options: DemoOptions) => {
      process.exitCode = await demo(options);
    });
}

/** Runs the demo; the exit code. Ends its processes and removes its folder however it ends. */
async function demo(options: DemoOptions): Promise<number> {
  const say = (line = ''): void => {
    if (options.json === undefined) process.stdout.write(`${line}\n`);
  };
  const parts: { server?: OwnServer; stampede?: StampedeProcess } = {};
  const interrupted = nextSignal();
  const tidy = async (): Promise<void> => {
    await parts.stampede?.stop();
    await parts.server?.stop();
  };
  try {
    const outcome = await Promise.race([perform(options, parts, say), interrupted]);
    if (typeof outcome === 'string') return 1;
    if (options.json !== undefined) printJson(outcome);
    if (
      parts.server !== undefined &&
      options.once === undefined &&
      options.json === undefined &&
      process.stdout.isTTY
    ) {
      stay({ url: await parts.server.listening, merchantKey: parts.server.merchantKey }, say);
      await Promise.race([interrupted, parts.server.ended]);
    }
    return outcome.kept ? 0 : 1;
  } catch (error) {
    throw new CommandFailure(
      EXIT_NO,
      `the demo could not be run: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await tidy();
  }
}

async function perform(
  options: DemoOptions,
  parts: { server?: OwnServer; stampede?: StampedeProcess },
  say: (line?: string) => void,
): Promise<StampedeReport> {
  const seed = options.seed ?? randomInt(1, 0x7fff_ffff);
  say(`Doorbuster demo: ${counted(options.stock, 'unit')}, ${counted(options.shoppers, 'shopper')}, one opening.`);
  say();
  parts.server = startOwnServer({ cliPath: fileURLToPath(new URL('./main.js', import.meta.url)) });
  const { merchantKey } = parts.server;
  const url = await parts.server.listening;
  say(`A server runs at ${url}, in a fresh folder.`);
  const shop = new DoorbusterApi({ url, merchantKey, connections: 2 });
  try {
    await shop.createSale(saleOf(options.stock));
    say(
      `The sale "${SALE_ID}": ${counted(options.stock, 'unit')} at 49.00 EUR, one for each person, ${HOLD_SECONDS} s to pay.`,
    );
    const rushMs = Math.max(SHORTEST_RUSH_MS, (options.shoppers / ARRIVALS_PER_SECOND) * 1000);
    const plan = {
      url,
      merchantKey,
      saleId: SALE_ID,
      seed,
      shoppers: options.shoppers,
      rushMs,
      watchMs: Math.max(rushMs, HOLD_SECONDS * 1000 + WATCH_AFTER_HOLD_MS),
      connections: SOCKETS,
      openWithinMs: OPEN_WITHIN_MS,
      evidenceFile: options.evidence ?? null,
    };
    parts.stampede = startStampede(plan, onEvent(shop, say, seed));
    const report = await Promise.race([parts.stampede.report, serverEnded(parts.server)]);
    say();
    for (const line of [...story(report), '', ...verdict(report)]) say(line);
    return report;
  } finally {
    await shop.close();
  }
}

const saleOf = (stock: number): Record<string, unknown> => ({
  saleId: SALE_ID,
  title: 'Demo drop',
  currency: 'EUR',
  items: [{ sku: 'sneaker', title: 'Sneaker', priceMinor: PRICE_MINOR, stock }],
  limitPerBuyer: 1,
  holdSeconds: HOLD_SECONDS,
});

/** Schedules the sale once everybody is ready, and tells how it goes, once a second. */
function onEvent(shop: DoorbusterApi, say: (line?: string) => void, seed: number): (event: StampedeEvent) => void {
  let nextLineAtMs = 0;
  return (event) => {
    if (event.event === 'ready') {
      say(
        `${counted(event.shoppers, 'shopper')} and ${counted(event.bots, 'bot')} wait, each with an own token and key (seed ${seed}).`,
      );
      say(`The sale opens in ${OPENS_IN_MS / 1000} s ...`);
      schedule(shop).catch((error: unknown) =>
        process.stderr.write(`The sale could not be scheduled: ${String(error)}\n`),
      );
    } else if (event.event === 'opened') {
      say('Open!');
    } else if (event.event === 'progress' && event.afterOpeningMs >= nextLineAtMs) {
      nextLineAtMs = event.afterOpeningMs + 950;
      say(progressLine(event));
    }
  };
}

async function schedule(shop: DoorbusterApi): Promise<void> {
  await shop.patchSale(SALE_ID, { opensAt: new Date(Date.now() + OPENS_IN_MS).toISOString() });
  await shop.scheduleSale(SALE_ID);
}

async function serverEnded(server: OwnServer): Promise<never> {
  await server.ended;
  throw new Error('the server ended in the middle of the sale');
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  });
}

function stay(server: { url: string; merchantKey: string }, say: (line?: string) => void): void {
  say();
  say(`The server still runs at ${server.url}. Look at its books:`);
  say(`  curl -H 'authorization: Bearer ${server.merchantKey}' ${server.url}/v1/merchant/sales/${SALE_ID}/books`);
  say('Stop it with Ctrl-C; its folder is removed then.');
}
