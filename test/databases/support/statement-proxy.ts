/**
 * A TCP proxy between a server process and its database that knows where the statements begin, by watching the bytes
 * of the client (PostgreSQL's protocol 3, MySQL's text protocol). At a statement of choice it does what networks and
 * dying databases do:
 *
 *   cut-before   the connection ends, and the database never hears of the statement
 *   cut-after    the database has answered; the connection ends before the client hears of it
 *   swallow      the database has answered; the client never hears of it, and the connection stays
 *   delay        the database hears of it later
 *   hold         the client hears of the answer later
 */
import { once } from 'node:events';
import net from 'node:net';
import type { DatabaseKind } from '../../support/database.ts';

export interface Fault {
  /** `transaction`: the statements before it, since the last BEGIN on the connection. */
  readonly match: (statement: string, transaction: readonly string[]) => boolean;
  readonly kind: 'cut-before' | 'cut-after' | 'swallow' | 'delay' | 'hold';
  readonly ms?: number;
  /** How many statements it befalls; for ever where it is not told. */
  readonly times?: number;
}

interface Message {
  readonly bytes: Buffer;
  /** Where it begins a statement. */
  readonly statement: string | null;
}

export class StatementProxy {
  /** Every statement that came by, in the order in which they came. */
  readonly seen: string[] = [];
  /** The same by connection, from its first statement on. */
  readonly conversations: string[][] = [];
  /** How many statements a fault befell. */
  befallen = 0;
  readonly #server: net.Server;
  readonly #kind: DatabaseKind;
  readonly #sockets = new Set<net.Socket>();
  readonly #held = new Set<{ readonly client: net.Socket; readonly timer: NodeJS.Timeout }>();
  #faults: { fault: Fault; left: number }[] = [];

  private constructor(kind: DatabaseKind, port: number) {
    this.#kind = kind;
    this.#server = net.createServer((client) => this.#connect(client, port));
  }

  static async to(kind: DatabaseKind, port: number): Promise<StatementProxy> {
    const proxy = new StatementProxy(kind, port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The same database, through the proxy. */
  through(url: string): string {
    const address = new URL(url);
    address.port = String((this.#server.address() as net.AddressInfo).port);
    return address.href;
  }

  befall(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  /** Answers of the database that are on their way at this instant. */
  get holding(): number {
    return this.#held.size;
  }

  /** What is on its way is lost, with its connection: the machine at the other end is gone. */
  lose(): void {
    for (const { client, timer } of this.#held) {
      clearTimeout(timer);
      client.destroy();
    }
    this.#held.clear();
  }

  heal(): void {
    this.#faults = [];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(client: net.Socket, port: number): void {
    const upstream = net.connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    const end = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    client.on('close', end);
    upstream.on('close', end);

    const framer = this.#kind === 'postgres' ? new PostgresFramer() : new MysqlFramer();
    const transaction: string[] = [];
    const conversation: string[] = [];
    this.conversations.push(conversation);
    let fate: Fault | null = null;
    let work = Promise.resolve();
    const pass = async ({ bytes, statement }: Message): Promise<void> => {
      if (statement !== null) {
        this.seen.push(statement);
        conversation.push(statement);
        if (/^BEGIN/.test(statement)) transaction.length = 0;
        fate = this.#faultFor(statement, transaction);
        transaction.push(statement);
        if (fate?.kind === 'cut-before') return end();
        if (fate?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fate?.ms));
      }
      if (!upstream.destroyed) upstream.write(bytes);
    };
    client.on('data', (chunk) => {
      for (const message of framer.take(chunk)) {
        work = work.then(() => pass(message));
      }
    });
    upstream.on('data', (chunk) => {
      if (fate?.kind === 'cut-after') return end();
      if (fate?.kind === 'swallow') return;
      if (fate?.kind !== 'hold') return void client.write(chunk);
      const { ms } = fate;
      const held = { client, timer: setTimeout(() => this.#held.delete(held) && client.write(chunk), ms) };
      this.#held.add(held);
    });
  }

  #faultFor(statement: string, transaction: readonly string[]): Fault | null {
    const found = this.#faults.find(({ fault, left }) => left > 0 && fault.match(statement, transaction));
    if (found === undefined) return null;
    found.left -= 1;
    this.befallen += 1;
    return found.fault;
  }
}

abstract class Framer {
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const length = this.lengthOf(this.#rest);
      if (length === null || this.#rest.length < length) return messages;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      messages.push({ bytes, statement: this.statementOf(bytes) });
    }
  }

  /** Of the message at the beginning; null where that cannot be said yet. */
  protected abstract lengthOf(bytes: Buffer): number | null;
  protected abstract statementOf(message: Buffer): string | null;
}

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The first message has no type; then each is type, length (without the type), content. */
class PostgresFramer extends Framer {
  #started = false;

  protected override lengthOf(bytes: Buffer): number | null {
    const at = this.#started ? 1 : 0;
    return bytes.length < at + 4 ? null : at + bytes.readUInt32BE(at);
  }

  protected override statementOf(message: Buffer): string | null {
    if (!this.#started) {
      this.#started = true;
      return null;
    }
    const type = String.fromCharCode(message[0] ?? 0);
    if (type === 'Q') return tidy(message.toString('utf8', 5, message.length - 1));
    if (type !== 'P') return null;
    const name = message.indexOf(0, 5);
    return tidy(message.toString('utf8', name + 1, message.indexOf(0, name + 1)));
  }
}

/** Length (3 bytes), number in its exchange, content; an exchange that the client begins has the number 0. */
class MysqlFramer extends Framer {
  protected override lengthOf(bytes: Buffer): number | null {
    return bytes.length < 4 ? null : 4 + bytes.readUIntLE(0, 3);
  }

  protected override statementOf(message: Buffer): string | null {
    const COM_QUERY = 3;
    return message[3] === 0 && message[4] === COM_QUERY ? tidy(message.toString('utf8', 5)) : null;
  }
}
