/** `doorbuster keys show|rotate`: the merchant key and the buyer secret of the installation here. */
import { Argument, Command } from 'commander';
import type { KeyKind } from '../app/keys.ts';
import { CommandFailure, type Context, EXIT_NO, EXIT_WRONG_USE, example, print, printJson } from './context.ts';

interface KeyOptions {
  readonly data?: string;
  readonly reveal?: true;
  readonly json?: true;
}

export function keysCommand(context: Context): Command {
  const keys = new Command('keys').description('show and rotate the merchant key and the buyer secret');
  return keys.addCommand(showCommand(context)).addCommand(rotateCommand(context));
}

function showCommand({ environment, folder }: Context): Command {
  return new Command('show')
    .description('print a secret, on a terminal or with --reveal')
    .addArgument(kindArgument('[which]').default('merchant'))
    .option('--data <folder>', 'the data folder (DOORBUSTER_DATA; default ./data)')
    .option('--reveal', 'print it though stdout is no terminal')
    .option('--json', 'print it with its source as JSON')
    .addHelpText('after', example('doorbuster keys show', 'export KEY=$(doorbuster keys show merchant --reveal)'))
    .action(async (kind: KeyKind, { data, reveal, json }: KeyOptions) => {
      const { findKey } = await import('../app/keys.ts');
      const key = findKey({ flags: { data }, environment, folder }, kind);
      if (key === null)
        throw new CommandFailure(EXIT_NO, `there is no ${NAMES[kind]} yet: the first start of the server makes one`);
      if (reveal === undefined && !process.stdout.isTTY)
        throw new CommandFailure(EXIT_WRONG_USE, `the ${NAMES[kind]} is not printed: stdout is no terminal (--reveal)`);
      if (json) printJson({ name: kind, ...key });
      else print(key.value);
    });
}

function rotateCommand({ environment, folder }: Context): Command {
  return new Command('rotate')
    .description('write a new secret into the data folder; the server takes it at its next start')
    .addArgument(kindArgument('<which>'))
    .option('--data <folder>', 'the data folder (DOORBUSTER_DATA; default ./data)')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', example('doorbuster keys rotate merchant'))
    .action(async (kind: KeyKind, { data, json }: KeyOptions) => {
      const { rotateKey } = await import('../app/keys.ts');
      const { source } = rotateKey({ flags: { data }, environment, folder }, kind);
      if (json) printJson({ name: kind, source, takesEffect: 'at the next start' });
      else
        print(
          `a new ${NAMES[kind]} is in ${source}; a running server goes on with the old one until its restart.\n${AFTER[kind]}`,
        );
    });
}

const NAMES: Readonly<Record<KeyKind, string>> = { merchant: 'merchant key', buyer: 'buyer secret' };

const AFTER: Readonly<Record<KeyKind, string>> = {
  merchant: "From then on the shop's backend must send the new key.",
  buyer: 'From then on tokens signed with the old one are refused: mint new ones for shoppers who are on the page.',
};

const kindArgument = (name: '<which>' | '[which]'): Argument =>
  new Argument(name, 'which secret').choices(['merchant', 'buyer']);
