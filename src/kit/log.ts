/**
 * The log: JSON lines on stderr for machines, one short line each on a terminal. Made once by `app`, handed to
 * whoever has something to say. Written synchronously, so that the last line before an exit is never lost.
 *
 * Never contains a credential: fields that carry one by name are masked here, and of a request only its method and
 * the pattern of its route are written, since people put keys into paths and queries.
 */
import { type LevelWithSilent, type Logger, pino, stdSerializers } from 'pino';

export type Log = Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number] & LevelWithSilent;

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'tokens',
  'secret',
  'merchantKey',
  'buyerSecret',
  'purchaseKey',
  'idempotency-key',
];

/** Each secret field at the top of a line, one object down, and in the headers of a request. */
const redactedPaths = SECRET_FIELDS.flatMap((field) => {
  const name = field.includes('-') ? `["${field}"]` : `.${field}`;
  return [name.startsWith('.') ? field : name, `*${name}`, `*.headers${name}`];
});

interface LoggedRequest {
  readonly method?: string;
  readonly routeOptions?: { readonly url?: string | undefined };
}

const serializers = {
  err: stdSerializers.err,
  url: () => '***',
  req: ({ method, routeOptions }: LoggedRequest) => ({ method, route: routeOptions?.url ?? null }),
};

/** Where lines go: anything with `write`. */
export interface LogStream {
  write(line: string): void;
}

/** `pretty`: short lines for a person instead of JSON. */
export function createLog(options: { level: LogLevel; pretty: boolean; stream?: LogStream }): Log {
  const out = options.stream ?? pino.destination({ dest: 2, sync: true });
  const stream = options.pretty ? { write: (line: string) => out.write(prettyLine(line)) } : out;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers,
      redact: { paths: redactedPaths, censor: '***' },
    },
    stream,
  );
}

/** `12:30:01.250 WARN  the message key=value`; an error's stack follows on lines of its own. */
function prettyLine(json: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`);
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  const head = `${String(time).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)}`;
  return `${[head, String(msg ?? ''), ...fields].join(' ')}${stack}\n`;
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
