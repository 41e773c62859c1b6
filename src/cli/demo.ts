/**
 * `doorbuster demo`: a server in a fresh folder, a sale that opens in a few seconds, a stampede from a second
 * process, then books and verdict in plain words. Speaks to the server over its HTTP API alone, like any shop.
 * On a terminal it is a show with a live view, and leaves the server running with a sale to try by hand.
 * Exit: 0 every promise was kept, 1 one was broken or the run failed, 2 wrong use.
 */
import { Command, Option } from 'commander';
import { type Language, languageOf, languages, wordsOf } from '../rehearsal/words/words.ts';
import { type Context, example, wholeNumber } from './context.ts';
import { printerTo } from './demo/printer.ts';
import { localeOf } from './terminal/look.ts';

interface DemoOptions {
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
      // Loaded here: the other commands need no shoppers.
      const { runDemo } = await import('./demo/run.ts');
      const words = wordsOf(options.lang ?? languageOf(localeOf(environment)));
      const printer = printerTo(process.stdout, { environment, words, isQuiet: options.json !== undefined });
      process.exitCode = await runDemo(options, printer, folder);
    });
}
