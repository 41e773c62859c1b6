/** Field cases L, as far as one process has them: what lies between a promise and its record. */
import { expect, it } from 'vitest';
import { type Answer, buyers, Crowd, type OrderWish } from './support/crowd.ts';
import { crowdedTimeoutMs, discardField, itemBooks, startField, tally } from './support/field-server.ts';

it(
  'H076 killed while it accepts: every buyer told so has a stored order, every unit without an order is back',
  async () => {
    const stock = 2_000;
    let server = await startField();
    const sale = await server.openSale({ items: [{ sku: 'tee-m', title: 'Tee M', priceMinor: 2500, stock }] });
    const told = new Map<string, string>();
    let unanswered = 0;
    let sent: OrderWish[] = [];
    for (const round of [1, 2, 3]) {
      const crowd = new Crowd(server);
      await crowd.warm(400);
      const wishes = buyers(`h076-${round}`, 400).map((wish) => ({
        ...wish,
        key: wish.buyerId,
        token: server.token(wish.buyerId),
      }));
      sent = [...sent, ...wishes];
      // Each round dies at another point: after the 1st, the 60th, the 200th answer.
      const diesAfter = [1, 60, 200][round - 1] as number;
      let answered = 0;
      const answers = await Promise.all(
        wishes.map(async (wish): Promise<Answer> => {
          const answer = await crowd.send(crowd.orderShot(sale, wish));
          answered += 1;
          if (answered === diesAfter) server.child.kill('SIGKILL');
          return answer;
        }),
      );
      await server.exited;
      await crowd.close();
      for (const [at, answer] of answers.entries()) {
        if (answer.status === 201) told.set(wishes[at]?.buyerId as string, answer.body.orderId);
        else if (answer.status === 0) unanswered += 1;
        else throw new Error(`unexpected: ${answer.status} ${answer.text}`);
      }
      server = await startField({ data: server.data });
      const stored = await allOrders(server, sale.saleId);
      for (const [buyerId, orderId] of told) expect(stored.get(buyerId)).toBe(orderId);
      const books = await itemBooks(server, sale.saleId);
      expect(books).toMatchObject({ total: stock, held: stored.size, available: stock - stored.size, sold: 0 });
    }
    expect(unanswered).toBeGreaterThan(0);
    // Whoever heard nothing asks again with the same key: one order each, no second unit.
    const crowd = new Crowd(server);
    const again = await crowd.orders(sale, sent);
    expect(tally(again)).toEqual({ '201': 1_200 });
    for (const [at, wish] of sent.entries())
      if (told.has(wish.buyerId)) expect(again[at]?.body.orderId).toBe(told.get(wish.buyerId));
    expect(await itemBooks(server, sale.saleId)).toMatchObject({ total: stock, held: 1_200, available: 800 });
    await crowd.close();
    await discardField(server);
  },
  crowdedTimeoutMs,
);

async function allOrders(server: Awaited<ReturnType<typeof startField>>, saleId: string): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  let cursor: string | null = null;
  do {
    const page: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await server.merchant('GET', `/v1/merchant/sales/${saleId}/orders?limit=500${page}`);
    for (const order of answer.body.items) stored.set(order.buyerId, order.orderId);
    cursor = answer.body.nextCursor ?? null;
  } while (cursor !== null);
  return stored;
}
