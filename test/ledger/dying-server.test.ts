/**
 * A database server that dies while it greets: the end of the connection stands right behind the greeting, in one
 * packet. Whoever asked for the connection hears of it as of any lost one; that it does not end the process instead
 * (an `error` event without a listener) is what the test run itself watches.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { faultOf, openPool } from '../../src/ledger/dialects/postgres/driver.ts';

/** A message of PostgreSQL's protocol (PostgreSQL manual, 55.7): a letter, the length with itself, the body. */
function message(letter: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), length, body]);
}

const AUTHENTICATION_OK = message('R', Buffer.alloc(4));
const READY_FOR_QUERY = message('Z', Buffer.from('I'));
/** What the other processes say when one of them was killed: crash_shutdown. */
const CRASH_SHUTDOWN = message('E', Buffer.from('SFATAL\0VFATAL\0C57P02\0Mterminating connection\0\0'));

let server: Server;

afterEach(() => {
  server.close();
});

async function dyingServer(): Promise<string> {
  server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY, CRASH_SHUTDOWN])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `postgres://shop@127.0.0.1:${(server.address() as AddressInfo).port}/shop`;
}

it('PostgreSQL: the one who waits for the connection hears that it is lost', async () => {
  const pool = openPool({ url: await dyingServer(), connectionsMax: 2, forceKeys: true });
  const error = await pool.take().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(faultOf(error)).toBe('lost');
  await pool.close();
});

it('canary: the pool alone leaves that instant unwatched', async () => {
  const pool = new pg.Pool({ connectionString: await dyingServer() });
  pool.on('error', () => {});
  let watched: number | undefined;
  pool.on('connect', (client) => {
    const said = client.emit.bind(client);
    client.emit = (event: string, ...rest: unknown[]) => {
      if (event !== 'error') return said(event, ...rest);
      watched ??= client.listenerCount('error');
      return true;
    };
  });
  const client = await pool.connect();
  client.release(true);
  expect(watched).toBe(0);
  await pool.end();
});
