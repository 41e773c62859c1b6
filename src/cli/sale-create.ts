/**
 * `doorbuster sale create`: from a file or standard input with the body of the API, from a few flags for one item, or,
 * with neither and on a terminal, by questions.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { ServerClient, type ServerOptions, withServerOptions } from './client.ts';
import {
  CommandFailure,
  type Context,
  EXIT_NO,
  EXIT_WRONG_USE,
  example,
  print,
  printJson,
  wholeNumber,
} from './context.ts';
import { PRICE_MINOR_MAX, STOCK_MAX } from './questions/answers.ts';
import { Abandoned, Dialogue } from './questions/dialogue.ts';
import { askForSale } from './questions/sale-questions.ts';
import { type SaleView, saleText } from './sale-view.ts';
import { lookOf } from './terminal/look.ts';

interface CreateOptions extends ServerOptions {
  readonly file?: string;
  readonly id?: string;
  readonly title?: string;
  readonly sku?: string;
  readonly stock?: number;
  readonly price?: number;
  readonly currency?: string;
  readonly opensAt?: string;
  readonly json?: true;
}

export function saleCreateCommand(context: Context): Command {
  const command = new Command('create')
    .description('make a sale, by questions on a terminal; it is a draft until it is scheduled or opened')
    .option('--file <file>', 'the sale as JSON, as the API takes it; - reads standard input')
    .option('--id <saleId>', 'its id (one is made otherwise)')
    .option('--title <text>', 'its title')
    .option('--sku <sku>', 'the one item')
    .option('--stock <units>', 'units of it', wholeNumber(0, STOCK_MAX))
    .option('--price <minor>', 'price in minor units: 2500 is 25.00 EUR', wholeNumber(0, PRICE_MINOR_MAX))
    .option('--currency <code>', 'ISO 4217 code, like EUR')
    .option('--opens-at <time>', 'RFC 3339 time at which it opens once scheduled; left out: when told to')
    .option('--json', 'print the sale as JSON');
  return withServerOptions(command)
    .addHelpText(
      'after',
      example(
        'doorbuster sale create',
        'doorbuster sale create --id autumn-drop --title "Autumn drop" --sku tee-m --stock 100 --price 2500 --currency EUR',
        'doorbuster sale create --file sale.json',
      ),
    )
    .action(async (options: CreateOptions) => {
      const client = new ServerClient(context, options);
      const body = await bodyOf(options, context);
      const sale = await client.call<SaleView>('POST', '/v1/merchant/sales', body);
      if (options.json) printJson(sale);
      else print(saleText(sale));
      if (isPerson(context) && !options.json) process.stderr.write(nextSteps(sale, client.url));
    });
}

const isPerson = ({ environment }: Context): boolean =>
  process.stdin.isTTY && lookOf(process.stderr, environment).isTerminal;

async function bodyOf(options: CreateOptions, context: Context): Promise<unknown> {
  if (options.file !== undefined) return bodyOfFile(options, context.folder);
  const isBare = FLAGS.every((name) => options[name] === undefined);
  return isBare && isPerson(context) ? bodyOfAnswers(context) : bodyOfFlags(options);
}

async function bodyOfAnswers({ environment }: Context): Promise<unknown> {
  const look = lookOf(process.stderr, environment);
  const dialogue = new Dialogue({ input: process.stdin, output: process.stderr }, look);
  try {
    const body = await askForSale(dialogue);
    if (body === null) throw new CommandFailure(EXIT_NO, 'nothing was made');
    return body;
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
    process.stderr.write('\n');
    throw new CommandFailure(EXIT_NO, 'nothing was made');
  } finally {
    dialogue.close();
  }
}

/** What a person does with a draft. */
function nextSteps({ saleId, opensAt }: SaleView, url: string): string {
  const open =
    opensAt === null
      ? `  doorbuster sale open ${saleId}          open it, now`
      : `  doorbuster sale schedule ${saleId}      freeze it; it opens by itself at its time`;
  return [
    '',
    'It is a draft, nobody sees it yet. Next:',
    open,
    `  doorbuster sale show ${saleId} --watch  watch it`,
    `  ${url}/sales/${saleId}  its page, once it is scheduled or open`,
    '',
  ].join('\n');
}

const FLAGS = ['id', 'title', 'sku', 'stock', 'price', 'currency', 'opensAt'] as const;
const NEEDED = ['title', 'sku', 'stock', 'price', 'currency'] as const;

function bodyOfFlags(options: CreateOptions): unknown {
  const missing = NEEDED.filter((name) => options[name] === undefined);
  if (missing.length > 0)
    throw new CommandFailure(
      EXIT_WRONG_USE,
      `missing: ${missing.map((name) => `--${name}`).join(' ')} (or --file; on a terminal and without any, it asks)`,
    );
  const { id, title, sku, stock, price, currency, opensAt } = options;
  return {
    ...(id === undefined ? {} : { saleId: id }),
    ...(opensAt === undefined ? {} : { opensAt }),
    title,
    currency,
    items: [{ sku, title, priceMinor: price, stock }],
  };
}

function bodyOfFile(options: CreateOptions, folder: string): unknown {
  const also = FLAGS.filter((name) => options[name] !== undefined);
  if (also.length > 0)
    throw new CommandFailure(
      EXIT_WRONG_USE,
      `--file says it all: leave out ${also.map((name) => `--${flag(name)}`).join(' ')}`,
    );
  const file = options.file ?? '-';
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : path.resolve(folder, file), 'utf8');
  } catch (error) {
    throw new CommandFailure(EXIT_WRONG_USE, `${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(EXIT_WRONG_USE, `${file} is no JSON: ${(error as Error).message}`);
  }
}

const flag = (name: (typeof FLAGS)[number]): string => (name === 'opensAt' ? 'opens-at' : name);
