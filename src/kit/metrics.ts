/**
 * Counters of a process in Prometheus's text format. Fed by the HTTP layer and the batchers, read at `/metrics`.
 * No label names a person, a sale's buyer or a key: outcomes come from the closed list of codes.
 *
 * Orders are counted in a plain map and turned into series when somebody asks: an increment in the purchase path
 * costs one map write.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** `held`, `placed`, `paid`, `replayed`, or the code of a refusal. */
  countOrder(outcome: string): void;
  /** One batch that the engine answered. */
  observeBatch(acts: number, seconds: number): void;
  /** How many acts wait just now; asked at each exposition. */
  watchWaiting(waiting: () => number): void;
  expose(): Promise<{ contentType: string; text: string }>;
}

const BATCH_ACTS_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** From a fast disk's commit to one that is in trouble. */
const BATCH_SECONDS_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5];

export function createMetrics(build: { version: string }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const orders = new Map<string, number>();
  new Counter({
    name: 'doorbuster_orders_total',
    help: 'Order requests by outcome',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of orders) this.inc({ outcome }, count);
    },
  });
  const batchActs = new Histogram({
    name: 'doorbuster_batch_acts',
    help: 'Acts in one batch',
    buckets: BATCH_ACTS_BUCKETS,
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'doorbuster_batch_seconds',
    help: 'From handing a batch to the engine to its durable answer',
    buckets: BATCH_SECONDS_BUCKETS,
    registers,
  });
  let waiting = (): number => 0;
  new Gauge({
    name: 'doorbuster_waiting_acts',
    help: 'Acts that wait for the batch in flight',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  new Gauge({ name: 'doorbuster_build_info', help: 'Always 1', labelNames: ['version', 'node'], registers }).set(
    { version: build.version, node: process.version },
    1,
  );
  return {
    countOrder: (outcome) => {
      orders.set(outcome, (orders.get(outcome) ?? 0) + 1);
    },
    observeBatch: (acts, seconds) => {
      batchActs.observe(acts);
      batchSeconds.observe(seconds);
    },
    watchWaiting: (read) => {
      waiting = read;
    },
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
