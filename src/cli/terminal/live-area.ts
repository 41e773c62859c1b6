/**
 * Some lines of a terminal that are drawn anew four times a second, in place. Hides the cursor and gives it back however
 * the process ends: `stop`, a signal that somebody handles, or the last resort at exit. Draws; decides nothing.
 */
import { cut } from './text-width.ts';

const EVERY_MS = 250;
const ESC = String.fromCharCode(27);
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
const CLEAR_BELOW = `${ESC}[J`;
const CLEAR_LINE = `${ESC}[K`;

export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** What a terminal without a size is taken for. */
const COLUMNS = 80;
const ROWS = 24;

export const columnsOf = ({ columns }: { readonly columns?: number }): number =>
  columns === undefined || columns <= 0 ? COLUMNS : columns;

export class LiveArea {
  readonly #out: Terminal;
  readonly #view: (width: number) => readonly string[];
  readonly #timer: NodeJS.Timeout;
  readonly #atExit = (): void => void this.#out.write(SHOW_CURSOR);
  #drawn = 0;
  #isOver = false;

  constructor(out: Terminal, view: (width: number) => readonly string[]) {
    this.#out = out;
    this.#view = view;
    process.on('exit', this.#atExit);
    out.write(HIDE_CURSOR);
    this.draw();
    this.#timer = setInterval(() => this.draw(), EVERY_MS);
  }

  draw(): void {
    if (this.#isOver) return;
    const width = columnsOf(this.#out);
    // A line that wraps, or one more than fit, would move what is above, and the next drawing would miss its place.
    const most = Math.max(1, (this.#out.rows || ROWS) - 1);
    const lines = this.#view(width)
      .slice(0, most)
      .map((line) => `${cut(line, width - 1)}${CLEAR_LINE}\n`);
    const up = this.#drawn === 0 ? '' : `${ESC}[${this.#drawn}A`;
    this.#out.write(`${up}\r${lines.join('')}${CLEAR_BELOW}`);
    this.#drawn = lines.length;
  }

  /** Draws a last time, leaves it standing and gives the cursor back. Again: nothing. */
  stop(): void {
    if (this.#isOver) return;
    clearInterval(this.#timer);
    this.draw();
    this.#isOver = true;
    this.#out.write(SHOW_CURSOR);
    process.off('exit', this.#atExit);
  }
}
