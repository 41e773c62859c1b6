/**
 * Runs a command of the built product at a pseudo-terminal, as a person would: what it shows is read from the screen,
 * what is typed goes through the terminal's line discipline, Ctrl-C included. Through `script` of util-linux.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { cliPath } from '../../support/server.ts';
import { type Screen, screenAfter } from './screen.ts';

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Into a file instead of the terminal. */
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Generous: only a screen that never shows it takes so long. */
const SHOWN_WITHIN_MS = 30_000;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Those that have not ended yet. */
const open = new Set<PseudoTerminal>();

/** For the end of a test file: whatever a failed test has left open must not stay. */
export const hangUpAll = async (): Promise<void> => {
  await Promise.all([...open].map((each) => each.hangUp()));
};

export class PseudoTerminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  output = '';

  constructor(args: readonly string[], { cwd, env = {}, columns = 80, stdout, stderr }: TerminalOptions) {
    const into = `${stdout === undefined ? '' : ` >${quoted(stdout)}`}${stderr === undefined ? '' : ` 2>${quoted(stderr)}`}`;
    const command = `stty cols ${columns} rows 50; exec ${[process.execPath, cliPath, ...args].map(quoted).join(' ')}${into}`;
    this.#child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      this.output += piece;
    });
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
    open.add(this);
    void this.#ended.then(() => open.delete(this));
  }

  get screen(): Screen {
    return screenAfter(this.output);
  }

  /** Waits until the output has the text (after `from` characters of it); where it then stands. */
  async shows(text: string | RegExp, from = 0): Promise<number> {
    const deadline = performance.now() + SHOWN_WITHIN_MS;
    let isOver = false;
    void this.#ended.then(() => {
      isOver = true;
    });
    for (;;) {
      const rest = this.output.slice(from);
      const at = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
      if (at !== -1) return from + at;
      if (isOver || performance.now() > deadline) {
        await this.hangUp();
        throw new Error(`it never showed ${text}:\n${rest}`);
      }
      await delay(20);
    }
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Ends what still runs there, by hanging up. */
  async hangUp(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
