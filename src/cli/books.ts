/** `doorbuster books`: where every unit of a sale is. Exit 1 where the books do not balance. */
import { Command } from 'commander';
import { ServerClient, type ServerOptions, withServerOptions } from './client.ts';
import { type Context, EXIT_NO, example, print, printJson } from './context.ts';
import { ordersText } from './sale-sight.ts';
import { table } from './terminal/bars.ts';

interface BooksOptions extends ServerOptions {
  readonly json?: true;
}

export interface Books {
  readonly items: readonly {
    readonly sku: string;
    readonly total: number;
    readonly available: number;
    readonly held: number;
    readonly sold: number;
    readonly inFlight: number;
  }[];
  readonly orders: Readonly<Record<string, number>>;
  readonly balanced: boolean;
}

export function booksCommand(context: Context): Command {
  const command = new Command('books')
    .description('where every unit of a sale is; exit 1 where the books do not balance')
    .argument('<saleId>', 'the sale')
    .option('--json', 'print the books as JSON');
  return withServerOptions(command)
    .addHelpText('after', example('doorbuster books autumn-drop'))
    .action(async (saleId: string, options: BooksOptions) => {
      const target = `/v1/merchant/sales/${encodeURIComponent(saleId)}/books`;
      const books = await new ServerClient(context, options).call<Books>('GET', target);
      if (options.json) printJson(books);
      else print(booksText(books));
      process.exitCode = books.balanced ? 0 : EXIT_NO;
    });
}

const COLUMNS = ['total', 'available', 'held', 'sold', 'inFlight'] as const;

function booksText(books: Books): string {
  const rows = [
    ['item', ...COLUMNS],
    ...books.items.map((item) => [item.sku, ...COLUMNS.map((name) => String(item[name]))]),
  ];
  return [
    ...table(rows),
    `orders: ${ordersText(books)}`,
    books.balanced ? 'the books balance' : 'THE BOOKS DO NOT BALANCE: see the log of the server, and doorbuster doctor',
  ].join('\n');
}
