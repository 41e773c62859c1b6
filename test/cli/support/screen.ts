/**
 * What a terminal shows after some output: the few control sequences that the product uses (cursor up, carriage return,
 * clear, cursor hidden and shown), and a failure for any other. Colours are left out, whether there were any is kept.
 */
import { padEnd, widthOf } from '../../../src/cli/terminal/text-width.ts';

export interface Screen {
  readonly lines: readonly string[];
  readonly isCursorShown: boolean;
  readonly hasColours: boolean;
}

const ESC = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
const PIECE = new RegExp(`${ESC}\\[([?0-9;]*)([A-Za-z])|\\r|\\n|${BELL}|[^${ESC}\\r\\n${BELL}]+`, 'gu');

export function screenAfter(output: string): Screen {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  let isCursorShown = true;
  let hasColours = false;
  for (const [piece, argument = '', command] of output.matchAll(PIECE)) {
    const count = Number(argument === '' ? 1 : argument);
    if (piece === '\r') column = 0;
    else if (piece === BELL) continue;
    else if (piece === '\n') {
      row += 1;
      if (row === lines.length) lines.push('');
    } else if (command === undefined) {
      const line = lines[row] ?? '';
      lines[row] = padEnd(take(line, column), column) + piece + line.slice(take(line, column + widthOf(piece)).length);
      column += widthOf(piece);
    } else if (command === 'A') row = Math.max(0, row - count);
    else if (command === 'K') lines[row] = take(lines[row] ?? '', column);
    else if (command === 'J') {
      lines.length = row + 1;
      lines[row] = take(lines[row] ?? '', column);
    } else if (command === 'G') column = count - 1;
    else if (command === 'D') column = Math.max(0, column - count);
    else if (command === 'C') column += count;
    else if (command === 'm') hasColours = true;
    else if (argument === '?25') isCursorShown = command === 'h';
    else throw new Error(`a control sequence that nobody planned: ${JSON.stringify(piece)}`);
  }
  return { lines: lines.map((line) => line.trimEnd()), isCursorShown, hasColours };
}

/** The beginning of a line that takes so many columns. */
function take(line: string, columns: number): string {
  let kept = '';
  for (const character of line) {
    if (widthOf(kept + character) > columns) break;
    kept += character;
  }
  return kept;
}

/** The screen as it was after each redrawing. */
export const framesOf = (output: string): Screen[] =>
  [...output.matchAll(new RegExp(`${ESC}\\[J`, 'g'))].map(({ index }) => screenAfter(output.slice(0, index + 3)));
