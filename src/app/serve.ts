/**
 * `doorbuster serve` as a process: settings in, one line on stdout when it accepts, and an exit code. Decides what
 * the signals mean and which faults end the process at once.
 *
 * Exit codes: 0 stopped as asked · 1 could not start, or not finished within the grace time · 2 a wrong setting
 * (thrown as SettingError, the command line says it) · 70 a fault after which no answer may be given · 128 + signal
 * at a second signal.
 */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { createLog, type Log } from '../kit/log.ts';
import type { Doorbuster } from './doorbuster.ts';
import { readSettings, type SettingsInput } from './settings.ts';
import { isSupervised, supervise, tellListening } from './supervisor.ts';
import { VERSION } from './version.ts';
import { ledgerFile, welcome } from './welcome.ts';

const EXIT_LATE = 1;
const EXIT_FAULT = 70;
/** Of the grace time, what requests in flight may take; the rest is for the batches and the ledger. */
const REQUESTS_SHARE = 0.8;

/**
 * Serves until a signal; resolves with the exit code. Throws SettingError before it serves. `prettyLog`: a person reads
 * stderr at a terminal.
 */
export async function serve(input: SettingsInput, { prettyLog }: { prettyLog: boolean }): Promise<number> {
  const settings = readSettings(input);
  // Ledger, backups and secrets hold what shoppers gave: for the owner alone.
  process.umask(0o077);
  const log = createLog({ level: settings.log, pretty: prettyLog });
  endAtFaults(log);
  // A reader of our output that goes away must not take the server with it.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});

  const isFirst = settings.database === null && !existsSync(ledgerFile(settings.dataFolder));
  const announce = (url: string): void => {
    process.stdout.write(`doorbuster listening on ${url}\n`);
    if (prettyLog) process.stderr.write(welcome(settings, { url, isFirst }));
  };
  if (settings.processes > 1 && !isSupervised()) return supervise(settings.processes, log, announce);
  const signalled = firstSignal(log);
  // Loaded only now, so that a wrong setting is told at once.
  const { startDoorbuster } = await import('./doorbuster.ts');
  const running = await startDoorbuster(settings, { log, onFatal: (error) => endAtOnce(log, error) }).catch((error) => {
    // The line to the supervisor would keep a process that has nothing to serve.
    process.channel?.unref();
    throw error;
  });
  for (const variable of settings.unknownVariables) log.warn({ variable }, 'this variable names no setting');
  if (isSupervised()) tellListening(running.url);
  else announce(running.url);
  log.info({ address: running.url, data: settings.dataFolder, version: VERSION }, 'listening');
  const signal = await signalled;
  log.info({ signal, graceSeconds: settings.graceSeconds }, 'stopping: what was accepted is finished first');
  return stopWithin(settings.graceSeconds * 1000, running, log);
}

async function stopWithin(graceMs: number, running: Doorbuster, log: Log): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<number>((resolve) => {
    timer = setTimeout(() => {
      log.error('not finished within the grace time; what was acknowledged is safe in the ledger');
      resolve(EXIT_LATE);
    }, graceMs);
  });
  const stopped = running.stop({ graceMs: graceMs * REQUESTS_SHARE }).then(() => {
    log.info('stopped');
    return 0;
  });
  const code = await Promise.race([stopped, late]);
  clearTimeout(timer);
  return code;
}

/** The first SIGTERM or SIGINT; a second one ends the process at once. */
function firstSignal(log: Log): Promise<NodeJS.Signals> {
  let seen = false;
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      if (seen) {
        log.warn({ signal }, 'a second signal: ending at once');
        process.exit(128 + constants.signals[signal]);
      }
      seen = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    // A terminal sends it to all processes at once; under a supervisor it is for the supervisor to pass on.
    if (isSupervised()) process.on('SIGINT', () => {});
    else process.on('SIGINT', onSignal);
    // A supervisor that is gone can start nobody again: stop, and let others take over.
    if (isSupervised()) process.on('disconnect', () => onSignal('SIGTERM'));
  });
}

/** A fault that nobody caught has left something half done: better no answer than a wrong one (I8). */
function endAtFaults(log: Log): void {
  process.on('uncaughtException', (error) => endAtOnce(log, error));
  process.on('unhandledRejection', (reason) => endAtOnce(log, reason));
}

function endAtOnce(log: Log, error: unknown): never {
  log.fatal({ err: error }, 'ending at once: a fault after which no answer may be given');
  process.exit(EXIT_FAULT);
}
