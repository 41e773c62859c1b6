/** Cells of the export: readable, exact, and never a formula (CWE-1236). */
import { expect, it } from 'vitest';
import { csvCell } from './orders-csv.ts';

it.each([
  ['plain', 'plain'],
  ['00123', '00123'],
  ['653247040368672768', '653247040368672768'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\nlines', '"two\nlines"'],
  [' padded ', '" padded "'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['\uFF1D1', "'\uFF1D1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [2500, '2500'],
  [-5, '-5'],
  [[{ reason: '=x' }], '"[{""reason"":""=x""}]"'],
])('%j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});
