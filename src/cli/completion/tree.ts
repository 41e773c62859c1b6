/** The tree of commands as a completion needs it: each command by its path, with what may follow. */
import type { Command } from 'commander';

export interface Node {
  /** The words that lead to it: `['sale', 'show']`; none for the program itself. */
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly says: string }[];
  readonly options: readonly OptionNode[];
  /** Values that its first argument is chosen from; none where it is free. */
  readonly values: readonly string[];
}

export interface OptionNode {
  readonly flag: string;
  readonly says: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

export function nodesOf(command: Command, path: readonly string[] = []): Node[] {
  const node: Node = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), says: child.description() })),
    options: [
      ...command.options.map(({ long, short, description, required, optional, argChoices }) => ({
        flag: long ?? short ?? '',
        says: description,
        takesValue: required || optional,
        values: argChoices ?? [],
      })),
      { flag: '--help', says: 'how it is used', takesValue: false, values: [] },
    ],
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [node, ...command.commands.flatMap((child) => nodesOf(child, [...path, child.name()]))];
}

/** What may stand next, in one line of words. */
export const wordsAfter = ({ commands, values, options }: Node): string =>
  [...commands.map(({ name }) => name), ...values, ...options.map(({ flag }) => flag)].join(' ');

/** The options of a node, or of all, that are chosen from a list. */
export const choicesOf = (nodes: readonly Node[]): readonly OptionNode[] => [
  ...new Map(
    nodes.flatMap(({ options }) => options.filter(({ values }) => values.length > 0)).map((each) => [each.flag, each]),
  ).values(),
];

/** Options whose value is free: the shell offers files there. */
export const freeOptionsOf = (nodes: readonly Node[]): readonly string[] => [
  ...new Set(
    nodes.flatMap(({ options }) =>
      options.filter(({ takesValue, values }) => takesValue && values.length === 0).map(({ flag }) => flag),
    ),
  ),
];
