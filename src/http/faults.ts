/**
 * What was thrown, as something that can be answered: operating errors by their code and effect, everything else as
 * `internal`. The log gets the whole error with the request id; the answer gets neither stack nor message of it.
 */
import { InvariantError } from '../core/invariants.ts';
import { between } from '../kit/chance.ts';
import { OperatingError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import type { ProblemFacts } from './problem.ts';

/** A stampede that is told to wait must not come back in one instant. */
const BUSY_WAIT_MS = { least: 500, most: 1500 };
const UNAVAILABLE_WAIT_MS = 1000;

const busyWaitMs = (): number => between(BUSY_WAIT_MS.least, BUSY_WAIT_MS.most);

/** How to answer for `error`; logs what is ours to mend. */
export function factsOfError(error: unknown, log: Log, requestId: string): ProblemFacts {
  if (error instanceof OperatingError) return ofOperatingError(error, log, requestId);
  log.error({ err: error, requestId }, 'a request failed');
  // A broken invariant is thrown before anything is written; of anything else we cannot know.
  const effect = error instanceof InvariantError ? 'none' : 'unknown';
  return { code: 'internal', detail: 'An error of ours; it is logged under the request id.', effect };
}

function ofOperatingError(error: OperatingError, log: Log, requestId: string): ProblemFacts {
  const { code, effect } = error;
  if (code === 'busy') return { code, detail: error.message, effect, retryAfterMs: busyWaitMs() };
  log.error({ err: error, requestId }, `a request found the server ${code}`);
  if (code === 'internal') return { code, detail: 'An error of ours; it is logged under the request id.', effect };
  const detail =
    effect === 'none'
      ? 'A part that this needs is down. Nothing was taken.'
      : 'A part that this needs is down. Ask again with the same key to learn what became of it.';
  return { code, detail, effect, retryAfterMs: error.retryAfterMs ?? UNAVAILABLE_WAIT_MS };
}
