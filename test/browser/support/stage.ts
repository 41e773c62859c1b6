/** One server and one browser for a test file, and a scene of its own for each test. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type ServerOptions, startServer, type TestServer } from '../../support/server.ts';
import { launchChromium } from './chromium.ts';
import { Scene } from './scene.ts';

/** Room for a start on a machine that is busy with other test files. */
const START_MS = 120_000;

export type Play = (scene: Scene) => Promise<void>;

/**
 * For the top of a test file. The function that it hands back plays a scene, then judges what the visitors' browsers
 * did beside it: nothing wrong, unless `expected` says which planted fault must have been seen.
 */
export function stage(options: ServerOptions = {}): (play: Play, expected?: RegExp) => Promise<void> {
  let server: TestServer | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(options), launchChromium()]);
  }, START_MS);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  }, START_MS);
  return async (play, expected) => {
    if (server === undefined || browser === undefined) throw new Error('the stage is not set');
    const scene = new Scene(server, browser);
    try {
      await play(scene);
      if (expected === undefined) expect(scene.faults()).toEqual([]);
      else expect(scene.faults().join('\n')).toMatch(expected);
    } finally {
      await scene.close();
    }
  };
}
