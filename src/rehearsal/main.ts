/**
 * The stampede's own process, so that the load does not share a thread with whoever shows it. Takes its plan as one
 * line of JSON on stdin (the merchant key must not stand in a process list), writes events as lines of JSON to
 * stdout and ends after `report`. When stdin closes, whoever started it is gone: it goes too.
 * Exit: 0 it ran (whatever the verdict), 1 it could not.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Progress, StampedeReport } from './report.ts';
import { runStampede, type StampedePlan } from './stampede.ts';

export type StampedeEvent =
  | { readonly event: 'ready'; readonly shoppers: number; readonly bots: number }
  | { readonly event: 'opened' }
  | ({ readonly event: 'progress' } & Progress)
  | { readonly event: 'judging' }
  | { readonly event: 'report'; readonly report: StampedeReport }
  | { readonly event: 'failed'; readonly message: string };

/** The plan, and where to keep the evidence (none: not kept). */
export type StampedeOrder = StampedePlan & { readonly evidenceFile: string | null };

const emit = (event: StampedeEvent): void => {
  process.stdout.write(`${JSON.stringify(event)}\n`);
};

async function run(order: StampedeOrder): Promise<void> {
  const { report, evidence } = await runStampede(order, {
    ready: (cast) => emit({ event: 'ready', ...cast }),
    opened: () => emit({ event: 'opened' }),
    progress: (progress) => emit({ event: 'progress', ...progress }),
    judging: () => emit({ event: 'judging' }),
  });
  if (order.evidenceFile !== null) writeFileSync(order.evidenceFile, `${JSON.stringify(evidence)}\n`);
  emit({ event: 'report', report });
}

const input = createInterface({ input: process.stdin });
input.once('line', (line) => {
  run(JSON.parse(line) as StampedeOrder)
    .catch((error: unknown) => {
      emit({ event: 'failed', message: error instanceof Error ? error.message : String(error) });
      process.exitCode = 1;
    })
    .finally(() => {
      input.removeAllListeners('close');
      process.stdin.destroy();
    });
});
input.once('close', () => process.exit(1));
