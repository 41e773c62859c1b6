/**
 * What a terminal shows after some output: the few control sequences that the product uses (cursor moved, cleared, hidden
 * and shown), and a failure for any other. Colours are left out; whether there were any is kept. One pass over the output,
 * however many frames are asked for.
 */
import { widthOf } from '../../../src/cli/terminal/text-width.ts';

export interface Screen {
  readonly lines: readonly string[];
  readonly isCursorShown: boolean;
  readonly hasColours: boolean;
}

const ESC = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
const PIECE = new RegExp(`${ESC}\\[([?0-9;]*)([A-Za-z])|\\r|\\n|${BELL}|[^${ESC}\\r\\n${BELL}]+`, 'gu');

/** Cells of a line; the second cell of a wide character is empty. */
type Line = string[];

class Emulator {
  readonly #lines: Line[] = [[]];
  #row = 0;
  #column = 0;
  #isCursorShown = true;
  #hasColours = false;

  get screen(): Screen {
    const lines = this.#lines.map((cells) =>
      Array.from(cells, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    );
    return { lines, isCursorShown: this.#isCursorShown, hasColours: this.#hasColours };
  }

  take(piece: string, argument: string, command: string | undefined): void {
    if (piece === '\r') this.#column = 0;
    else if (piece === '\n') this.#newLine();
    else if (command !== undefined) this.#control(piece, argument, command);
    else if (piece !== BELL) for (const character of piece) this.#put(character);
  }

  get #line(): Line {
    return this.#lines[this.#row] ?? [];
  }

  #newLine(): void {
    this.#row += 1;
    if (this.#row === this.#lines.length) this.#lines.push([]);
  }

  #put(character: string): void {
    const width = widthOf(character);
    this.#line[this.#column] = character;
    if (width === 2) this.#line[this.#column + 1] = '';
    this.#column += width;
  }

  #control(piece: string, argument: string, command: string): void {
    const count = Number(argument === '' ? 1 : argument);
    if (command === 'A') this.#row = Math.max(0, this.#row - count);
    else if (command === 'G') this.#column = count - 1;
    else if (command === 'C') this.#column += count;
    else if (command === 'D') this.#column = Math.max(0, this.#column - count);
    else if (command === 'K' || command === 'J') {
      this.#line.length = Math.min(this.#line.length, this.#column);
      if (command === 'J') this.#lines.length = this.#row + 1;
    } else if (command === 'm') this.#hasColours = true;
    else if (argument === '?25') this.#isCursorShown = command === 'h';
    else throw new Error(`a control sequence that nobody planned: ${JSON.stringify(piece)}`);
  }
}

function* emulate(output: string): Generator<{ readonly emulator: Emulator; readonly isFrame: boolean }> {
  const emulator = new Emulator();
  for (const [piece, argument = '', command] of output.matchAll(PIECE)) {
    emulator.take(piece, argument, command);
    yield { emulator, isFrame: command === 'J' };
  }
}

export function screenAfter(output: string): Screen {
  let last = new Emulator();
  for (const { emulator } of emulate(output)) last = emulator;
  return last.screen;
}

/** The screen as it was after each redrawing. */
export function framesOf(output: string): Screen[] {
  const frames: Screen[] = [];
  for (const { emulator, isFrame } of emulate(output)) if (isFrame) frames.push(emulator.screen);
  return frames;
}
