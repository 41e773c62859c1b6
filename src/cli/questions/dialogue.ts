/**
 * Asks a person on a terminal, one question a line, until each answer can be used. Questions go to stderr, so that
 * stdout stays free for what the command makes. Ctrl-C or Ctrl-D: nothing is made (Abandoned).
 */
import { createInterface, type Interface } from 'node:readline/promises';
import type { Look } from '../terminal/look.ts';
import type { Reading } from './answers.ts';

export class Abandoned extends Error {}

export interface Question<T> {
  readonly label: string;
  /** Said beside the label: what it is for. */
  readonly hint?: string;
  /** What an empty answer stands for, as one would type it; none: an answer is needed. */
  readonly otherwise?: string | null;
  readonly read: (text: string) => Reading<T>;
}

export class Dialogue {
  readonly #lines: Interface;
  readonly #look: Look;
  readonly #abandoned: Promise<never>;

  constructor(streams: { input: NodeJS.ReadStream; output: NodeJS.WriteStream }, look: Look) {
    this.#lines = createInterface(streams);
    this.#look = look;
    this.#abandoned = new Promise((_, reject) => {
      const abandon = (): void => reject(new Abandoned());
      this.#lines.once('SIGINT', abandon);
      this.#lines.once('close', abandon);
    });
    this.#abandoned.catch(() => {});
  }

  async ask<T>({ label, hint, otherwise = null, read }: Question<T>): Promise<T> {
    const { paint } = this.#look;
    const proposed = otherwise === null || otherwise === '' ? '' : ` [${otherwise}]`;
    if (hint !== undefined) this.say(paint('dim', `  ${hint}`));
    for (;;) {
      const prompt = `${label}${proposed}: `;
      const typed = (await Promise.race([this.#lines.question(prompt), this.#abandoned])).trim();
      const reading = read(typed === '' && otherwise !== null ? otherwise : typed);
      if ('value' in reading) return reading.value;
      this.say(paint('yellow', `  ${reading.allowed}`));
    }
  }

  say(line: string): void {
    process.stderr.write(`${line}\n`);
  }

  close(): void {
    this.#lines.close();
  }
}
