/**
 * The load generator's own process: takes commands from the bench over the process channel, one at a time, and
 * answers each when it is done. Requests are made by `prepare` and used up by the next run.
 */
import { makeRequests, type RequestPlan } from './requests.ts';
import { type ClosedResult, closedLoop, type OpenResult, openLoop, type Target } from './runs.ts';

export type LoadCommand =
  | { readonly do: 'prepare'; readonly plan: RequestPlan }
  | { readonly do: 'closed'; readonly target: Target }
  | { readonly do: 'open'; readonly target: Target; readonly ratePerSecond: number; readonly seed: number };

export type LoadAnswer =
  | { readonly done: 'prepare' }
  | { readonly done: 'closed'; readonly result: ClosedResult }
  | { readonly done: 'open'; readonly result: OpenResult }
  | { readonly done: 'failed'; readonly message: string };

let prepared: Buffer[] = [];

async function obey(command: LoadCommand): Promise<LoadAnswer> {
  const requests = prepared;
  switch (command.do) {
    case 'prepare':
      prepared = makeRequests(command.plan);
      return { done: 'prepare' };
    case 'closed':
      return { done: 'closed', result: await closedLoop(command.target, requests) };
    case 'open': {
      const times = arrivals(requests.length, command.ratePerSecond, command.seed);
      return { done: 'open', result: await openLoop(command.target, requests, times) };
    }
    default: {
      const never: never = command;
      throw new Error(`an unknown command: ${JSON.stringify(never)}`);
    }
  }
}

/** Arrival times of a Poisson process, as independent people come: exponential gaps, seeded. */
function arrivals(count: number, ratePerSecond: number, seed: number): number[] {
  let state = seed >>> 0 || 1;
  const uniform = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 0.5) / 0x1_0000_0000;
  };
  let atMs = 0;
  return Array.from({ length: count }, () => {
    atMs += (-Math.log(uniform()) * 1000) / ratePerSecond;
    return atMs;
  });
}

process.on('message', (command: LoadCommand) => {
  void obey(command)
    .catch(
      (error: unknown): LoadAnswer => ({
        done: 'failed',
        message: error instanceof Error ? error.message : String(error),
      }),
    )
    .then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
