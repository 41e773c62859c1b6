/**
 * Requests that are hardly HTTP: broken request lines, headers and framing. The server may refuse them with what HTTP
 * demands (400, 417, 431, ...), or hang up; what it says must still be a problem, and it must go on serving.
 */
import type { BadRequest } from './bad-requests.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

const host = 'Host: 127.0.0.1\r\n';

const forms = (world: World): readonly (readonly [string, string])[] => {
  const auth = `Authorization: Bearer ${world.merchantKey}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const post = (headers: string, body: string) =>
    `POST /v1/merchant/payments HTTP/1.1\r\n${host}${auth}${json}${headers}\r\n${body}`;
  return [
    ['no version', 'GET /v1/time\r\n\r\n'],
    ['version 0.9', `GET /v1/time HTTP/0.9\r\n${host}\r\n`],
    ['version 3', `GET /v1/time HTTP/3.0\r\n${host}\r\n`],
    ['version 1.0', 'GET /v1/time HTTP/1.0\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method in small letters', `get /v1/time HTTP/1.1\r\n${host}\r\n`],
    ['a method that is none', `B\u00e4D /v1/time HTTP/1.1\r\n${host}\r\n`],
    ['no method', ` /v1/time HTTP/1.1\r\n${host}\r\n`],
    ['no target', `GET  HTTP/1.1\r\n${host}\r\n`],
    ['a space in the target', `GET /v1/ti me HTTP/1.1\r\n${host}\r\n`],
    ['a control character in the target', `GET /v1/\u0001time HTTP/1.1\r\n${host}\r\n`],
    ['raw bytes in the target', `GET /v1/\u00ff\u00fe HTTP/1.1\r\n${host}\r\n`],
    ['an absolute target', `GET http://evil.example/v1/time HTTP/1.1\r\n${host}\r\n`],
    ['a target without a slash', `GET v1/time HTTP/1.1\r\n${host}\r\n`],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
    ['CONNECT', `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`],
    ['no Host', 'GET /v1/time HTTP/1.1\r\n\r\n'],
    ['two Hosts', `GET /v1/time HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`],
    ['a Host that is none', 'GET /v1/time HTTP/1.1\r\nHost: ///\\\\??\r\n\r\n'],
    ['a header without a colon', `GET /v1/time HTTP/1.1\r\n${host}nonsense\r\n\r\n`],
    ['a header without a name', `GET /v1/time HTTP/1.1\r\n${host}: x\r\n\r\n`],
    ['a space before the colon', `GET /v1/time HTTP/1.1\r\n${host}X-A : x\r\n\r\n`],
    ['NUL in a header', `GET /v1/time HTTP/1.1\r\n${host}X-A: a\u0000b\r\n\r\n`],
    ['a folded header', `GET /v1/time HTTP/1.1\r\n${host}X-A: a\r\n b\r\n\r\n`],
    ['a bare newline', `GET /v1/time HTTP/1.1\n${host}\n`],
    ['20 KB of headers', `GET /v1/time HTTP/1.1\r\n${host}X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    [
      '1,500 headers',
      `GET /v1/time HTTP/1.1\r\n${host}${Array.from({ length: 1500 }, (_, at) => `A${at}: 1`).join('\r\n')}\r\n\r\n`,
    ],
    ['a 20 KB target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n', '[]')],
    ['a length below 0', post('Content-Length: -1\r\n', '[]')],
    ['a length that is no number', post('Content-Length: two\r\n', '[]')],
    ['a length past every bound', post(`Content-Length: ${'9'.repeat(64)}\r\n`, '[]')],
    ['length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '2\r\n[]\r\n0\r\n\r\n')],
    ['chunks of a bad size', post('Transfer-Encoding: chunked\r\n', 'zz\r\n[]\r\n0\r\n\r\n')],
    ['an unknown coding', post('Transfer-Encoding: nonsense\r\n', '[]')],
    ['chunked twice', post('Transfer-Encoding: chunked, chunked\r\n', '2\r\n[]\r\n0\r\n\r\n')],
    ['a trailer', post('Transfer-Encoding: chunked\r\nTrailer: X-A\r\n', '2\r\n[]\r\n0\r\nAuthorization: x\r\n\r\n')],
    ['a compressed body', post('Content-Encoding: gzip\r\nContent-Length: 2\r\n', '\u001f\u008b')],
    ['an unknown expectation', post('Expect: the-unexpected\r\nContent-Length: 2\r\n', '[]')],
    ['100-continue', post('Expect: 100-continue\r\nContent-Length: 2\r\n', '[]')],
    ['an upgrade', `GET /v1/time HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ['a body on GET', `GET /v1/time HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n{}`],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n'],
    ['noise', '\u0000\u0001\u0002\u0003\u00ff\r\n\r\n'],
  ];
};

export function hostileRequest(random: Random, world: World): BadRequest {
  const [name, text] = random.pick(forms(world));
  const bytes = Buffer.from(text, 'latin1');
  return {
    name: `hostile: ${name}`,
    route: null,
    pieces: random.chance(0.2) && bytes.length < 1000 ? [bytes.subarray(0, 7), bytes.subarray(7)] : [bytes],
    head: false,
    expect: 'transport',
    codes: [],
    alone: true,
    order: false,
  };
}
