/** The machine line that every run prints first: without it a figure means nothing. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';

/** CPU model and count, memory, kernel, Node, and the load that was there before the run. */
export function machineLine(): string {
  const all = cpus();
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return `${all.length} x ${all[0]?.model ?? 'unknown CPU'}, ${gib} GiB, Linux ${release()}, Node ${process.version}, ${tmpdir()} on ${fileSystem(tmpdir())}, load ${load}`;
}

/** The kind of file system under a folder: what an fsync costs depends on it. */
function fileSystem(folder: string): string {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const under = mounts.filter(([, at = '']) => folder === at || at === '/' || folder.startsWith(`${at}/`));
    under.sort(([, a = ''], [, b = '']) => b.length - a.length);
    return under[0]?.[2] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
