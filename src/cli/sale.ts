/** `doorbuster sale`: make a sale, lead it through its phases, look at it. Each act is a command of its own. */
import { Command } from 'commander';
import type { Context } from './context.ts';
import { SALE_ACTS, saleActCommand } from './sale-act.ts';
import { saleCreateCommand } from './sale-create.ts';
import { saleShowCommand } from './sale-show.ts';

export function saleCommand(context: Context): Command {
  const sale = new Command('sale').description('make a sale, open, pause and end it, look at it');
  sale.addCommand(saleCreateCommand(context));
  for (const act of SALE_ACTS) sale.addCommand(saleActCommand(context, act));
  return sale.addCommand(saleShowCommand(context));
}
