/**
 * What a stream can show: whether it is a terminal, how wide it is, which signs and colours it knows. Colours only on a
 * terminal, and not where NO_COLOR or TERM=dumb ask for none. Signs beyond ASCII unless the locale names another
 * encoding than UTF-8; a locale that is not set at all (containers, services) is taken for UTF-8.
 */
import { styleText } from 'node:util';
import type { Environment } from '../../kit/setting-sources.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export interface Signs {
  readonly good: string;
  readonly bad: string;
  readonly none: string;
  readonly doubtful: string;
  readonly arrow: string;
  readonly done: string;
  readonly sold: string;
  readonly held: string;
  readonly free: string;
  /** From lowest to highest. */
  readonly heights: readonly string[];
}

export interface Look {
  readonly isTerminal: boolean;
  readonly paint: Paint;
  readonly signs: Signs;
}

const UNICODE: Signs = {
  good: '✓',
  bad: '✗',
  none: '–',
  doubtful: '!',
  arrow: '→',
  done: '█',
  sold: '█',
  held: '▒',
  free: '░',
  heights: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
};

const ASCII: Signs = {
  good: 'ok',
  bad: 'NO',
  none: '-',
  doubtful: '!!',
  arrow: '->',
  done: '#',
  sold: '#',
  held: '+',
  free: '.',
  heights: ['_', '.', '-', '=', '^'],
};

export const noPaint: Paint = (_style, text) => text;
const colours: Paint = (style, text) => styleText(style, text, { validateStream: false });

export function lookOf(stream: { readonly isTTY?: boolean }, environment: Environment): Look {
  const isTerminal = stream.isTTY === true;
  const wantsColours = isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
  return { isTerminal, paint: wantsColours ? colours : noPaint, signs: isUtf8(environment) ? UNICODE : ASCII };
}

/** The variable that decides, as POSIX has it. */
export const localeOf = (environment: Environment): string =>
  environment.LC_ALL || environment.LC_CTYPE || environment.LANG || '';

function isUtf8(environment: Environment): boolean {
  const locale = localeOf(environment);
  return locale === '' || /utf-?8/i.test(locale);
}
