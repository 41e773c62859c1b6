/**
 * How the demo speaks: whole lines into a pipe; on a terminal the same lines, wrapped and coloured, and a live view
 * below them. Nothing at all with `--json`.
 */
import type { Environment } from '../../kit/setting-sources.ts';
import type { Words } from '../../rehearsal/words/words.ts';
import { columnsOf, LiveArea, type Terminal } from '../terminal/live-area.ts';
import { type Look, lookOf, type Style } from '../terminal/look.ts';
import { wrap } from '../terminal/text-width.ts';

export interface Printer {
  readonly words: Words;
  readonly look: Look;
  /** One line; `style` for one that must be seen. */
  readonly say: (line?: string, style?: Style) => void;
  /** Shows the view below what was said, until `endLive`. On a terminal only. */
  readonly live: (view: (width: number) => readonly string[]) => void;
  readonly endLive: () => void;
}

/** Lines longer than this are hard to read, however wide the terminal. */
const WIDTH_MAX = 100;

export function printerTo(
  out: Terminal & { readonly isTTY?: boolean },
  { environment, words, isQuiet }: { environment: Environment; words: Words; isQuiet: boolean },
): Printer {
  const shown = lookOf(out, environment);
  const look: Look = { ...shown, isTerminal: shown.isTerminal && !isQuiet };
  let area: LiveArea | null = null;
  const say = (line = '', style?: Style): void => {
    if (isQuiet) return;
    const isCommand = line.startsWith('    ') && !/^ {4,}[\d,]+ {2}/.test(line);
    const lines = look.isTerminal && !isCommand ? wrap(line, Math.min(columnsOf(out) - 1, WIDTH_MAX)) : [line];
    const shownAs = (each: string, at: number): string =>
      style === undefined ? painted(each, at === 0, isCommand, look) : look.paint(style, look.paint('bold', each));
    out.write(`${lines.map(shownAs).join('\n')}\n`);
  };
  return {
    words,
    look,
    say,
    live: (view) => {
      if (look.isTerminal) area = new LiveArea(out, view);
    },
    endLive: () => {
      area?.stop();
      area = null;
    },
  };
}

/** Headings bold, marks green or red, commands in a colour of their own. */
function painted(line: string, isFirst: boolean, isCommand: boolean, { paint, signs }: Look): string {
  if (isCommand) return paint('cyan', line);
  if (line !== '' && !line.startsWith(' ')) return paint('bold', line);
  for (const [sign, style] of [
    [signs.good, 'green'],
    [signs.bad, 'red'],
  ] as const)
    if (isFirst && line.startsWith(`  ${sign} `)) return `  ${paint(style, sign)}${line.slice(2 + sign.length)}`;
  return line;
}
