/**
 * Order requests as ready bytes: each with a buyer, a token and an idempotency key of its own, made before the clock
 * runs, so that the generator's own work during a run is a write and a look at the answer's first line.
 */
import { createHmac } from 'node:crypto';

export interface RequestPlan {
  readonly host: string;
  readonly saleId: string;
  readonly purchaseKey: string;
  readonly sku: string;
  readonly buyerSecret: string;
  /** Buyers are named `<prefix>-<first>` and up, so that no two batches share one. */
  readonly prefix: string;
  readonly first: number;
  readonly count: number;
}

const TOKEN_LIFETIME_SECONDS = 3600;
const JWT_HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');

export function makeRequests(plan: RequestPlan): Buffer[] {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_LIFETIME_SECONDS;
  const body = JSON.stringify({ sku: plan.sku, quantity: 1 });
  const path = `/v1/sales/${plan.saleId}/orders?key=${encodeURIComponent(plan.purchaseKey)}`;
  const head = `POST ${path} HTTP/1.1\r\nhost: ${plan.host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return Array.from({ length: plan.count }, (_, n) => {
    const buyer = `${plan.prefix}-${plan.first + n}`;
    const signed = `${JWT_HEADER}.${Buffer.from(JSON.stringify({ sub: buyer, exp })).toString('base64url')}`;
    const token = `${signed}.${createHmac('sha256', plan.buyerSecret).update(signed).digest('base64url')}`;
    return Buffer.from(
      `${head}authorization: Bearer ${token}\r\nidempotency-key: key-of-${buyer}\r\n\r\n${body}`,
      'latin1',
    );
  });
}
