/**
 * A shop on a database: server processes of the tests on one address, each a real `doorbuster serve`, ended with the
 * test file. `several` starts servers of their own beside each other, as on several machines, so that a test can
 * choose which one it asks; `supervised` starts one with `--processes`.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { type ServerOptions, startServer, type TestServer } from '../../support/server.ts';

/** Of no use anywhere else; servers on one database share them. */
export const sharedSecrets: Readonly<Record<string, string>> = {
  DOORBUSTER_MERCHANT_KEY: randomBytes(24).toString('base64url'),
  DOORBUSTER_BUYER_SECRET: randomBytes(24).toString('base64url'),
};

const running = new Set<TestServer>();

/** To be called once per test file, before anything else that ends with the file. */
export function endServersAtTheEnd(): void {
  afterAll(async () => {
    for (const server of running) if (isAlive(server)) for (const pid of processesOf(server)) tryKill(pid);
    await Promise.all([...running].map((server) => server.stop('SIGKILL')));
  });
}

export function onDatabase(url: string, options: ServerOptions = {}): ServerOptions {
  return {
    ...options,
    args: ['--database', url, ...(options.args ?? [])],
    env: { ...sharedSecrets, DOORBUSTER_QUEUE_WAIT_MS: '30000', ...options.env },
  };
}

export async function startOn(url: string, options: ServerOptions = {}): Promise<TestServer> {
  const server = await startServer(onDatabase(url, options));
  running.add(server);
  return server;
}

/** One after another for the first, which makes the schema; then the others at once. */
export async function several(url: string, count: number, options: ServerOptions = {}): Promise<TestServer[]> {
  const first = await startOn(url, options);
  const others = Array.from({ length: count - 1 }, () => startOn(url, options));
  return [first, ...(await Promise.all(others))];
}

export const supervised = (url: string, processes: number, options: ServerOptions = {}): Promise<TestServer> =>
  startOn(url, { ...options, args: ['--processes', String(processes), ...(options.args ?? [])] });

export const stopAll = async (servers: readonly TestServer[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.stop()));
  for (const server of servers) running.delete(server);
};

/** The processes that a supervisor has started, by the kernel's word; where there is none, the server itself. */
export function workersOf(server: TestServer): number[] {
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
  const pids = children.split(' ').filter(Boolean).map(Number);
  return pids.length === 0 ? [server.pid] : pids;
}

const processesOf = (server: TestServer): number[] => [server.pid, ...workersOf(server)];

const isAlive = ({ child }: TestServer): boolean => child.exitCode === null && child.signalCode === null;

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

/** The supervisor and all its processes, at one instant. */
export async function killAll(server: TestServer): Promise<void> {
  for (const pid of processesOf(server)) tryKill(pid);
  await server.exited;
  running.delete(server);
}
