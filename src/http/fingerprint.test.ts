/** When two bodies are one request: by value, not by bytes. */
import { expect, it } from 'vitest';
import { canonicalJson, fingerprintOf } from './fingerprint.ts';
import { parseJson } from './json.ts';

const same = (a: string, b: string): boolean => fingerprintOf(parseJson(a)) === fingerprintOf(parseJson(b));

it.each([
  ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }'],
  ['{"a":{"x":1,"y":[1,2]}}', '{"a":{"y":[1,2],"x":1}}'],
  ['{"n":1}', '{"n":1.0}'],
  ['{"n":1000}', '{"n":1e3}'],
  ['{"n":0}', '{"n":-0}'],
  ['{"s":"k"}', '{"s":"\\u006b"}'],
])('%s is %s', (a, b) => {
  expect(same(a, b)).toBe(true);
});

it.each([
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":null}', '{}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":{"b":1}}', '{"a":[{"b":1}]}'],
  ['{"a":"1,b"}', '{"a":"1","b":""}'],
  ['{"a":true}', '{"a":"true"}'],
  ['"é"', '"e\u0301"'],
])('%s is not %s', (a, b) => {
  expect(same(a, b)).toBe(false);
});

it('writes names sorted by code unit, without spaces', () => {
  expect(canonicalJson({ b: [null, false], a: { 'ä"': 'x' }, B: undefined })).toBe(
    '{"a":{"ä\\"":"x"},"b":[null,false]}',
  );
});
