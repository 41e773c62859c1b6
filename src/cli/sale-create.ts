/** `doorbuster sale create`: from a file or standard input with the body of the API, or from a few flags for one item. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { ServerClient, type ServerOptions, withServerOptions } from './client.ts';
import { CommandFailure, type Context, EXIT_WRONG_USE, example, print, printJson, wholeNumber } from './context.ts';
import { type SaleView, saleText } from './sale-view.ts';

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

/** Bounds of the API (API.md, Merchant). */
const STOCK_MAX = 100_000_000;
const PRICE_MINOR_MAX = 10 ** 12;

export function saleCreateCommand(context: Context): Command {
  const command = new Command('create')
    .description('make a sale; it is a draft until it is scheduled or opened')
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
        'doorbuster sale create --id autumn-drop --title "Autumn drop" --sku tee-m --stock 100 --price 2500 --currency EUR',
        'doorbuster sale create --file sale.json',
      ),
    )
    .action(async (options: CreateOptions) => {
      const body = options.file === undefined ? bodyOfFlags(options) : bodyOfFile(options, context.folder);
      const sale = await new ServerClient(context, options).call<SaleView>('POST', '/v1/merchant/sales', body);
      if (options.json) printJson(sale);
      else print(saleText(sale));
    });
}

const FLAGS = ['id', 'title', 'sku', 'stock', 'price', 'currency', 'opensAt'] as const;
const NEEDED = ['title', 'sku', 'stock', 'price', 'currency'] as const;

function bodyOfFlags(options: CreateOptions): unknown {
  const missing = NEEDED.filter((name) => options[name] === undefined);
  if (missing.length > 0)
    throw new CommandFailure(EXIT_WRONG_USE, `missing: ${missing.map((name) => `--${name}`).join(' ')} (or --file)`);
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
