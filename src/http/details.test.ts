/** Numbers that JSON could not write again are refused, not kept as null. */
import { expect, it } from 'vitest';
import { detailsText } from './details.ts';
import { parseJson } from './json.ts';

it('keeps what can be written again', () => {
  const body = { contact: { name: 'Zoë', floor: 3 }, delivery: 'here' };
  expect(JSON.parse(detailsText(body) as string)).toEqual(body);
});

it('refuses a number past the range, however deep', () => {
  const body = parseJson('{"delivery":{"a":[{"b":1e999}]}}') as object;
  expect(detailsText(body)).toMatchObject({ code: 'invalid', errors: [{ path: '/delivery' }] });
});
