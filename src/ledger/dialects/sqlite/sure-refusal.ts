/**
 * Faults of SQLite after which it is certain that nothing was written: the disk is full (rolled back), or a stranger
 * holds the file locked (never begun). Both are answered `unavailable` with effect none, and pass by themselves.
 * Every other fault leaves the question open, and ends the process.
 */
import { OperatingError } from '../../../kit/errors.ts';
import { isDiskFull, isLocked } from './driver.ts';

export function sureRefusalOf(cause: unknown): OperatingError | null {
  if (isDiskFull(cause))
    return new OperatingError('unavailable', 'The disk that the ledger is on is full.', { effect: 'none', cause });
  if (isLocked(cause))
    return new OperatingError('unavailable', 'The ledger is locked by another program.', { effect: 'none', cause });
  return null;
}
