/** Starts the Chromium of this machine, headless and without a word to anybody: one per test file, or one per run of a script. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Names are not looked up: a page that asks another host fails, and the test that watches it says so.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

function chromiumPath(): string {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, 'chromium');
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {}
  }
  throw new Error('chromium is not on PATH: `npm test` installs it where it can');
}

/** Its profile is a fresh temporary folder, which goes with it. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath(), headless: true, args: FLAGS });
