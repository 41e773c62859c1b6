/**
 * Reads a SQLite write-ahead log as the file format says (sqlite.org/fileformat2.html, section 4), so
 * that a test can cut it at places that it understands: a header of 32 bytes, then frames of 24 bytes
 * and a page; a frame whose header has a database size ends a transaction.
 */

const headerBytes = 32;
const frameHeaderBytes = 24;

export interface WalLayout {
  readonly pageBytes: number;
  /** Where each frame of the current log begins. Frames left from before the last reset are not counted. */
  readonly frames: readonly number[];
  /** Byte lengths after which whole transactions, and nothing else, are in the log; begins with the bare header. */
  readonly boundaries: readonly number[];
}

export function walLayout(wal: Buffer): WalLayout {
  if (wal.length < headerBytes) throw new Error(`the WAL has ${wal.length} bytes: nothing to cut`);
  const pageBytes = wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  const frames: number[] = [];
  const boundaries: number[] = [headerBytes];
  const stride = frameHeaderBytes + pageBytes;
  for (let at = headerBytes; at + stride <= wal.length; at += stride) {
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break;
    frames.push(at);
    if (wal.readUInt32BE(at + 4) !== 0) boundaries.push(at + stride);
  }
  return { pageBytes, frames, boundaries };
}

/**
 * How many bytes of the log have been copied into the main file already (`nBackfill` in the -shm
 * file's header, a number of frames). A crash cannot cut there: those frames were synced before.
 */
export function backfilledBytes(shm: Buffer, layout: WalLayout): number {
  const frames = shm.length >= 100 ? shm.readUInt32LE(96) : 0;
  return frames === 0 ? headerBytes : headerBytes + frames * (frameHeaderBytes + layout.pageBytes);
}
