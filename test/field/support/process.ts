/** What the kernel says about a served process: the CPU that it used and the memory that it holds (Linux). */
import { readFileSync } from 'node:fs';

/** USER_HZ of every Linux that Node runs on. */
const ticksPerSecond = 100;

/** CPU seconds (user and system, all threads) since the process began. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

export function residentMiB(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}
