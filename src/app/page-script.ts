/** Reads the built sale page, which the build lays beside the compiled product. */
import { readFileSync } from 'node:fs';
import type { Log } from '../kit/log.ts';

/** Null where it was not built: the API works without pages, and the log says what is missing. */
export function readPageScript(log: Log): Buffer | null {
  try {
    return readFileSync(new URL('../web/doorbuster-sale.js', import.meta.url));
  } catch (err) {
    log.warn({ err }, 'the sale page is not built: /sales/... is not served');
    return null;
  }
}
