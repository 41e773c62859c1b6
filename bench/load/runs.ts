/**
 * The two ways of loading a server. Closed loop: each connection sends its next request when the last was answered,
 * as fast as the server lets it; finds the most that it can do. Open loop: requests leave at times drawn beforehand,
 * whatever the server does; finds how long people wait at a given rate.
 */
import { build } from 'hdr-histogram-js';
import { Connection } from './connection.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
}

export interface ClosedResult {
  readonly seconds: number;
  readonly answers: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Sends every request once over the connections and waits for every answer. */
export async function closedLoop(target: Target, requests: readonly Buffer[]): Promise<ClosedResult> {
  const statuses: Record<string, number> = {};
  let next = 0;
  let answers = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const seconds = await withConnections(
    target,
    (connection, status) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      answers += 1;
      const request = requests[next];
      next += 1;
      if (request !== undefined) connection.send(request);
      else if (answers === requests.length) finish();
    },
    async (connections) => {
      const startedAtMs = performance.now();
      for (const connection of connections) {
        const request = requests[next];
        next += 1;
        if (request !== undefined) connection.send(request);
      }
      await finished;
      return (performance.now() - startedAtMs) / 1000;
    },
  );
  return { seconds, answers, statuses };
}

export interface OpenResult {
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** How much later than intended the generator sent, at the median: its timer's grain, contained in the latencies. */
  readonly sendLagP50Ms: number;
  /** Requests that found every connection busy and had to wait for one (their wait is in the latencies too). */
  readonly queued: number;
}

const TICK_MS = 1;

/** Sends the requests at the intended times (milliseconds from the start, ascending); waits from those times are recorded. */
export async function openLoop(
  target: Target,
  requests: readonly Buffer[],
  intendedAtMs: readonly number[],
): Promise<OpenResult> {
  const [waits, lags] = [histogram(), histogram()];
  const statuses: Record<string, number> = {};
  const idle: Connection[] = [];
  let [due, sent, answers, queued] = [0, 0, 0, 0];
  let startedAtMs = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const send = (connection: Connection): void => {
    const intended = startedAtMs + (intendedAtMs[sent] ?? 0);
    lags.recordValue(microseconds(performance.now() - intended));
    connection.send(requests[sent] as Buffer, intended);
    sent += 1;
  };
  await withConnections(
    target,
    (connection, status) => {
      waits.recordValue(microseconds(performance.now() - connection.intendedAtMs));
      statuses[status] = (statuses[status] ?? 0) + 1;
      answers += 1;
      if (sent < due) send(connection);
      else idle.push(connection);
      if (answers === requests.length) finish();
    },
    async (connections) => {
      idle.push(...connections);
      startedAtMs = performance.now();
      const tick = (): void => {
        const now = performance.now() - startedAtMs;
        while (due < requests.length && (intendedAtMs[due] ?? 0) <= now) {
          due += 1;
          const connection = idle.pop();
          if (connection === undefined) queued += 1;
          else send(connection);
        }
        if (due < requests.length) setTimeout(tick, TICK_MS);
      };
      tick();
      await finished;
    },
  );
  const at = (percentile: number): number => waits.getValueAtPercentile(percentile) / 1000;
  return {
    statuses,
    p50Ms: at(50),
    p90Ms: at(90),
    p99Ms: at(99),
    maxMs: waits.maxValue / 1000,
    sendLagP50Ms: lags.getValueAtPercentile(50) / 1000,
    queued,
  };
}

async function withConnections<Result>(
  target: Target,
  answered: (connection: Connection, status: number) => void,
  use: (connections: readonly Connection[]) => Promise<Result>,
): Promise<Result> {
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const opening = Array.from({ length: target.connections }, () =>
    Connection.open(target, answered, (error) => fail(error)),
  );
  const connections = await Promise.race([Promise.all(opening), failed]);
  try {
    return await Promise.race([use(connections), failed]);
  } finally {
    for (const connection of connections) connection.close();
  }
}

const histogram = () =>
  build({ lowestDiscernibleValue: 1, highestTrackableValue: 600_000_000, numberOfSignificantValueDigits: 3 });

const microseconds = (ms: number): number => Math.max(1, Math.round(ms * 1000));
