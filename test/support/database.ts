/**
 * A database server of a test's own, as the ledger sees one: started on a free port of 127.0.0.1 in a temporary
 * folder, killed, stopped in its tracks and started again on the same data, removed with everything in it.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type DatabaseKind = 'postgres' | 'mariadb';

const UP_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const PASSWORD = 'test-only-word';

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** A database refuses to run as root: then it runs as the account that its package made. */
function accountOf(name: string): Account {
  if (process.getuid?.() !== 0) return {};
  const number = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim());
  const [uid, gid] = [number('-u'), number('-g')];
  if (!Number.isInteger(uid) || uid === 0) throw new Error(`there is no account ${name} to run the database as`);
  return { uid, gid };
}

/** A program in the folder that TEST_DATABASE_PROGRAMS names (another version's), where Debian keeps PostgreSQL's, or on PATH. */
function programPath(name: string): string {
  const asked = process.env.TEST_DATABASE_PROGRAMS;
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort().reverse() : [];
  const folders = [
    ...(asked === undefined ? [] : [asked]),
    ...versions.map((version) => `/usr/lib/postgresql/${version}/bin`),
    ...(process.env.PATH ?? '').split(path.delimiter),
    '/usr/sbin',
  ];
  const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not there: npm test obtains it`);
  return found;
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface Recipe {
  readonly account: string;
  readonly prepare: (folder: string, account: Account) => void;
  readonly command: (folder: string, port: number) => readonly string[];
  readonly url: (port: number, database: string) => string;
  readonly client: (port: number, folder: string, database: string | null) => readonly string[];
}

function run(command: readonly string[], options: Account & { input?: string } = {}): string {
  const [program = '', ...args] = command;
  const done = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (done.status !== 0) throw new Error(`${command.join(' ')}\n${done.stdout}\n${done.stderr}${done.error ?? ''}`);
  return done.stdout;
}

const RECIPES: Readonly<Record<DatabaseKind, Recipe>> = {
  postgres: {
    account: 'postgres',
    prepare: (folder, account) =>
      void run(
        [
          programPath('initdb'),
          '-D',
          path.join(folder, 'data'),
          '-U',
          'doorbuster',
          '-A',
          'trust',
          '-E',
          'UTF8',
          '--locale=C',
          '--no-sync',
        ],
        account,
      ),
    command: (folder, port) => [
      programPath('postgres'),
      ...['-D', path.join(folder, 'data'), '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
      ...['-c', 'max_connections=100', '-c', 'shared_buffers=64MB', '-c', 'fsync=on'],
    ],
    url: (port, database) => `postgres://doorbuster:${PASSWORD}@127.0.0.1:${port}/${database}`,
    client: (port, _folder, database) => [
      programPath('psql'),
      ...['-h', '127.0.0.1', '-p', String(port), '-U', 'doorbuster', '-d', database ?? 'postgres'],
      ...['-X', '-v', 'ON_ERROR_STOP=1', '-Atq'],
    ],
  },
  mariadb: {
    account: 'mysql',
    prepare: (folder, account) =>
      void run(
        [
          programPath('mariadb-install-db'),
          ...['--no-defaults', `--datadir=${path.join(folder, 'data')}`, '--auth-root-authentication-method=normal'],
          // Of its own: a server that starts removes what looks like a temporary table of an earlier one.
          ...['--skip-test-db', `--tmpdir=${folder}`],
        ],
        account,
      ),
    command: (folder, port) => [
      programPath('mariadbd'),
      ...['--no-defaults', `--datadir=${path.join(folder, 'data')}`, `--port=${port}`, '--bind-address=127.0.0.1'],
      ...[
        `--socket=${path.join(folder, 'socket')}`,
        '--innodb-flush-log-at-trx-commit=1',
        '--innodb-buffer-pool-size=128M',
      ],
      ...['--skip-log-bin', '--max-connections=200', `--pid-file=${path.join(folder, 'pid')}`, `--tmpdir=${folder}`],
    ],
    url: (port, database) => `mysql://doorbuster:${PASSWORD}@127.0.0.1:${port}/${database}`,
    client: (_port, folder, database) => [
      programPath('mariadb'),
      ...['--no-defaults', `--socket=${path.join(folder, 'socket')}`, '-uroot', '-Nsr', '--unbuffered'],
      ...['--default-character-set=utf8mb4', ...(database === null ? [] : [database])],
    ],
  },
};

/** What a new database needs before the ledger's user may use it. */
const MAKE: Readonly<Record<DatabaseKind, (name: string) => string>> = {
  postgres: (name) => `CREATE DATABASE ${name}`,
  mariadb: (name) =>
    `CREATE DATABASE ${name}; GRANT ALL ON ${name}.* TO 'doorbuster'@'127.0.0.1' IDENTIFIED BY '${PASSWORD}';
     GRANT ALL ON ${name}.* TO 'doorbuster'@'localhost' IDENTIFIED BY '${PASSWORD}'`,
};

/** The name of the database that an address names. */
const nameOf = (url: string): string => new URL(url).pathname.slice(1);

/** One connection, held by the server's own client; statement by statement. */
export class ClientSession {
  readonly #child: ChildProcessWithoutNullStreams;
  #said = '';

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said += chunk;
    });
  }

  /** Resolves when the server has done it, with its answer. */
  async run(sql: string): Promise<string> {
    const mark = `done-${Math.random().toString(36).slice(2)}`;
    this.#said = '';
    this.#child.stdin.write(`${sql};\nSELECT '${mark}';\n`);
    while (!this.#said.includes(mark)) {
      if (this.#child.exitCode !== null) throw new Error(`the client ended with ${this.#child.exitCode}`);
      await sleep(5);
    }
    return this.#said.slice(0, this.#said.indexOf(mark)).trim();
  }

  /** Ends the connection, and with it what it held. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin.end();
    await ended;
  }
}

export class TestDatabase {
  readonly kind: DatabaseKind;
  readonly port: number;
  readonly #recipe: Recipe;
  readonly #account: Account;
  readonly #folder: string;
  #process: ChildProcess | null = null;
  #databases = 0;

  static async start(kind: DatabaseKind): Promise<TestDatabase> {
    const database = new TestDatabase(kind, await freePort());
    await database.up();
    return database;
  }

  private constructor(kind: DatabaseKind, port: number) {
    this.kind = kind;
    this.port = port;
    this.#recipe = RECIPES[kind];
    this.#account = accountOf(this.#recipe.account);
    this.#folder = mkdtempSync(path.join(tmpdir(), `doorbuster-${kind}-`));
    const { uid, gid } = this.#account;
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    chmodSync(this.#folder, 0o755);
    this.#recipe.prepare(this.#folder, this.#account);
  }

  /** Starts the server on its data; resolves when it answers. */
  async up(): Promise<void> {
    const [program = '', ...args] = this.#recipe.command(this.#folder, this.port);
    const child = spawn(program, args, { ...this.#account, stdio: 'ignore', cwd: this.#folder });
    this.#process = child;
    for (const untilMs = performance.now() + UP_WITHIN_MS; performance.now() < untilMs; await sleep(LOOK_EVERY_MS)) {
      if (child.exitCode !== null) throw new Error(`the ${this.kind} server ended with ${child.exitCode}`);
      if (this.#tryAsk('SELECT 1') !== null) return;
    }
    throw new Error(`the ${this.kind} server did not come up`);
  }

  /** What the server's own client says to it; on the database of `url`, where one is named. Throws what it complains of. */
  ask(sql: string, url: string | null = null): string {
    return run(this.#client(url), { input: sql });
  }

  /** A session of the server's own client that stays: holds locks as an operator's tool would. */
  session(url: string): ClientSession {
    const [program = '', ...args] = this.#client(url);
    return new ClientSession(spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] }));
  }

  #client(url: string | null): readonly string[] {
    return this.#recipe.client(this.port, this.#folder, url === null ? null : nameOf(url));
  }

  #tryAsk(sql: string): string | null {
    try {
      return this.ask(sql);
    } catch {
      return null;
    }
  }

  /** A new, empty database on the server; its URL. */
  create(): string {
    const name = `shop_${++this.#databases}`;
    this.ask(MAKE[this.kind](name));
    return this.#recipe.url(this.port, name);
  }

  /** At once, as a power cut would: the process and all that it started. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of this.#pids()) process.kill(pid, signal);
  }

  /** PostgreSQL is a process a connection; SIGKILL of the first alone would leave the others at work. */
  #pids(): number[] {
    const pid = this.#process?.pid;
    if (pid === undefined) return [];
    // From the kernel, at once: whoever kills must not wait for a program to start.
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (signal === 'SIGKILL') {
      for (const pid of this.#pids()) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended by itself in the meantime.
        }
      }
    } else child.kill(signal);
    await ended;
    this.#process = null;
  }

  async close(): Promise<void> {
    await this.#end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
