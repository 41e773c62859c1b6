/**
 * A pretended payment, for demonstrations: allowed only where the sale says so and while the order waits for money. A
 * demo never makes money that would have to go back, so an order that is over is refused here, before the payment step.
 */
import type { OrderRow } from '../../core/books.ts';
import { amountOf } from '../../core/money.ts';
import { refuse } from '../../core/outcomes.ts';
import { orderForBuyer } from '../../purchase/order/representation.ts';
import type { LiveSale } from '../../purchase/sale/live-sale.ts';
import { answer, noSuchOrder, type Outcome, orderOutcome } from '../outcome.ts';

export async function payDemo(live: LiveSale, row: OrderRow, result: 'succeeded' | 'failed'): Promise<Outcome> {
  const { order } = row;
  if (!live.sale.demoPayment) return noSuchOrder();
  if (order.status === 'paid' && result === 'succeeded') return answer(200, orderForBuyer(row));
  if (order.status !== 'held' && order.status !== 'placed')
    return refuse('wrong_state', `An order that is ${order.status} cannot be paid.`);
  const verdict = await live.submit({
    kind: 'pay',
    paymentId: `demo:${order.orderId}`,
    orderId: order.orderId,
    result,
    amountMinor: amountOf(order.unitPriceMinor, order.quantity),
    currency: live.sale.currency,
  });
  return orderOutcome(verdict, live, 'buyer');
}
