/**
 * An HTTP/1.1 client that writes exactly the bytes it is given: what no well-behaved client can send (repeated
 * headers, broken UTF-8, split and pipelined requests) a test sends with this. Answers come in order of sending.
 * An answer that does not come within the deadline is a `Hang`; a connection that ends first is a `ConnectionEnded`.
 */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  header(name: string): string | null;
}

export class Hang extends Error {}
export class ConnectionEnded extends Error {}

interface Waiting {
  readonly head: boolean;
  readonly timer: NodeJS.Timeout;
  resolve(answer: RawAnswer): void;
  reject(error: Error): void;
}

const headEnd = Buffer.from('\r\n\r\n');

interface Head {
  readonly status: number;
  readonly headers: Map<string, string>;
  readonly bodyStart: number;
}

function parseHead(buffer: Buffer): Head | null {
  const end = buffer.indexOf(headEnd);
  if (end < 0) return null;
  const [first, ...lines] = buffer.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first ?? '')?.[1]);
  if (!Number.isInteger(status)) throw new Error(`not an HTTP answer: ${first}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { status, headers, bodyStart: end + headEnd.length };
}

/** The body of a chunked answer and where it ends, or null while it is not whole. */
function parseChunked(buffer: Buffer, start: number): { body: Buffer; end: number } | null {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = buffer.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(buffer.toString('latin1', at, lineEnd), 16);
    const dataStart = lineEnd + 2;
    if (buffer.length < dataStart + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(parts), end: dataStart + 2 };
    parts.push(buffer.subarray(dataStart, dataStart + size));
    at = dataStart + size + 2;
  }
}

interface Parsed {
  readonly answer: RawAnswer;
  readonly rest: Buffer;
}

/** The first whole answer of the buffer, or null. `ended`: the other side has closed, so a body without length is whole. */
function parseAnswer(buffer: Buffer, head: boolean, ended: boolean): Parsed | null {
  const found = parseHead(buffer);
  if (found === null) return null;
  const { status, headers, bodyStart } = found;
  const done = (body: Buffer, end: number): Parsed => ({
    answer: { status, headers, text: body.toString('utf8'), header: (name) => headers.get(name.toLowerCase()) ?? null },
    rest: buffer.subarray(end),
  });
  if (head || status < 200 || status === 204 || status === 304) return done(Buffer.alloc(0), bodyStart);
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) {
    const chunked = parseChunked(buffer, bodyStart);
    return chunked === null ? null : done(chunked.body, chunked.end);
  }
  const length = headers.get('content-length');
  if (length === undefined) return ended ? done(buffer.subarray(bodyStart), buffer.length) : null;
  const end = bodyStart + Number(length);
  return buffer.length < end ? null : done(buffer.subarray(bodyStart, end), end);
}

export class RawConnection {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  readonly #deadlineMs: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** False once an answer said `Connection: close` or the socket ended: send nothing more on it. */
  usable = true;

  constructor(url: string, deadlineMs = 15_000) {
    const { hostname, port } = new URL(url);
    this.#deadlineMs = deadlineMs;
    this.#socket = connect(Number(port), hostname);
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('end', () => this.#end('ended by the server'));
    this.#socket.on('error', (error) => this.#end(error.message));
    this.#socket.on('close', () => this.#end('closed'));
  }

  /** Sends the pieces, each in a packet of its own, and waits for the next answer in line. */
  exchange(pieces: readonly Uint8Array[], options: { head?: boolean } = {}): Promise<RawAnswer> {
    const answered = new Promise<RawAnswer>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Hang(`no answer within ${this.#deadlineMs} ms`));
        this.close();
      }, this.#deadlineMs);
      this.#waiting.push({ head: options.head === true, timer, resolve, reject });
    });
    void this.#write(pieces);
    return answered;
  }

  close(): void {
    this.usable = false;
    this.#socket.destroy();
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      if (!this.#socket.destroyed) this.#socket.write(piece);
    }
  }

  #take(bytes: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? bytes : Buffer.concat([this.#buffer, bytes]);
    this.#settle(false);
  }

  #settle(ended: boolean): void {
    while (this.#waiting.length > 0 && this.#buffer.length > 0) {
      const next = this.#waiting[0] as Waiting;
      let parsed: Parsed | null;
      try {
        parsed = parseAnswer(this.#buffer, next.head, ended);
      } catch (error) {
        next.reject(error as Error);
        clearTimeout(next.timer);
        this.#waiting.shift();
        this.close();
        return;
      }
      if (parsed === null) return;
      this.#buffer = parsed.rest;
      if (parsed.answer.status < 200) continue;
      if (/close/i.test(parsed.answer.header('connection') ?? '')) this.usable = false;
      this.#waiting.shift();
      clearTimeout(next.timer);
      next.resolve(parsed.answer);
    }
  }

  #end(reason: string): void {
    this.usable = false;
    this.#settle(true);
    for (const waiting of this.#waiting.splice(0)) {
      clearTimeout(waiting.timer);
      waiting.reject(new ConnectionEnded(reason));
    }
    this.#socket.destroy();
  }
}

export interface RawRequest {
  readonly method: string;
  readonly target: string | Uint8Array;
  readonly headers: readonly (readonly [string, string | Uint8Array])[];
  readonly body?: Uint8Array | undefined;
  /** Send the body in chunks of these sizes (chunked transfer encoding) instead of with a length. */
  readonly chunks?: readonly number[];
}

const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, 'latin1') : value;

function chunked(body: Uint8Array, sizes: readonly number[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let index = 0; at < body.length; index++) {
    const size = Math.max(1, sizes[index % sizes.length] ?? body.length);
    const piece = body.subarray(at, at + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

/** The bytes of a request. Adds Host and the body's framing unless the headers bring their own. */
export function rawBytes(request: RawRequest): Buffer {
  const parts: Uint8Array[] = [bytesOf(`${request.method} `), bytesOf(request.target), bytesOf(' HTTP/1.1\r\n')];
  const names = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const headers: (readonly [string, string | Uint8Array])[] = [...request.headers];
  if (!names.has('host')) headers.unshift(['host', '127.0.0.1']);
  let body = request.body;
  if (body !== undefined && request.chunks !== undefined) {
    headers.push(['transfer-encoding', 'chunked']);
    body = chunked(body, request.chunks);
  } else if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding')) {
    headers.push(['content-length', String(body.length)]);
  }
  for (const [name, value] of headers) parts.push(bytesOf(`${name}: `), bytesOf(value), bytesOf('\r\n'));
  parts.push(bytesOf('\r\n'));
  if (body !== undefined) parts.push(body);
  return Buffer.concat(parts);
}

/** One request on a connection of its own. */
export async function rawOnce(url: string, pieces: readonly Uint8Array[], deadlineMs?: number): Promise<RawAnswer> {
  const connection = new RawConnection(url, deadlineMs);
  try {
    return await connection.exchange(pieces);
  } finally {
    connection.close();
  }
}
