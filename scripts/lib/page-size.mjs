/**
 * How much a shopper's phone has to load: document and script of a sale page (its styles and both languages are in the
 * script), gzipped as the server sends them. A bound that is not measured is passed within a month.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundlePath, gzippedBytes } from './build-web.mjs';

const BYTES_MAX = 15 * 1024;
const html = fileURLToPath(new URL('../../dist/http/page/html.js', import.meta.url));

/** A sale with everything that its document may say. */
const SALE = {
  saleId: 'a-sale-with-a-name-of-some-length',
  title: 'A title that is neither short nor long',
  opensAtMs: Date.UTC(2027, 6, 1, 18),
  endsAtMs: Date.UTC(2027, 6, 2, 18),
  timeZone: 'Europe/Berlin',
};

/** @param {number} bytes @returns {boolean} */
const fits = (bytes) => bytes <= BYTES_MAX;

/** @returns {Promise<import('./steps.mjs').Result>} */
export const judgePageSize = async () => {
  const { saleHtml } = await import(html);
  const script = gzippedBytes(readFileSync(bundlePath));
  const document = gzippedBytes(saleHtml(SALE, '/assets/doorbuster-sale-0123456789ab.js'));
  const total = script + document;
  const detail = `${total} of at most ${BYTES_MAX} bytes gzipped (script ${script}, document ${document})`;
  // Shown to fail by a byte too many, so that a bound that always holds is noticed.
  const ok = fits(total) && !fits(BYTES_MAX + 1);
  return { ok, detail, output: ok ? '' : `the sale page is too large: ${detail}` };
};
