/**
 * The one reader of JSON bodies, stricter than JSON.parse where that would hide something: a name that stands twice
 * in an object (H004), U+0000 and lone surrogates, which some databases cannot keep, bytes that are no UTF-8, names that
 * JavaScript gives a meaning (H053), and nesting that only an attacker sends.
 *
 * Hand-written recursive descent over RFC 8259; the cost is about that of copying the text twice.
 */
import { isUtf8 } from 'node:buffer';

export class JsonFault extends Error {}

export const JSON_DEPTH_MAX = 32;

const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** A run of characters that stand for themselves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON forbids in a string
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Reads a body's bytes. Throws JsonFault with a message that repeats nothing of the body. */
export function parseJsonBytes(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new JsonFault('the body is not UTF-8');
  return parseJson(bytes.toString('utf8'));
}

export function parseJson(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth + 1);
      case '[':
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw this.#malformed();
  }

  #object(depth: number): Record<string, unknown> {
    this.#enter(depth);
    const object: Record<string, unknown> = {};
    if (this.#closes('}')) return object;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#malformed();
      const name = this.#string();
      if (FORBIDDEN_NAMES.has(name)) throw new JsonFault('an object has a name that is not allowed');
      if (Object.hasOwn(object, name)) throw new JsonFault('an object has the same name twice');
      this.#expect(':');
      object[name] = this.value(depth);
    } while (this.#continues('}'));
    return object;
  }

  #array(depth: number): unknown[] {
    this.#enter(depth);
    const array: unknown[] = [];
    if (this.#closes(']')) return array;
    do array.push(this.value(depth));
    while (this.#continues(']'));
    return array;
  }

  #string(): string {
    const start = this.#at + 1;
    this.#at = this.#run(PLAIN, start);
    let text = this.#text.slice(start, this.#at);
    if (this.#text[this.#at] === '"') {
      this.#at++;
      return text;
    }
    while (this.#text[this.#at] === '\\') {
      text += this.#escape();
      const from = this.#at;
      this.#at = this.#run(PLAIN, from);
      text += this.#text.slice(from, this.#at);
    }
    if (this.#text[this.#at] !== '"') throw this.#malformed();
    this.#at++;
    if (text.includes('\u0000')) throw new JsonFault('a string has the character U+0000');
    if (!text.isWellFormed()) throw new JsonFault('a string has half a character (a lone surrogate)');
    return text;
  }

  #escape(): string {
    const sign = this.#text[this.#at + 1] ?? '';
    const plain = ESCAPES[sign];
    if (plain !== undefined) {
      this.#at += 2;
      return plain;
    }
    const digits = this.#text.slice(this.#at + 2, this.#at + 6);
    if (sign !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#malformed();
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  /** -0 is read as 0; a number past the range becomes Infinity, which every schema refuses with its own bound. */
  #number(): number {
    const end = this.#run(NUMBER, this.#at);
    if (end === this.#at) throw this.#malformed();
    const number = Number(this.#text.slice(this.#at, end)) + 0;
    this.#at = end;
    return number;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#malformed();
    this.#at += word.length;
    return value;
  }

  #enter(depth: number): void {
    if (depth > JSON_DEPTH_MAX) throw new JsonFault(`the body is nested deeper than ${JSON_DEPTH_MAX}`);
    this.#at++;
  }

  #closes(sign: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  /** After a member: a comma goes on, the closing sign ends. */
  #continues(closing: string): boolean {
    this.#space();
    const sign = this.#text[this.#at++];
    if (sign === ',') return true;
    if (sign === closing) return false;
    throw this.#malformed();
  }

  #expect(sign: string): void {
    this.#space();
    if (this.#text[this.#at++] !== sign) throw this.#malformed();
  }

  #space(): void {
    const sign = this.#text.charCodeAt(this.#at);
    if (sign === 0x20 || sign === 0x0a || sign === 0x0d || sign === 0x09) this.#at = this.#run(SPACE, this.#at);
  }

  #run(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    pattern.test(this.#text);
    return Math.max(pattern.lastIndex, from);
  }

  #malformed(): JsonFault {
    return new JsonFault('the body is not JSON');
  }
}
