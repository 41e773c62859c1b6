/**
 * Small words for contract tests: a refusal by its code, a bounded wait for something that time brings, a sale in
 * a wanted phase. Nothing here sleeps and hopes: `until` polls, and fails with what it saw last.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Answer, type Code, problemFaults } from './contract.ts';
import type { Reply, TestServer } from './server.ts';

const asAnswer = (reply: Reply): Answer => ({
  status: reply.status,
  text: reply.text,
  header: (name) => reply.headers.get(name),
});

/** The reply is a problem with this code (or one of these), whole by the table of codes; hands its body back. */
export function expectProblem(reply: Reply, ...wanted: readonly Code[]): Reply['body'] {
  expect(reply.status, `expected ${wanted.join(' or ')}, got ${reply.status} ${reply.text}`).toBeGreaterThanOrEqual(
    400,
  );
  expect(wanted, `got ${reply.status} ${reply.text}`).toContain(reply.body.code);
  expect(problemFaults(asAnswer(reply)), reply.text).toEqual([]);
  return reply.body;
}

/** The reply has this status; hands its body back. */
export function expectOk(reply: Reply, status = 200): Reply['body'] {
  expect(reply.status, reply.text).toBe(status);
  return reply.body;
}

/** Polls until `probe` hands back something truthy; throws with the last sight of `describe` when the time is over. */
export async function until<T>(
  what: string,
  withinMs: number,
  probe: () => Promise<T | false | null | undefined>,
): Promise<T> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const seen = await probe();
    if (seen) return seen;
    if (Date.now() > endMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

export const newId = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;

export const item = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  sku: 'tee-m',
  title: 'Tee M',
  priceMinor: 2500,
  stock: 10,
  ...change,
});

export const saleBody = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  title: 'Test sale',
  currency: 'EUR',
  items: [item()],
  ...change,
});

/** Makes a draft and hands back its id. */
export async function draftSale(server: TestServer, change: Record<string, unknown> = {}): Promise<string> {
  const made = await server.merchant('POST', '/v1/merchant/sales', saleBody({ saleId: newId('sale'), ...change }));
  return expectOk(made, 201).saleId as string;
}

export type Phase = 'draft' | 'scheduled' | 'open' | 'paused' | 'ended';

const actsTo: Record<Phase, readonly string[]> = {
  draft: [],
  scheduled: ['schedule'],
  open: ['open'],
  paused: ['open', 'pause'],
  ended: ['open', 'end'],
};

/** A sale in the phase; a scheduled one has no `opensAt` and waits for `open`. */
export async function saleIn(server: TestServer, phase: Phase, change: Record<string, unknown> = {}): Promise<string> {
  const saleId = await draftSale(server, change);
  for (const act of actsTo[phase]) expectOk(await server.merchant('POST', `/v1/merchant/sales/${saleId}/${act}`));
  return saleId;
}

/** Sets a sale's item's levels beside the books: `{ available, held, sold }` of the first (or named) item. */
export async function levels(server: TestServer, saleId: string, sku = 'tee-m'): Promise<Record<string, number>> {
  const books = await server.books(saleId);
  expect(books.balanced, JSON.stringify(books)).toBe(true);
  const found = books.items.find((entry: { sku: string }) => entry.sku === sku);
  expect(found, JSON.stringify(books)).toBeDefined();
  const { total, available, held, sold, inFlight } = found;
  expect(available + held + sold + inFlight, JSON.stringify(found)).toBe(total);
  return { total, available, held, sold };
}
