/**
 * The yardstick: a bare `node:http` server that reads the body, parses it, and answers a JSON of the same kind, with
 * the same status, headers and size as the answer that it was shown, and one field (an id) of its own each time.
 * It knows no token, key, limit or stock. What Doorbuster costs beyond this is what the purchase path costs.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Sample {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The string field of the body that differs from answer to answer. */
  readonly idField: string;
}

let sample: Sample | null = null;
let count = 0;

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const asked = JSON.parse(pieces.length === 1 ? String(pieces[0]) : String(Buffer.concat(pieces))) as {
      quantity: number;
    };
    if (sample === null || asked.quantity !== 1) {
      response.writeHead(500).end();
      return;
    }
    count += 1;
    const id = String(count).padStart(String(sample.body[sample.idField]).length, '0');
    const text = JSON.stringify({ ...sample.body, [sample.idField]: id });
    response.writeHead(sample.status, { ...sample.headers, 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});

process.on('message', (shown: Sample) => {
  sample = shown;
  process.send?.({ sampled: true });
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
