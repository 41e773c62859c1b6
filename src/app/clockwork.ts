/**
 * What moves without a request: sales that open and end by the clock, holds that expire, orders that can no longer
 * get a unit, payments that wait for their order. Started and stopped as one; every fault is logged and tried again.
 */
import type { Fence } from '../core/books.ts';
import type { Sale } from '../core/sale.ts';
import type { Log } from '../kit/log.ts';
import { RetryParked } from '../purchase/hold/retry-parked.ts';
import { Sweep } from '../purchase/hold/sweep.ts';
import { Scheduler } from '../purchase/schedule/scheduler.ts';
import type { Shop } from '../purchase/shop.ts';

export interface ClockworkParts {
  readonly shop: Pick<Shop, 'sales' | 'reads' | 'clock' | 'now' | 'orderIds'>;
  readonly log: Log;
  /** Where several processes share the ledger: which of the background work is this one's. */
  readonly leases: { readonly sweep: () => Fence | null; readonly parked: () => Fence | null } | null;
  /** Whether this process does background work at all (the role `worker`). Every process opens and ends sales. */
  readonly sweeps: boolean;
}

export class Clockwork {
  readonly #scheduler: Scheduler;
  readonly #sweeps: readonly { start(): void; stop(): Promise<void> }[];

  constructor({ shop, log, leases, sweeps }: ClockworkParts) {
    const saleByNo = (saleNo: number) => shop.sales.byNo(saleNo);
    this.#scheduler = new Scheduler({
      now: shop.now,
      liveSales: () => shop.reads.liveSales(),
      saleByNo,
      onDone: (sale, kind) => log.info({ saleId: sale.saleId, kind }, 'a sale changed by the clock'),
      onFault: (err, sale) => log.error({ err, saleId: sale.saleId }, 'a scheduled act failed; it is tried again'),
    });
    const sweep = (kind: 'expire' | 'close_placed', due: 'dueOrders' | 'placedWithoutStock') =>
      new Sweep({
        kind,
        fence: leases?.sweep,
        due: (limit) => shop.reads[due](limit),
        saleByNo,
        monotonicMs: shop.clock.monotonicMs,
        onSetAside: ({ orderId, saleNo }, reason) =>
          log.error({ orderId, saleNo, reason }, 'an order was set aside: its record cannot be right'),
        onFault: (err, orders) => log.error({ err, kind, orders }, 'a sweep failed in part; it is tried again'),
      });
    const allSweeps = [
      sweep('expire', 'dueOrders'),
      sweep('close_placed', 'placedWithoutStock'),
      new RetryParked({
        now: shop.now,
        mayWork: leases === null ? undefined : () => leases.parked() !== null,
        parkedUnknown: (sinceMs, limit) => shop.reads.parkedUnknown(sinceMs, limit),
        saleOfOrder: async (orderId) => {
          const parts = shop.orderIds.parse(orderId);
          if (parts === null || (await shop.reads.order(orderId)) === null) return null;
          return shop.sales.byNo(parts.saleNo);
        },
        onFault: (err) => log.error({ err }, 'a parked payment could not be tried again; that comes later'),
      }),
    ];
    this.#sweeps = sweeps ? allSweeps : [];
  }

  /** Resolves when the live sales are known; what time has made due meanwhile is on its way. */
  async start(): Promise<void> {
    await this.#scheduler.start();
    for (const sweep of this.#sweeps) sweep.start();
  }

  /** A sale was changed. */
  watch(sale: Sale): void {
    this.#scheduler.watch(sale);
  }

  /** Nothing more begins; resolves when what was begun is over. */
  async stop(): Promise<void> {
    await Promise.all([this.#scheduler.stop(), ...this.#sweeps.map((sweep) => sweep.stop())]);
  }
}
