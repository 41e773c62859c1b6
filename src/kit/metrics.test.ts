/** The series that a scrape sees, and that counting twice is not reporting twice. */
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('orders by outcome, batches, what waits, the build; each scrape tells the totals', async () => {
  const metrics = createMetrics({ version: '9.8.7' });
  metrics.countOrder('held');
  metrics.countOrder('held');
  metrics.countOrder('sold_out');
  metrics.observeBatch(3, 0.002);
  let waiting = 0;
  metrics.watchWaiting(() => waiting);
  await metrics.expose();
  waiting = 5;
  const { contentType, text } = await metrics.expose();
  expect(contentType).toMatch(/^text\/plain/);
  for (const line of [
    'doorbuster_orders_total{outcome="held"} 2',
    'doorbuster_orders_total{outcome="sold_out"} 1',
    'doorbuster_batch_acts_sum 3',
    'doorbuster_batch_seconds_count 1',
    'doorbuster_waiting_acts 5',
    `doorbuster_build_info{version="9.8.7",node="${process.version}"} 1`,
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).toContain('process_resident_memory_bytes');
});
