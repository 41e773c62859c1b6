/**
 * The processes of a bench: the product's server in a fresh folder, the bare server, the load generator. Each is
 * started here, ended by its id here, and charged for its CPU time as the kernel counts it.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sample } from './bare-server.ts';
import type { LoadAnswer, LoadCommand } from './load/main.ts';
import type { RequestPlan } from './load/requests.ts';
import type { ClosedResult, OpenResult, Target } from './load/runs.ts';

export const cliPath = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** What an interrupt has to end, so that no process and no folder of a bench outlives it. */
const running = new Set<ChildProcess>();
const folders = new Set<string>();

/** Ends every process and removes every folder of this bench, at once: for an interrupted run. */
export function abandon(): void {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function tracked<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** The kernel counts CPU time in hundredths of a second on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** User and system seconds that the process (all its threads) has used so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory in MiB. */
export function residentMib(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

export interface Served {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export interface ServedProduct extends Served {
  readonly url: string;
  readonly merchantKey: string;
  readonly buyerSecret: string;
  /** From the start of the process to the line on stdout. */
  readonly listeningAfterMs: number;
  /** Calls the merchant plane; throws unless the answer is a 2xx. */
  readonly merchant: (method: string, path: string, body?: unknown) => Promise<unknown>;
}

export function freshFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-bench-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.delete(folder);
}

/** Starts `serve` on a folder (a fresh one, removed at the end, unless given) and waits until it listens. */
export async function startProduct(
  options: { folder?: string; env?: Record<string, string> } = {},
): Promise<ServedProduct> {
  const folder = options.folder ?? freshFolder();
  const [merchantKey, buyerSecret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const startedAtMs = performance.now();
  const child = tracked(
    spawn(process.execPath, [cliPath, 'serve', '--port', '0', '--data', folder, '--log', 'warn'], {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        DOORBUSTER_MERCHANT_KEY: merchantKey,
        DOORBUSTER_BUYER_SECRET: buyerSecret,
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const url = await listeningLine(child);
  const listeningAfterMs = performance.now() - startedAtMs;
  const { hostname, port } = new URL(url);
  const merchant = async (method: string, target: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(url + target, {
      method,
      headers: {
        authorization: `Bearer ${merchantKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  const stop = async (): Promise<void> => {
    await end(child);
    if (options.folder === undefined) removeFolder(folder);
  };
  return {
    pid: pidOf(child),
    host: hostname,
    port: Number(port),
    url,
    merchantKey,
    buyerSecret,
    listeningAfterMs,
    merchant,
    stop,
  };
}

export interface BareServer extends Served {
  readonly show: (sample: Sample) => Promise<void>;
}

export async function startBareServer(): Promise<BareServer> {
  const child = tracked(fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url))));
  const { port } = (await nextMessage(child)) as { port: number };
  const show = async (sample: Sample): Promise<void> => {
    child.send(sample);
    await nextMessage(child);
  };
  return { pid: pidOf(child), host: '127.0.0.1', port, show, stop: () => end(child) };
}

export interface LoadGenerator {
  readonly pid: number;
  readonly prepare: (plan: RequestPlan) => Promise<void>;
  readonly closed: (target: Target) => Promise<ClosedResult>;
  readonly open: (target: Target, load: { ratePerSecond: number; seed: number }) => Promise<OpenResult>;
  readonly stop: () => Promise<void>;
}

export async function startLoadGenerator(): Promise<LoadGenerator> {
  const child = tracked(fork(fileURLToPath(new URL('./load/main.ts', import.meta.url))));
  const ask = async (command: LoadCommand): Promise<LoadAnswer> => {
    child.send(command);
    const answer = (await nextMessage(child)) as LoadAnswer;
    if (answer.done === 'failed') throw new Error(`the load generator failed: ${answer.message}`);
    return answer;
  };
  return {
    pid: pidOf(child),
    prepare: async (plan) => void (await ask({ do: 'prepare', plan })),
    closed: async (target) => ((await ask({ do: 'closed', target })) as { result: ClosedResult }).result,
    open: async (target, load) => ((await ask({ do: 'open', target, ...load })) as { result: OpenResult }).result,
    stop: () => end(child),
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('a process could not be started');
  return child.pid;
}

const nextMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('a process of the bench ended too early'));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });

const listeningLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const url = /doorbuster listening on (http:\/\/\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('close', (code) => reject(new Error(`the server ended with ${code} before it listened`)));
  });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
