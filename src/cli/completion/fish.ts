/** The completion script for fish. */
import type { Node } from './tree.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const { path, commands, options, values } = node;
    const taken = commands.map(({ name }) => name).join(' ');
    const isHere = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notBelow = taken === '' ? [] : [`not __fish_seen_subcommand_from ${taken}`];
    const when = [...isHere, ...notBelow].join('; and ');
    const line = (rest: string): string => `complete -c doorbuster -n ${quoted(when === '' ? 'true' : when)} ${rest}`;
    return [
      ...commands.map(({ name, says }) => line(`-f -a ${name} -d ${quoted(says)}`)),
      ...values.map((value) => line(`-f -a ${value}`)),
      ...options.map(({ flag, says, takesValue, values: chosen }) => {
        const value = chosen.length > 0 ? ` -x -a ${quoted(chosen.join(' '))}` : takesValue ? ' -r' : '';
        return line(`-l ${flag.replace(/^--/, '')}${value} -d ${quoted(says)}`);
      }),
    ];
  });
  return ['# doorbuster completion for fish', ...lines].join('\n');
}
