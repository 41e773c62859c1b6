/** `doorbuster sale schedule|open|pause|resume|end`: leads a sale from phase to phase. */
import { Command } from 'commander';
import { ServerClient, type ServerOptions, withServerOptions } from './client.ts';
import { type Context, example, print, printJson } from './context.ts';
import { type SaleView, saleText } from './sale-view.ts';

export const SALE_ACTS = ['schedule', 'open', 'pause', 'resume', 'end'] as const;
type SaleAct = (typeof SALE_ACTS)[number];

const WHAT: Readonly<Record<SaleAct, string>> = {
  schedule: 'freeze a draft; it opens by itself at its time',
  open: 'open a draft or scheduled sale now',
  pause: 'stop new orders; payments of held orders go on',
  resume: 'open a paused sale again',
  end: 'end a sale for good; payments of held orders go on',
};

interface ActOptions extends ServerOptions {
  readonly json?: true;
}

export function saleActCommand(context: Context, act: SaleAct): Command {
  const command = new Command(act)
    .description(WHAT[act])
    .argument('<saleId>', 'the sale')
    .option('--json', 'print the sale as JSON');
  return withServerOptions(command)
    .addHelpText('after', example(`doorbuster sale ${act} autumn-drop`))
    .action(async (saleId: string, options: ActOptions) => {
      const target = `/v1/merchant/sales/${encodeURIComponent(saleId)}/${act}`;
      const sale = await new ServerClient(context, options).call<SaleView>('POST', target);
      if (options.json) printJson(sale);
      else print(saleText(sale));
    });
}
