/**
 * `doorbuster completion`: a script for the shell that completes commands, options and the values that options and
 * arguments are chosen from. Made from the tree of commands, so that it can never lag behind it.
 */
import { Argument, Command } from 'commander';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { nodesOf } from './completion/tree.ts';
import { zshScript } from './completion/zsh.ts';
import { example, print, printJson } from './context.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SCRIPTS;

export function completionCommand(root: () => Command): Command {
  return new Command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)))
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      example(
        'source <(doorbuster completion bash)',
        'doorbuster completion zsh > ~/.zfunc/_doorbuster',
        'doorbuster completion fish > ~/.config/fish/completions/doorbuster.fish',
      ),
    )
    .action((shell: Shell, { json }: { json?: true }) => {
      const script = SCRIPTS[shell](nodesOf(root()));
      if (json) printJson({ shell, script });
      else print(script);
    });
}
