/**
 * The first look at every request: the three addresses of a stampede are served here, all else goes on to the
 * framework. Addresses are compared as they stand; one with a percent sign in its sale id takes the long way round, and
 * ends in the same code (routes/hot.ts).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OrderParts, OrderRequest } from './order-request.ts';
import { answerState, answerTime } from './public-files.ts';

const SALES = '/v1/sales/';
const ORDERS = '/orders';
const STATE = '/state';
const TIME = '/v1/time';

/** Whether `url` goes on with `tail` at `at`, and then ends or has a query. */
const endsWith = (url: string, tail: string, at: number): boolean =>
  url.startsWith(tail, at) && (url.length === at + tail.length || url[at + tail.length] === '?');

/** True where the request was taken. */
export function takeHotPath(parts: OrderParts, request: IncomingMessage, response: ServerResponse): boolean {
  const url = request.url ?? '';
  const { method } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (url.startsWith(SALES)) {
    const end = url.indexOf('/', SALES.length);
    if (end <= SALES.length) return false;
    const isOrder = method === 'POST' && endsWith(url, ORDERS, end);
    if (!isOrder && !(isRead && endsWith(url, STATE, end))) return false;
    const saleId = url.slice(SALES.length, end);
    if (saleId.includes('%') || saleId.includes('?')) return false;
    if (isOrder) new OrderRequest(parts, request, response, saleId).start();
    else answerState(parts, request, response, saleId);
    return true;
  }
  if (!isRead || !endsWith(url, TIME, 0)) return false;
  answerTime(parts, request, response);
  return true;
}
