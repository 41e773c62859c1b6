/**
 * The wiring: ledger, engine, sales, gate, server, clockwork. The only file that knows all rooms. Called by
 * serve.ts with settings that were checked; reads no environment and ends no process.
 *
 * Start, each step resting on the ones before: ledger (takes the folder) → secrets → sales → what time has made due
 * → server. Stop, the other way round: no new connections, requests in flight finished → clockwork at rest → batches
 * answered → ledger closed. Nothing that was accepted is dropped, nothing is committed unanswered.
 */
import type { EpochMs } from '../core/scalars.ts';
import { createHttpServer } from '../http/server.ts';
import { Batcher } from '../inventory/batcher.ts';
import { createSqlEngine } from '../inventory/engines/sql/engine.ts';
import { systemClock } from '../kit/clock.ts';
import { SettingError } from '../kit/errors.ts';
import { OrderIds } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { createMetrics } from '../kit/metrics.ts';
import { openSqliteLedger, type SqliteLedger } from '../ledger/dialects/sqlite/open.ts';
import { BuyerTokens } from '../purchase/gate/buyer-tokens.ts';
import { MerchantKeys } from '../purchase/gate/merchant-keys.ts';
import { Receipts } from '../purchase/order/receipts.ts';
import { LiveSales } from '../purchase/sale/live-sales.ts';
import type { Shop } from '../purchase/shop.ts';
import { Clockwork } from './clockwork.ts';
import { isOpenToOthers, readOrMakeSecret, SECRET_NAMES, secretPath } from './secrets.ts';
import type { Settings } from './settings.ts';
import { VERSION } from './version.ts';
import { watchEngine } from './watched-engine.ts';

type OpenOptions = Parameters<typeof openSqliteLedger>[0];

export interface Doorbuster {
  /** `http://HOST:PORT`, with the port that it got. */
  readonly url: string;
  /** Stops within `graceMs` or a little later; resolves when the ledger is closed. */
  stop(options: { graceMs: number }): Promise<void>;
}

export interface Surroundings {
  readonly log: Log;
  /** Nobody can say what the disk holds: the process must end without another answer. */
  readonly onFatal: (error: Error) => void;
}

/** Throws SettingError where it cannot start because of how it was set up. */
export async function startDoorbuster(settings: Settings, { log, onFatal }: Surroundings): Promise<Doorbuster> {
  const onBroken = (message: string, actKind: string): void =>
    log.error({ actKind, reason: message }, 'an act that would break the books was refused');
  const ledger = await openLedger(settings.dataFolder, { onFatal, onBroken });
  try {
    const running = await startOn(ledger, settings, log);
    // Only now: a start that is refused says one line and no other.
    if (ledger.migrated.from !== ledger.migrated.to) log.info(ledger.migrated, 'the ledger was brought up to date');
    warnOfOpenSecrets(settings.dataFolder, log);
    return running;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function openLedger(folder: string, events: Pick<OpenOptions, 'onFatal' | 'onBroken'>): Promise<SqliteLedger> {
  try {
    return await openSqliteLedger({ folder, ...events });
  } catch (error) {
    if (error instanceof SettingError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the ledger in ${folder} cannot be opened: ${reason}; is the disk full or failing?`, {
      cause: error,
    });
  }
}

async function startOn(ledger: SqliteLedger, settings: Settings, log: Log): Promise<Doorbuster> {
  const secrets = secretsOf(settings);
  const clock = systemClock;
  let lastMs = ledger.lastMs;
  const now = (): EpochMs => Math.max(clock.wallMs(), lastMs) as EpochMs;
  const metrics = createMetrics({ version: VERSION });
  const engine = watchEngine(createSqlEngine(ledger), { log, monotonicMs: clock.monotonicMs });
  let stopping = false;

  const sales: LiveSales = new LiveSales({
    queueOf: (saleNo, onBatch) => new Batcher({ saleNo, engine, clock, queueWaitMs: settings.queueWaitMs, onBatch }),
    reads: ledger.reads,
    onSale: (sale) => clockwork.watch(sale),
    onBatch: (result, acts, tookMs) => {
      lastMs = Math.max(lastMs, result.atMs);
      metrics.observeBatch(acts.length, tookMs / 1000);
    },
  });
  metrics.watchWaiting(() => sales.all().reduce((sum, sale) => sum + sale.waiting, 0));
  const shop: Shop = {
    sales,
    reads: ledger.reads,
    desk: ledger.desk,
    clock,
    now,
    orderIds: new OrderIds(Buffer.from(ledger.keys.orderId)),
    buyerTokens: new BuyerTokens({ secrets: [secrets.buyer], jwks: settings.jwks, now: clock.wallMs }),
    merchantKeys: new MerchantKeys([secrets.merchant]),
    receipts: new Receipts(ledger.keys.receipt),
    origins: settings.origins,
    unready: () => [...(engine.isFailing() ? ['ledger'] : []), ...(stopping ? ['stopping'] : [])],
  };
  const clockwork = new Clockwork({ shop, log });
  const http = createHttpServer({ shop, log, metrics, version: VERSION });

  const stopFrom = async (graceMs: number): Promise<void> => {
    stopping = true;
    const served = http.close({ graceMs });
    await clockwork.stop();
    await served;
    await sales.idle();
    await engine.close();
    await ledger.close();
  };

  await clockwork.start();
  try {
    const { url } = await http.listen({ host: settings.host, port: settings.port });
    return { url, stop: ({ graceMs }) => stopFrom(graceMs) };
  } catch (error) {
    await clockwork.stop();
    await sales.idle();
    throw listenError(error, settings);
  }
}

const secretsOf = ({ merchantKey, buyerSecret, dataFolder }: Settings): { merchant: string; buyer: string } => ({
  merchant: merchantKey ?? readOrMakeSecret(dataFolder, 'merchant-key'),
  buyer: buyerSecret ?? readOrMakeSecret(dataFolder, 'buyer-secret'),
});

function warnOfOpenSecrets(dataFolder: string, log: Log): void {
  for (const name of SECRET_NAMES) {
    const file = secretPath(dataFolder, name);
    if (isOpenToOthers(file)) log.warn({ file }, 'others on this machine may read this secret: chmod 600 it');
  }
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop who uses it, or set another port (0 takes a free one)',
  EACCES: 'may not be used by this user: set another port',
  EADDRNOTAVAIL: 'is no address of this machine: set DOORBUSTER_HOST to one',
  ENOTFOUND: 'has a host name that nobody knows: set DOORBUSTER_HOST to another',
};

function listenError(error: unknown, { host, port }: Settings): unknown {
  const said = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
  return said === undefined ? error : new SettingError(`DOORBUSTER_HOST and DOORBUSTER_PORT: ${host}:${port} ${said}`);
}
