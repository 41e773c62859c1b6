/**
 * The judge judged: doctored answers, doctored books and servers that misbehave must each be caught, and
 * right ones must pass. Needs no server of ours.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../support/contract.ts';
import { rawBytes } from '../support/raw-http.ts';
import { badBody } from './bad-bodies.ts';
import type { BadRequest } from './bad-requests.ts';
import { bodySpecs } from './bodies.ts';
import { drive, requestFaults } from './drive.ts';
import { jsonBytes } from './json-text.ts';
import { Random } from './random.ts';
import { booksFaults, sightFaults, type World } from './world.ts';

const request: BadRequest = {
  name: 'an order of quantity 0',
  route: null,
  pieces: [rawBytes({ method: 'POST', target: '/v1/sales/x/orders', headers: [], body: Buffer.from('{}') })],
  head: false,
  expect: 'refused',
  codes: ['invalid'],
  alone: false,
  order: false,
};

const right = {
  type: 'urn:doorbuster:problem:invalid',
  title: 'Invalid',
  status: 422,
  code: 'invalid',
  requestId: 'r1',
  retryable: false,
  effect: 'none',
  errors: [{ path: '/quantity', message: 'too small' }],
};

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => {
  const all: Record<string, string> = { 'content-type': 'application/problem+json', ...headers };
  return { status, text: typeof body === 'string' ? body : JSON.stringify(body), header: (name) => all[name] ?? null };
};

const without = (name: keyof typeof right) => Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));

describe('an answer', () => {
  it('that keeps the contract passes', () => {
    expect(requestFaults(request, answer(422, right))).toEqual([]);
    const busy = { ...right, status: 503, code: 'busy', retryable: true, errors: undefined, retryAfterMs: 100 };
    expect(requestFaults(request, answer(503, busy, { 'retry-after': '1' }))).toEqual([]);
  });

  const doctored: [string, Answer][] = [
    ['a 500', answer(500, { ...right, status: 500, code: 'internal', retryable: true })],
    ['a 500 in plain text', answer(500, 'Internal Server Error', { 'content-type': 'text/plain' })],
    ['a 201: the bad input was taken', answer(201, { orderId: 'o1' }, { 'content-type': 'application/json' })],
    ['a refusal in HTTP 200', answer(200, right)],
    ['no code', answer(422, without('code'))],
    ['a code that is not in the table', answer(422, { ...right, code: 'bad_request' })],
    ['a code of Object.prototype', answer(422, { ...right, code: 'constructor' })],
    ['a status that is not the code’s', answer(400, { ...right, status: 400 })],
    ['a status that is not the answer’s', answer(422, { ...right, status: 400 })],
    ['no requestId', answer(422, without('requestId'))],
    ['no effect', answer(422, without('effect'))],
    ['effect unknown where nothing was taken', answer(422, { ...right, effect: 'unknown' })],
    ['no retryable', answer(422, without('retryable'))],
    ['retryable that is not the table’s', answer(422, { ...right, retryable: true })],
    ['no errors', answer(422, without('errors'))],
    ['errors without a path', answer(422, { ...right, errors: [{ message: 'x' }] })],
    ['no type', answer(422, without('type'))],
    ['no title', answer(422, without('title'))],
    ['another media type', answer(422, right, { 'content-type': 'application/json' })],
    ['no JSON', answer(422, 'Unprocessable')],
    ['an empty body', answer(422, '')],
    ['another code than the one demanded', answer(404, { ...right, status: 404, code: 'not_found' })],
    ['405 without Allow', answer(405, { ...right, status: 405, code: 'method_not_allowed' })],
    [
      'retryAfterMs without Retry-After',
      answer(503, { ...right, status: 503, code: 'busy', retryable: true, retryAfterMs: 5 }),
    ],
    ['sold_out without availability', answer(409, { ...right, status: 409, code: 'sold_out' })],
  ];
  it.each(doctored)('is caught: %s', (_, given) => {
    expect(requestFaults(request, given)).not.toEqual([]);
  });
});

describe('the books', () => {
  const books = {
    balanced: true,
    items: [{ sku: 'a', total: 10, available: 6, held: 3, sold: 1, inFlight: 0 }],
    orders: { held: 3 },
  };
  const sight = { 'w: books': books, 'w: orders': [{ orderId: 'o1', status: 'held' }] };

  it('that are the same pass', () => {
    expect(sightFaults(sight, structuredClone(sight))).toEqual([]);
  });

  it.each([
    ['a unit moved', { ...sight, 'w: books': { ...books, items: [{ ...books.items[0], available: 5, held: 4 }] } }],
    ['an order more', { ...sight, 'w: orders': [...sight['w: orders'], { orderId: 'o2', status: 'held' }] }],
    ['an order paid', { ...sight, 'w: orders': [{ orderId: 'o1', status: 'paid' }] }],
    ['the orders gone', { 'w: books': books }],
  ])('are caught: %s', (_, after) => {
    expect(sightFaults(sight, after)).not.toEqual([]);
  });

  it.each([
    ['a sum that is wrong', { ...books, items: [{ ...books.items[0], available: 7 }] }],
    ['a level below 0', { ...books, items: [{ ...books.items[0], available: -1, held: 10 }] }],
    ['not balanced', { ...books, balanced: false }],
    ['no books at all', {}],
  ])('are caught: %s', (_, doctored) => {
    expect(booksFaults('w', doctored)).not.toEqual([]);
  });
});

describe('a server', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Only who waits for a hang asks for a short deadline: a machine under load is slow, not hung. */
  async function against(listener: RequestListener, change: Partial<BadRequest> = {}, deadlineMs = 30_000) {
    server = createServer(listener);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return drive(url, () => ({ ...request, ...change }), 20, { connections: 2, depth: 2, deadlineMs });
  }
  const refuse: RequestListener = (_, reply) => {
    reply.writeHead(422, { 'content-type': 'application/problem+json' }).end(JSON.stringify(right));
  };

  it('that refuses as it should passes', async () => {
    const tally = await against(refuse);
    expect(tally.faults).toEqual([]);
    expect(tally.answered).toBe(20);
    expect(tally.byCode.get('invalid')).toBe(20);
  });

  it('that never answers is caught', async () => {
    let seen = 0;
    const silentOnce: RequestListener = (incoming, reply) => {
      seen += 1;
      if (seen !== 7) refuse(incoming, reply as never);
    };
    const tally = await against(silentOnce, {}, 300);
    expect(tally.faults.join()).toContain('hangs');
  });

  it('that drops a request is caught', async () => {
    const tally = await against((incoming) => incoming.socket.destroy());
    expect(tally.faults.join()).toContain('dropped');
    expect(tally.answered).toBe(0);
  });

  it('that answers one in twenty with a 500 is caught', async () => {
    let seen = 0;
    const tally = await against((incoming, reply) => {
      seen += 1;
      if (seen === 13) reply.writeHead(500).end('oops');
      else refuse(incoming, reply as never);
    });
    expect(tally.faults).toHaveLength(1);
    expect(tally.faults[0]).toContain('a 500');
  });

  it('that takes one is caught', async () => {
    let seen = 0;
    const tally = await against((incoming, reply) => {
      seen += 1;
      if (seen === 5) reply.writeHead(201, { 'content-type': 'application/json' }).end('{}');
      else refuse(incoming, reply as never);
    });
    expect(tally.faults.join()).toContain('taken with HTTP 201');
  });

  it('that hangs up on what is hardly HTTP is in its right', async () => {
    const tally = await against((incoming) => incoming.socket.destroy(), { expect: 'transport', alone: true });
    expect(tally.faults).toEqual([]);
    expect(tally.hungUp).toHaveLength(20);
  });
});

describe('the generator', () => {
  const world = { heldOrderId: 'o1' } as World;

  it('makes the same bodies of the same seed', () => {
    const make = (seed: number) => {
      const random = new Random(seed);
      return Array.from(
        { length: 200 },
        () => badBody(random, bodySpecs['POST /v1/merchant/sales'] as never, world, 'shopper').bytes,
      );
    };
    expect(make(7)).toEqual(make(7));
    expect(make(7)).not.toEqual(make(8));
  });

  it('never makes the right body', () => {
    const random = new Random(1);
    for (const spec of Object.values(bodySpecs)) {
      const rightBody = jsonBytes(spec.right(world));
      for (let turn = 0; turn < 500; turn++)
        expect(badBody(random, spec, world, 'shopper').bytes.equals(rightBody)).toBe(false);
    }
  });
});
