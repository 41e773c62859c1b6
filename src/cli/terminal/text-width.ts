/**
 * How many columns of a terminal a text takes, and filling, cutting and wrapping by that measure. A Chinese character
 * takes two columns, a combining mark and a colour code none; `length` knows nothing of this. Pure.
 */

/** Colours and the like: what moves no column. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');

export const plain = (text: string): string => text.replaceAll(ESCAPES, '');

/** East Asian Wide and Fullwidth (UAX #11), as whole blocks: finer than any terminal's own table need be here. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

const NARROWER = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;

function columnsOf(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return 1;
  if (NARROWER.test(character)) return 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** Columns that the text takes on one line. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const character of plain(text)) columns += columnsOf(character);
  return columns;
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** The text in at most `width` columns; what was cut is shown by `…`. Colour codes are kept, wherever the cut is. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let columns = 0;
  let kept = '';
  let isCut = false;
  for (const part of text.split(new RegExp(`(${ESCAPES.source})`))) {
    if (part !== '' && plain(part) === '') {
      kept += part;
      continue;
    }
    for (const character of isCut ? '' : part) {
      columns += columnsOf(character);
      isCut = columns > width - 1;
      if (isCut) break;
      kept += character;
    }
    if (isCut && !kept.includes('…')) kept += '…';
  }
  return kept;
}

/**
 * The line in pieces of at most `width` columns, broken at blanks or between wide characters, the later ones set in as
 * far as the first began. A piece without a place to break stays whole.
 */
export function wrap(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const indent = /^(?:\s*(?:[✓✗–-]|ok|NO|[\d,]+(?= {2}))?\s*)/.exec(line)?.[0] ?? '';
  const hanging = ' '.repeat(widthOf(indent));
  const lines: string[] = [];
  let current = indent;
  let isBare = true;
  for (const word of wordsOf(line.slice(indent.length))) {
    if (!isBare && widthOf(current + word.trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = hanging;
    }
    current += word;
    isBare = false;
  }
  return [...lines, current.trimEnd()];
}

/** What must stand on one line: a word with the blanks after it, or one wide character with the marks after it. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  const flush = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  let wasWide = false;
  for (const character of text) {
    const isWide = columnsOf(character) === 2;
    const closes = /^[，。；：、！？）」』》”]$/u.test(character);
    if (character !== ' ' && !closes && (isWide || wasWide || / $/.test(word))) flush();
    word += character;
    wasWide = isWide && !/^[（「『《“]$/u.test(character);
  }
  flush();
  return words;
}
