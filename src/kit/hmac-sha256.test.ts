/** Ours against node's, and the published vectors of RFC 4231. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HmacSha256 } from './hmac-sha256.ts';

const nodes = (secret: string, text: string) => createHmac('sha256', secret).update(text, 'latin1').digest('base64url');

it.each([
  ['\x0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  ['Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
])('is what RFC 4231 says (%#)', (secret, text, hex) => {
  expect(new HmacSha256(secret, 100).sign(text)).toBe(Buffer.from(hex, 'hex').toString('base64url'));
});

it('is what node says, for secrets and texts of every length', () => {
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300 });
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), ascii, (secret, text) => {
      const own = new HmacSha256(secret, 300);
      expect(own.sign(text)).toBe(nodes(secret, text));
      expect(own.matches(text, nodes(secret, text))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('keeps nothing of the text before', () => {
  const own = new HmacSha256('secret', 300);
  own.sign('a much longer text than the next one');
  expect(own.sign('short')).toBe(nodes('secret', 'short'));
  expect(own.matches('short', nodes('secret', 'other'))).toBe(false);
  expect(own.matches('short', `${nodes('secret', 'short')}A`)).toBe(false);
});
