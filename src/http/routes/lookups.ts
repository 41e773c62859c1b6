/** From the id in an address to the sale in this process. */
import type { LiveSale } from '../../purchase/sale/live-sale.ts';
import type { Shop } from '../../purchase/shop.ts';

/** The sale that an order id was made in; null for an id that is none of ours. The order itself may still not exist. */
export function liveSaleOfOrder(shop: Shop, orderId: string): Promise<LiveSale | null> {
  const parts = shop.orderIds.parse(orderId);
  return parts === null ? Promise.resolve(null) : shop.sales.byNo(parts.saleNo);
}
