/**
 * The wiring: ledger, engine, sales, gate, server, clockwork. The only file that knows all rooms. Called by
 * serve.ts with settings that were checked; reads no environment and ends no process.
 *
 * Start, each step resting on the ones before: ledger (takes the folder) → secrets → sales → what time has made due
 * → server. Stop, the other way round: no new connections, requests in flight finished → clockwork at rest → batches
 * answered → ledger closed. Nothing that was accepted is dropped, nothing is committed unanswered.
 */
import type { LeaseName } from '../core/books.ts';
import type { EpochMs } from '../core/scalars.ts';
import { createHttpServer } from '../http/server.ts';
import { Batcher } from '../inventory/batcher.ts';
import { createSqlEngine } from '../inventory/engines/sql/engine.ts';
import { systemClock } from '../kit/clock.ts';
import { SettingError } from '../kit/errors.ts';
import { OrderIds } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { createMetrics } from '../kit/metrics.ts';
import { BuyerTokens } from '../purchase/gate/buyer-tokens.ts';
import { MerchantKeys } from '../purchase/gate/merchant-keys.ts';
import { Receipts } from '../purchase/order/receipts.ts';
import { LiveSales } from '../purchase/sale/live-sales.ts';
import type { Shop } from '../purchase/shop.ts';
import { Clockwork } from './clockwork.ts';
import { HeldLease } from './held-lease.ts';
import { type OpenLedger, openLedger, patiently } from './ledger.ts';
import { LedgerTime, SKEW_LIMIT_MS } from './ledger-time.ts';
import { News } from './news.ts';
import { OPEN_SECRET, OPEN_SECRET_TODO } from './open-secret.ts';
import { readPageScript } from './page-script.ts';
import { isOpenToOthers, readOrMakeSecret, SECRET_NAMES, type SecretName, secretPath } from './secrets.ts';
import type { Settings } from './settings.ts';
import { VERSION } from './version.ts';
import { watchEngine } from './watched-engine.ts';

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
  const ledger = await openLedger(settings, { onFatal, onBroken });
  try {
    const running = await startOn(ledger, settings, log);
    // Only now: a start that is refused says one line and no other.
    if (ledger.migrated.from !== ledger.migrated.to) log.info(ledger.migrated, 'the ledger was brought up to date');
    if (settings.database === null) warnOfOpenSecrets(settings.dataFolder, log);
    return running;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function startOn(ledger: OpenLedger, settings: Settings, log: Log): Promise<Doorbuster> {
  const secrets = secretsOf(settings, ledger, log);
  const clock = systemClock;
  const time = new LedgerTime({
    clock,
    watch: ledger.shared?.watch ?? null,
    lastMs: ledger.lastMs,
    onFault: (err) => log.warn({ err }, "the database's clock could not be read; the last measurement goes on"),
    onSkew: (skewMs, isAlarm) => {
      if (isAlarm)
        log.error(
          { skewMs: Math.round(skewMs) },
          "this machine's clock is not the database's: let a time service set both",
        );
      else log.info("this machine's clock and the database's agree again");
    },
  });
  const now = (): EpochMs => time.now();
  const metrics = createMetrics({ version: VERSION });
  const engine = watchEngine(createSqlEngine(ledger), { log, monotonicMs: clock.monotonicMs });
  let stopping = false;

  const sales: LiveSales = new LiveSales({
    queueOf: (saleNo, onBatch) => new Batcher({ saleNo, engine, clock, queueWaitMs: settings.queueWaitMs, onBatch }),
    reads: ledger.reads,
    watch: ledger.shared?.watch,
    onSale: (sale) => clockwork.watch(sale),
    onBatch: (result, acts, tookMs) => {
      time.committed(result.atMs);
      metrics.observeBatch(acts.length, tookMs / 1000);
    },
  });
  metrics.watchWaiting(() => sales.all().reduce((sum, sale) => sum + sale.waiting, 0));
  const company = ledger.shared === null ? null : keepCompany(ledger, ledger.shared, { sales, settings, log });
  const isFailing = (): boolean => engine.isFailing() || company?.news.isFailing() === true;
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
    clockSkew: () => (Math.abs(time.skewMs()) > SKEW_LIMIT_MS ? time.skewMs() : null),
    heard: () => company?.news.heard() ?? Promise.resolve(),
    unready: () => [...(isFailing() ? ['ledger'] : []), ...(stopping ? ['stopping'] : [])],
  };
  const leases = company === null ? null : { sweep: company.sweep.fence, parked: company.parked.fence };
  const clockwork = new Clockwork({ shop, log, leases, sweeps: settings.roles.has('worker') });
  const planes = settings.roles.has('web') ? 'all' : 'health';
  const http = createHttpServer({ shop, log, metrics, version: VERSION, planes, pageScript: readPageScript(log) });

  const stopFrom = async (graceMs: number): Promise<void> => {
    stopping = true;
    const served = http.close({ graceMs });
    await clockwork.stop();
    await company?.stop();
    await served;
    await sales.idle();
    time.stop();
    await engine.close();
    await ledger.close();
  };

  await patiently(() => time.start());
  await patiently(() => clockwork.start());
  company?.start();
  try {
    const { url } = await http.listen({ host: settings.host, port: settings.port });
    return { url, stop: ({ graceMs }) => stopFrom(graceMs) };
  } catch (error) {
    await clockwork.stop();
    await company?.stop();
    await sales.idle();
    time.stop();
    throw listenError(error, settings);
  }
}

/** What goes on beside the other processes on the same ledger: hearing of their work, sharing the background work. */
function keepCompany(
  ledger: OpenLedger,
  shared: NonNullable<OpenLedger['shared']>,
  { sales, settings, log }: { sales: LiveSales; settings: Settings; log: Log },
) {
  const news = new News({
    watch: shared.watch,
    reads: ledger.reads,
    sales,
    onFault: (err) => log.error({ err }, 'the database does not answer; asked again until it does'),
  });
  const lease = (name: LeaseName): HeldLease =>
    new HeldLease({
      leases: shared.leases,
      holder: shared.holder,
      name,
      monotonicMs: systemClock.monotonicMs,
      onChange: (_name, isHeld) => log.info({ lease: name, isHeld }, 'a lease has changed hands'),
    });
  const [sweep, parked] = [lease('sweep'), lease('parked')];
  const works = settings.roles.has('worker');
  return {
    news,
    sweep,
    parked,
    start: () => {
      news.start();
      if (works) for (const each of [sweep, parked]) each.start();
    },
    stop: async () => {
      await Promise.all([news.stop(), ...(works ? [sweep.stop(), parked.stop()] : [])]);
    },
  };
}

function secretsOf(settings: Settings, ledger: OpenLedger, log: Log): { merchant: string; buyer: string } {
  const { merchantKey, buyerSecret, dataFolder } = settings;
  const kept = (name: SecretName): string => {
    const { secret, isNew } = readOrMakeSecret(dataFolder, name);
    const file = secretPath(dataFolder, name);
    // Beside a ledger that has served, a missing secret is a loss: what was signed with it is not known any more.
    if (isNew && ledger.migrated.from > 0) log.warn({ file }, 'this secret was missing and has been made anew');
    return secret;
  };
  return { merchant: merchantKey ?? kept('merchant-key'), buyer: buyerSecret ?? kept('buyer-secret') };
}

function warnOfOpenSecrets(dataFolder: string, log: Log): void {
  for (const name of SECRET_NAMES) {
    const file = secretPath(dataFolder, name);
    if (isOpenToOthers(file)) log.warn({ file }, `${OPEN_SECRET}: ${OPEN_SECRET_TODO}`);
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
