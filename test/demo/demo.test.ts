/**
 * The demo as a newcomer runs it, in a small form: it must end well, say so in words that can be checked, leave no
 * process and no folder behind, and its judge must notice when a result is doctored. The doctored results are made
 * from the evidence of the same run, so that they differ from a true one in exactly one thing.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Evidence } from '../../src/rehearsal/evidence.ts';
import { verify } from '../../src/rehearsal/verify.ts';
import { cliPath } from '../support/server.ts';

const SHOPPERS = 600;
const STOCK = 50;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the demo with a temporary folder of its own, so that what it leaves behind can be seen. */
function demo(args: readonly string[], folder: string): Promise<Ended> {
  const child = spawn(process.execPath, [cliPath, 'demo', ...args], {
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

describe('doorbuster demo', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-demo-test-'));
  const evidenceFile = path.join(folder, 'evidence.json');
  let run: Ended;
  let evidence: Evidence;

  beforeAll(async () => {
    const args = ['--once', '--shoppers', String(SHOPPERS), '--stock', String(STOCK), '--seed', '11'];
    run = await demo([...args, '--evidence', evidenceFile], folder);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    evidence = JSON.parse(readFileSync(evidenceFile, 'utf8')) as Evidence;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says in plain words what happened, and that every promise was kept', () => {
    expect(run.stdout).toContain('600 shoppers and 6 bots came');
    expect(run.stdout).toMatch(/\d+ shoppers got a unit/);
    expect(run.stdout).toMatch(/\d+ {2}sold out/);
    expect(run.stdout).toMatch(/sneaker: \d+ free \+ 0 held \+ \d+ sold = 50/);
    expect(run.stdout).toMatch(/Verdict: yes, all \d+\./);
    expect(run.stdout).toMatch(/In short: \d+ of 50 units sold, each to one shopper who paid in time.*; \d+ shoppers/);
    expect(run.stdout).toContain('✓');
    expect(run.stdout).not.toContain('✗');
  });

  it('speaks in plain lines into a pipe: no colours, nothing drawn in place', () => {
    expect(run.stdout).not.toContain(String.fromCharCode(27));
    expect(run.stdout).not.toContain('\r');
    expect(run.stdout).toMatch(/^\+ +\d\.\d s {2}\d+ came, /m);
  });

  it('sold to distinct buyers, each with a key of their own, some of them twice clicked, cut off or unpaid', () => {
    const shoppers = evidence.told.intents.filter(({ by }) => by === 'shopper');
    expect(new Set(shoppers.map(({ buyerId }) => buyerId)).size).toBe(SHOPPERS);
    expect(new Set(shoppers.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(SHOPPERS);
    expect(shoppers.filter(({ requests }) => requests > 1).length).toBeGreaterThan(SHOPPERS / 20);
    expect(evidence.told.intents.filter(({ guessed }) => guessed).length).toBeGreaterThan(0);
    expect(evidence.booked.length).toBeGreaterThanOrEqual(STOCK);
  });

  it('leaves nothing behind but the evidence that was asked for', () => {
    expect(readdirSync(folder)).toEqual(['evidence.json']);
  });

  describe('its judge', () => {
    const broken = (doctored: Evidence): string[] => verify(doctored).flatMap(({ id, kept }) => (kept ? [] : [id]));
    const copy = (): Mutable<Evidence> => structuredClone(evidence) as Mutable<Evidence>;
    const one = <T>(items: T[], wanted: (item: T) => boolean = () => true): T => {
      const found = items.find(wanted);
      if (found === undefined) throw new Error('the run has no such thing to doctor');
      return found;
    };

    it('finds nothing wrong with the true result', () => {
      expect(broken(evidence)).toEqual([]);
    });

    it('finds an order that nobody was told of', () => {
      const doctored = copy();
      const refused = one(doctored.told.intents, ({ outcome, by }) => outcome === 'sold_out' && by === 'shopper');
      const order = one(doctored.booked, ({ status }) => status === 'paid');
      const span = { placedAt: order.placedAt, expiresAt: order.placedAt };
      doctored.booked.push({ ...order, ...span, status: 'expired', orderId: 'ord-extra', buyerId: refused.buyerId });
      expect(broken(doctored)).toEqual(['refused_took_nothing']);
    });

    it('finds an acknowledged order that is gone', () => {
      const doctored = copy();
      const lost = one(doctored.booked, ({ status }) => status === 'paid');
      doctored.booked = doctored.booked.filter(({ orderId }) => orderId !== lost.orderId);
      expect(broken(doctored)).toContain('acknowledged_exist');
    });

    it('finds a tally that differs from the books', () => {
      const doctored = copy();
      one(doctored.told.orders, ({ status }) => status === 'paid').status = 'expired';
      expect(broken(doctored)).toEqual(['tally_equals_books']);
    });

    it('finds a unit sold past the stock', () => {
      const doctored = copy();
      const order = one(doctored.booked, ({ status }) => status === 'paid');
      for (let extra = 0; extra < STOCK; extra += 1) {
        doctored.booked.push({ ...order, orderId: `ord-extra-${extra}`, buyerId: `shopper-extra-${extra}` });
      }
      expect(broken(doctored)).toContain('never_oversold');
    });

    it('finds one unit too many at one moment, though the end adds up', () => {
      const doctored = copy();
      const item = one(doctored.sale.items);
      const most = mostAtOnce(evidence);
      item.stock = most - 1;
      expect(broken(doctored)).toContain('never_oversold');
    });

    it('finds books that do not balance', () => {
      const doctored = copy();
      one(doctored.books.items).available += 1;
      expect(broken(doctored)).toContain('books_balance');
    });

    it('finds a buyer over the limit', () => {
      const doctored = copy();
      const [first, second] = doctored.booked.filter(({ status }) => status === 'paid');
      if (first === undefined || second === undefined) throw new Error('the run sold fewer than two units');
      second.buyerId = ` ${first.buyerId.toUpperCase()} `;
      expect(broken(doctored)).toEqual(expect.arrayContaining(['limits_kept']));
    });

    it('finds a key with two orders', () => {
      const doctored = copy();
      one(doctored.told.intents, ({ outcome }) => outcome === 'order').orderIds.push('ord-second');
      expect(broken(doctored)).toEqual(['one_order_per_key']);
    });

    it('finds an order before the opening, a guessed key that worked and a purchase key shown early', () => {
      const early = copy();
      one(early.booked).placedAt = new Date(Date.parse(early.sale.opensAt ?? '') - 1).toISOString();
      expect(broken(early)).toContain('not_early');
      const guessed = copy();
      one(guessed.told.intents, (intent) => intent.guessed).outcome = 'order';
      expect(broken(guessed)).toEqual(['not_early']);
      const shown = copy();
      shown.told.keyShownEarly = true;
      expect(broken(shown)).toEqual(['not_early']);
    });

    it('finds "sold out" said while units were left', () => {
      const doctored = copy();
      for (const item of [...doctored.sale.items]) item.stock += 1;
      for (const item of doctored.books.items) {
        item.available += 1;
        item.total += 1;
      }
      expect(broken(doctored)).toEqual(['nothing_lost']);
    });

    it('finds a hold that never ended, a shopper without an answer and a server error', () => {
      const held = copy();
      one(held.books.items).held += 1;
      expect(broken(held)).toContain('holds_ended');
      const silent = copy();
      one(silent.told.intents, ({ outcome }) => outcome === 'sold_out').outcome = 'unanswered';
      expect(broken(silent)).toEqual(['everybody_answered']);
      const faulty = copy();
      faulty.told.faults.push('the server answered "internal"');
      expect(broken(faulty)).toEqual(['no_faults']);
    });
  });
});

describe('doorbuster demo, used wrongly', () => {
  it.each([['--shoppers', '0'], ['--stock', 'many'], ['--seed', '-1'], ['--unknown']])(
    'refuses %s %s',
    async (...args) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-demo-test-'));
      const ended = await demo(args, folder);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain(args[0]);
      expect(readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    },
  );
});

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;

/** The most units that the orders' own times show as taken at one instant; written apart from the judge. */
function mostAtOnce({ booked }: Evidence): number {
  const endOf = (order: Evidence['booked'][number]): number => {
    if (order.status === 'paid') return Number.POSITIVE_INFINITY;
    return Date.parse((order.status === 'cancelled' ? order.closedAt : order.expiresAt) ?? order.placedAt);
  };
  const units = booked.map((order) => ({ from: Date.parse(order.placedAt), until: endOf(order) }));
  return Math.max(...units.map(({ from }) => units.filter((unit) => unit.from <= from && unit.until > from).length));
}
