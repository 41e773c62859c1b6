/** Checks of what lies under the installation: Node, disk space, what an fsync costs, who has the port. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { SettingError } from '../../kit/errors.ts';
import { bad, doubtful, good, messageOf, type Result, skipped } from './finding.ts';
import type { Installation } from './installation.ts';

const NODE_FLOOR = [20, 19, 0] as const;

export function checkNode({ nodeVersion }: Installation): Result {
  const parts = nodeVersion.replace(/^v/, '').split('.').map(Number);
  const differs = NODE_FLOOR.findIndex((floor, at) => parts[at] !== floor);
  const isOld = differs !== -1 && !((parts[differs] ?? 0) > (NODE_FLOOR[differs] ?? 0));
  return isOld
    ? bad(`Node ${nodeVersion} is too old`, `install ${NODE_FLOOR.join('.')} or newer`)
    : good(`Node ${nodeVersion}`);
}

const MIB = 2 ** 20;
/** The write-ahead log alone may take some 16 MiB between checkpoints, a backup as much as the ledger. */
const FREE_MIN_BYTES = 100 * MIB;
/** A million orders take about this. */
const FREE_WANTED_BYTES = 1024 * MIB;

export async function checkDiskSpace({ dataFolder, freeBytes }: Installation): Promise<Result> {
  if (!existsSync(dataFolder)) return skipped('there is no data folder yet');
  const bytes = await freeBytes(dataFolder);
  const free = `${Math.floor(bytes / MIB)} MiB free`;
  if (bytes < FREE_MIN_BYTES) return bad(free, 'make room before the sale: on a full disk no order is taken');
  return bytes < FREE_WANTED_BYTES
    ? doubtful(free, 'make room for a large sale: a million orders may take 1 GiB')
    : good(free);
}

/** Above this a batch of orders takes longer than shoppers wait before they click again. */
const FSYNC_SLOW_MS = 100;
/** No disk writes through in this time: a RAM disk, or an fsync that does nothing. */
const FSYNC_FAST_MS = 0.02;

export function checkFsync({ dataFolder, timeFsyncs }: Installation): Result {
  if (!existsSync(dataFolder)) return skipped('there is no data folder yet');
  try {
    const times = [...timeFsyncs(dataFolder)].sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)] ?? 0;
    const said = `a durable write takes ${median.toFixed(2)} ms`;
    if (median > FSYNC_SLOW_MS) return bad(`${said}: too slow to sell on`, 'put the data folder on a local disk');
    if (median < FSYNC_FAST_MS)
      return doubtful(`${said}: is this a RAM disk?`, 'use a real disk: orders would not survive a power cut here');
    return good(said);
  } catch (error) {
    return bad(
      `a write with fsync failed (${messageOf(error)})`,
      'put the data folder on another disk: orders would not be durable here',
    );
  }
}

export async function checkPort({ settings }: Installation): Promise<Result> {
  if (settings instanceof SettingError) return skipped('the settings cannot be used');
  const { host, port } = settings;
  if (port === 0) return good('port 0: a free one is taken at the start');
  const fault = await faultOfListening(host, port);
  if (fault === null) return good(`${host}:${port} is free`);
  if (fault === 'EADDRINUSE') {
    if (await isDoorbuster(host, port)) return good(`a doorbuster server answers on ${host}:${port}`);
    return bad(`${host}:${port} is used by another program`, 'stop it, or set DOORBUSTER_PORT');
  }
  return bad(`nothing can listen on ${host}:${port} (${fault})`, 'set DOORBUSTER_HOST and DOORBUSTER_PORT');
}

function faultOfListening(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function isDoorbuster(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${address}:${port}/v1/time`, { signal: AbortSignal.timeout(2000) });
    return answer.ok && typeof ((await answer.json()) as { now?: unknown }).now === 'string';
  } catch {
    return false;
  }
}
