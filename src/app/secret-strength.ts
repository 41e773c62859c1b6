/**
 * Whether a secret is one: long enough, not a value that stands in documentation or that everybody tries first.
 * Asked for every merchant key and buyer secret, wherever it comes from, before anything is served with it.
 */
const SECRET_LENGTH_MIN = 32;

/** Random secrets of 32 characters have at least 12 different ones, hexadecimal included. */
const DIFFERENT_MIN = 8;
/** A shorter text, written again and again until it is long enough. */
const PERIOD_MAX = 16;

/** Words that examples are made of. A secret of nothing but these (and digits, and joints) is an example. */
const EXAMPLE_WORDS = [
  ...['change', 'changeme', 'replace', 'replaceme', 'this', 'me', 'with', 'with', 'in', 'to', 'a', 'an', 'the', 'of'],
  ...['your', 'my', 'our', 'please', 'insert', 'enter', 'put', 'here', 'now', 'before', 'production', 'prod', 'dev'],
  ...['development', 'staging', 'test', 'testing', 'local', 'localhost', 'demo', 'default', 'dummy', 'example'],
  ...['sample', 'placeholder', 'secret', 'secrets', 'super', 'very', 'long', 'strong', 'random', 'value', 'string'],
  ...['password', 'passwd', 'pass', 'word', 'passphrase', 'key', 'keys', 'token', 'jwt', 'hmac', 'sha', 'api', 'auth'],
  ...['private', 'shared', 'signing', 'admin', 'administrator', 'root', 'user', 'merchant', 'buyer', 'shop', 'store'],
  ...['doorbuster', 'server', 'at', 'least', 'characters', 'chars', 'bytes', 'bit', 'bits', 'must', 'be', 'is', 'not'],
  ...['thirty', 'two', 'letmein', 'qwerty', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'iloveyou', 'welcome', 'foo', 'bar'],
  ...['baz', 'hello', 'world', 'abc', 'xyz', 'xxx', 'todo', 'fixme', 'for', 'and', 'or', 'only', 'use', 'do', 'unsafe'],
  ...['insecure', 'minimum', 'min', 'some', 'thing', 'something', 'safe', 'real', 'one', 'really'],
];

const EXAMPLE = new RegExp(`^(?:${[...EXAMPLE_WORDS].sort((a, b) => b.length - a.length).join('|')}|\\d|x)+$`);

const RUNS = ['0123456789abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnopqrstuvwxyz0123456789', '1234567890'];

/** What is allowed, for the line of a refusal. */
export const SECRET_RULE = `at least ${SECRET_LENGTH_MIN} visible ASCII characters, random, not a known example (openssl rand -base64 32)`;

/** Why this must not be used as a secret, or null. Never repeats the secret. */
export function weaknessOf(secret: string): string | null {
  if (secret.trim() === '') return 'it is blank';
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'it has blanks or characters that are not visible ASCII';
  if (secret.length < SECRET_LENGTH_MIN) return `it has fewer than ${SECRET_LENGTH_MIN} characters`;
  if (new Set(secret).size < DIFFERENT_MIN) return 'it has too few different characters';
  if (isRepeated(secret)) return 'it is a short text repeated';
  const letters = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (EXAMPLE.test(letters) || RUNS.some((run) => `${run}${run}`.includes(letters))) return 'it is a known example';
  return null;
}

function isRepeated(secret: string): boolean {
  for (let period = 1; period <= PERIOD_MAX; period++)
    if (secret.slice(period) === secret.slice(0, secret.length - period)) return true;
  return false;
}
