/** `doorbuster sale show`: settings and phase of a sale. */
import { Command } from 'commander';
import { ServerClient, type ServerOptions, withServerOptions } from './client.ts';
import { type Context, example, print, printJson } from './context.ts';
import { type SaleView, saleText } from './sale-view.ts';

interface ShowOptions extends ServerOptions {
  readonly json?: true;
}

export function saleShowCommand(context: Context): Command {
  const command = new Command('show')
    .description('settings and phase of a sale')
    .argument('<saleId>', 'the sale')
    .option('--json', 'print the sale as JSON');
  return withServerOptions(command)
    .addHelpText('after', example('doorbuster sale show autumn-drop'))
    .action(async (saleId: string, options: ShowOptions) => {
      const target = `/v1/merchant/sales/${encodeURIComponent(saleId)}`;
      const sale = await new ServerClient(context, options).call<SaleView>('GET', target);
      if (options.json) printJson(sale);
      else print(saleText(sale));
    });
}
