/**
 * One kept-alive HTTP/1.1 connection with at most one request in flight, written by hand so that the generator costs
 * a fraction of the server it measures. Understands just enough of an answer: its status, and where it ends by
 * `content-length`. Anything else (chunked answers, a connection closed in the middle) ends the run loudly.
 */
import { connect, type Socket } from 'node:net';

const READ_BYTES = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: *(\d+)/i;

export class Connection {
  readonly #socket: Socket;
  readonly #answered: (connection: Connection, status: number) => void;
  waiting = false;
  /** What has arrived of an answer that did not come in one piece. */
  #pieces: Buffer | null = null;
  /** When the request in flight was meant to leave; the caller's note, `performance.now()`'s clock. */
  intendedAtMs = 0;

  private constructor(socket: Socket, answered: (connection: Connection, status: number) => void) {
    this.#socket = socket;
    this.#answered = answered;
  }

  /** Connects; `answered` is called for every complete answer, `failed` once when the connection breaks. */
  static open(
    address: { host: string; port: number },
    answered: (connection: Connection, status: number) => void,
    failed: (error: Error) => void,
  ): Promise<Connection> {
    return new Promise((resolve) => {
      let connection: Connection | null = null;
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const onread = {
        buffer,
        callback: (bytes: number): boolean => {
          connection?.read(buffer.subarray(0, bytes));
          return true;
        },
      };
      const socket = connect({ ...address, noDelay: true, onread }, () => {
        connection = new Connection(socket, answered);
        resolve(connection);
      });
      socket.on('error', failed);
      socket.on('close', () => {
        if (connection?.waiting === true)
          failed(new Error('the server closed a connection that was waiting for its answer'));
      });
    });
  }

  send(request: Buffer, intendedAtMs = 0): void {
    this.waiting = true;
    this.intendedAtMs = intendedAtMs;
    this.#socket.write(request);
  }

  close(): void {
    this.waiting = false;
    this.#socket.destroy();
  }

  read(arrived: Buffer): void {
    const answer = this.#pieces === null ? arrived : Buffer.concat([this.#pieces, arrived]);
    const headEnd = answer.indexOf(HEAD_END);
    const total = headEnd < 0 ? Number.POSITIVE_INFINITY : headEnd + 4 + bodyLength(answer, headEnd);
    if (answer.length < total) {
      this.#pieces = Buffer.from(answer);
      return;
    }
    if (answer.length > total) throw new Error('more bytes than one answer');
    this.#pieces = null;
    this.waiting = false;
    // "HTTP/1.1 201": the status is the three digits from byte 9.
    const status = (digit(answer, 9) * 10 + digit(answer, 10)) * 10 + digit(answer, 11);
    this.#answered(this, status);
  }
}

function bodyLength(answer: Buffer, headEnd: number): number {
  const length = LENGTH.exec(answer.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error('an answer without content-length');
  return Number(length);
}

const digit = (answer: Buffer, at: number): number => (answer[at] ?? 0) - 48;
