/**
 * Steers the fault library (shim.c) in one server process: failing fsync, a full disk, a shifted
 * wall clock. Compiled once per test process with gcc into a temporary folder; a missing gcc is a
 * loud failure, since the tests would prove nothing without it.
 *
 * A test must ask `injected()` afterwards: no fault injected, nothing proved.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, realpathSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Places in the shared page, in eights of bytes: the struct in shim.c. */
const place = { fsyncFails: 0, writesFail: 1, clockShiftNs: 2, fsyncFaults: 3, writeFaults: 4, clockReads: 5 } as const;
const pageBytes = 4096;

let library: string | undefined;

function compiledLibrary(): string {
  if (library !== undefined) return library;
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-shim-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const built = path.join(folder, 'shim.so');
  const source = fileURLToPath(new URL('./shim.c', import.meta.url));
  const gcc = spawnSync('gcc', ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', built, source, '-ldl'], {
    encoding: 'utf8',
  });
  if (gcc.status !== 0) throw new Error(`gcc could not build the fault library: ${gcc.error?.message ?? gcc.stderr}`);
  library = built;
  return built;
}

export type FsyncFault = 'none' | 'any-file' | 'wal' | 'main-file';
export type WriteFault = 'none' | 'every-write' | 'growth';

export class Faults {
  /** For `startServer({ env })`. */
  readonly env: Record<string, string>;
  readonly #folder: string;
  readonly #fd: number;

  constructor(dataFolder: string) {
    this.#folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-faults-'));
    const page = path.join(this.#folder, 'page');
    writeFileSync(page, Buffer.alloc(pageBytes));
    this.#fd = openSync(page, 'r+');
    this.env = { LD_PRELOAD: compiledLibrary(), FAULT_PAGE: page, FAULT_FOLDER: realpathSync(dataFolder) };
  }

  failFsync(which: FsyncFault): void {
    this.#write(place.fsyncFails, BigInt(['none', 'any-file', 'wal', 'main-file'].indexOf(which)));
  }

  fillDisk(which: WriteFault): void {
    this.#write(place.writesFail, BigInt(['none', 'every-write', 'growth'].indexOf(which)));
  }

  /** The wall clock of the process is off by this much from now on; its monotonic clock is not. */
  shiftClock(byMs: number): void {
    this.#write(place.clockShiftNs, BigInt(byMs) * 1_000_000n);
  }

  injected(): { fsyncs: number; writes: number; clockReads: number } {
    return {
      fsyncs: this.#read(place.fsyncFaults),
      writes: this.#read(place.writeFaults),
      clockReads: this.#read(place.clockReads),
    };
  }

  close(): void {
    closeSync(this.#fd);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(at: number, value: bigint): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    writeSync(this.#fd, bytes, 0, 8, at * 8);
  }

  #read(at: number): number {
    const bytes = Buffer.alloc(8);
    readSync(this.#fd, bytes, 0, 8, at * 8);
    return Number(bytes.readBigInt64LE());
  }
}
