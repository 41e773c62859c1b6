/** Strict JSON: what JSON.parse takes and we do not, and that for everything else the two agree. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './fingerprint.ts';
import { JSON_DEPTH_MAX, JsonFault, parseJson, parseJsonBytes } from './json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('refuses', () => {
  it.each([
    ['nothing', ''],
    ['spaces', '  '],
    ['two values', '{}{}'],
    ['a trailing comma in an object', '{"a":1,}'],
    ['a trailing comma in a list', '[1,]'],
    ['a lone comma', '[,]'],
    ['a missing colon', '{"a" 1}'],
    ['a bare name', '{a:1}'],
    ['single quotes', "{'a':1}"],
    ['an open string', '"a'],
    ['an open object', '{"a":1'],
    ['a byte order mark', '\uFEFF{}'],
    ['a no-break space', '{}\u00A0'],
    ['NaN', 'NaN'],
    ['Infinity', '-Infinity'],
    ['a leading zero', '01'],
    ['a plus', '+1'],
    ['a bare point', '1.'],
    ['hexadecimal', '0x10'],
    ['a lone minus', '-'],
    ['a raw newline in a string', '"a\nb"'],
    ['an unknown escape', '"\\x41"'],
    ['half an escape', '"\\u12"'],
    ['an escape that is no number', '"\\u00g0"'],
    ['a comment', '{/**/}'],
    ['half a word', 'tru'],
    ['a name twice', '{"a":1,"a":1}'],
    ['a name twice, spelt differently', '{"sku":1,"s\\u006bu":2}'],
    ['a name twice, deep inside', '[{"x":{"a":1,"b":2,"a":3}}]'],
    ['U+0000', '"a\\u0000b"'],
    ['U+0000 in a name', '{"a\\u0000":1}'],
    ['a lone high surrogate', '"\\ud800"'],
    ['a lone low surrogate', '"x\\udc00y"'],
    ['surrogates the wrong way round', '"\\udc00\\ud800"'],
    ['__proto__', '{"__proto__":{}}'],
    ['__proto__, escaped', '{"\\u005f_proto__":{}}'],
    ['constructor', '{"constructor":1}'],
    ['prototype, deep inside', '[[{"prototype":1}]]'],
    ['nesting past the bound', nested(JSON_DEPTH_MAX + 1)],
    ['a great deal of nesting', nested(100_000)],
  ])('%s', (_, text) => {
    expect(() => parseJson(text)).toThrow(JsonFault);
  });

  it.each([
    ['a stray byte', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['half a character', Buffer.from([0x22, 0xe2, 0x82, 0x22])],
  ])('bytes that are no UTF-8: %s', (_, bytes) => {
    expect(() => parseJsonBytes(bytes)).toThrow(JsonFault);
  });

  it('repeats nothing of the body in what it says', () => {
    for (const text of ['{"hunter2":1,"hunter2":2}', 'hunter2', '"hunter2']) {
      expect(() => parseJson(text)).toThrow(expect.not.stringContaining('hunter2'));
    }
  });
});

describe('takes', () => {
  it.each([
    ['nesting up to the bound', nested(JSON_DEPTH_MAX)],
    ['space everywhere', ' \t\r\n{ "a" : [ 1 , 2 ] , "b" : { } } \n'],
    ['all escapes', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"'],
    ['numbers of every form', '[0,-1,1.5,1e3,1E+3,1e-3,-0.5e1,123456789012345678901234567890]'],
    ['names that only look special', '{"toString":1,"hasOwnProperty":2,"__proto":3,"":4}'],
  ])('%s', (_, text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('-0 as 0, and what is past the range as Infinity, for the schema to refuse', () => {
    expect(Object.is(parseJson('-0'), 0)).toBe(true);
    expect(parseJson('1e400')).toBe(Number.POSITIVE_INFINITY);
  });

  it('whatever JSON.stringify writes, as JSON.parse reads it', () => {
    const special = new Set(['__proto__', 'constructor', 'prototype']);
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const hasSpecial = [...special].some((name) => text.includes(name));
        fc.pre(!hasSpecial && !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text));
        expect(canonicalJson(parseJson(text))).toBe(canonicalJson(JSON.parse(text)));
      }),
      { numRuns: 200 },
    );
  });

  it('no text that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0a1e-+.tfn \n') }), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (!isJson) expect(() => parseJson(text)).toThrow(JsonFault);
      }),
      { numRuns: 500 },
    );
  });
});
