/**
 * The two processes of a rehearsal, from the point of view of who starts them: a server of its own in a fresh
 * folder, and the stampede. Ends only what it started, by its id; whatever happens, no process and no folder stay.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { StampedeEvent, StampedeOrder } from './main.ts';
import type { StampedeReport } from './report.ts';

export interface OwnServer {
  /** Its data folder, with the merchant key in it, for other commands. */
  readonly dataFolder: string;
  /** The server's address and key once it accepts requests; rejects when it does not start. */
  readonly listening: Promise<{ readonly url: string; readonly merchantKey: string }>;
  /** Settles when the process has ended, wanted or not. */
  readonly ended: Promise<void>;
  /** SIGTERM, SIGKILL when that takes too long, then the folder is removed. */
  stop(): Promise<void>;
}

const STARTS_WITHIN_MS = 20_000;
const STOPS_WITHIN_MS = 12_000;
const LOG_LINES_KEPT = 30;

/** Starts `serve` of the command at `cliPath` in a fresh folder on a free port of 127.0.0.1; it makes its own secrets there. */
export function startOwnServer(options: { cliPath: string }): OwnServer {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-rehearsal-'));
  const dataFolder = path.join(folder, 'data');
  const args = [options.cliPath, 'serve', '--host', '127.0.0.1', '--port', '0', '--data', dataFolder, '--log', 'warn'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: foreignEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line);
    if (log.length > LOG_LINES_KEPT) log.shift();
  });
  const ended = exitOf(child).then(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const listening = firstOf({
    address: addressLine(child),
    ended: ended.then((): never => {
      throw new Error(`the server ended at once: ${log.join('\n')}`);
    }),
    withinMs: STARTS_WITHIN_MS,
  }).then((url) => ({ url, merchantKey: readFileSync(path.join(dataFolder, 'merchant-key'), 'utf8').trim() }));
  return { dataFolder, listening, ended, stop: () => endChild(child, ended) };
}

export interface StampedeProcess {
  readonly report: Promise<StampedeReport>;
  stop(): Promise<void>;
}

/** Starts the stampede in a second process and hands its events on; `report` rejects when it could not run. */
export function startStampede(order: StampedeOrder, onEvent: (event: StampedeEvent) => void): StampedeProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./main.js', import.meta.url))], {
    env: foreignEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const report = new Promise<StampedeReport>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as StampedeEvent;
      if (event.event === 'report') resolve(event.report);
      else if (event.event === 'failed') reject(new Error(event.message));
      else onEvent(event);
    });
    child.once('close', () => reject(new Error('the stampede ended without a report')));
  });
  return { report, stop: () => endChild(child, exitOf(child)) };
}

/** The environment without our own settings: what the user set for another server must not reach this one. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('DOORBUSTER_')));
}

const exitOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('close', () => resolve());
  });

async function endChild(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS);
  await ended;
  clearTimeout(impatient);
}

const addressLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /^doorbuster listening on (http:\/\/\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });

async function firstOf(parts: { address: Promise<string>; ended: Promise<never>; withinMs: number }): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the server did not start within ${parts.withinMs / 1000} s`)),
      parts.withinMs,
    );
  });
  try {
    return await Promise.race([parts.address, parts.ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
