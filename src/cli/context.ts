/**
 * What every command is handed and how it ends. A command throws CommandFailure for an answer that is no (exit 1) or
 * for wrong use (exit 2); main.ts says it in one line.
 */
import { InvalidArgumentError } from 'commander';
import type { Environment } from '../kit/setting-sources.ts';

export interface Context {
  readonly environment: Environment;
  /** The working directory. */
  readonly folder: string;
}

export const EXIT_NO = 1;
export const EXIT_WRONG_USE = 2;

export class CommandFailure extends Error {
  readonly exitCode: number;
  /** For machines: a code of refusal of the API, or one of our own. */
  readonly code: string;

  constructor(
    exitCode: typeof EXIT_NO | typeof EXIT_WRONG_USE,
    message: string,
    code = exitCode === EXIT_NO ? 'failed' : 'wrong_use',
  ) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.code = code;
  }
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One JSON document, for machines. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** The part of a command's help that shows how it is used. */
export const example = (...lines: readonly string[]): string =>
  `\nExample:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;

/** For commander: an option that is a whole number. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`Allowed: a whole number from ${least} to ${most}.`);
    return value;
  };
