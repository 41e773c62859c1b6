/** The HTTP API as the page uses it: restated types, and one function that turns whatever happens into an answer. */

export interface Item {
  readonly sku: string;
  readonly title: string;
  readonly description: string;
  readonly imageUrl: string | null;
  readonly priceMinor: number;
  readonly currency: string;
  readonly availability: Availability;
  readonly available?: number;
}
export type Availability = 'available' | 'all_held' | 'sold_out';

export interface SaleFile {
  readonly saleId: string;
  readonly title: string;
  readonly description?: string;
  readonly timeZone: string;
  readonly phase: 'scheduled' | 'open' | 'paused' | 'ended';
  readonly opensAt: string | null;
  readonly endsAt: string | null;
  readonly purchaseKey?: string;
  readonly items: readonly Item[];
  readonly limitPerBuyer: number | null;
  readonly guests: boolean;
  readonly demoPayment: boolean;
  readonly payUrl: string | null;
  readonly look: {
    readonly name: string | null;
    readonly logoUrl: string | null;
    readonly color: string | null;
  } | null;
  readonly submitEverySeconds: number;
  readonly poll: { readonly afterMs: number; readonly jitterMs: number };
}

export type OrderStatus =
  | 'accepted'
  | 'placed'
  | 'held'
  | 'paid'
  | 'cancelled'
  | 'expired'
  | 'refused'
  | 'refund_due'
  | 'refunded';

export interface Order {
  readonly orderId: string;
  readonly sku: string;
  readonly quantity: number;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: OrderStatus;
  readonly placedAt: string;
  readonly expiresAt: string | null;
  readonly paidAt: string | null;
  readonly refundsDue: readonly { readonly amountMinor: number }[];
}

export interface Problem {
  /** `network`: nobody answered; whether the request was executed is not known. */
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly availability?: Availability;
}

export type Answer<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly problem: Problem };

export interface Call {
  readonly method?: string;
  readonly token?: string | null;
  readonly key?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Longer than the server ever takes to decide; past it the connection is as good as dead. */
const ANSWER_MS_MAX = 10_000;

/** Never rejects. Public files are asked for anew, by ETag: a browser's cache must not light or darken Buy. */
export async function call<T>(
  url: string,
  { method = 'GET', token, key, body, signal }: Call = {},
): Promise<Answer<T>> {
  const headers: Record<string, string> = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (key) headers['Idempotency-Key'] = key;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), ANSWER_MS_MAX);
  signal?.addEventListener('abort', () => abort.abort());
  try {
    const sent = body === undefined ? null : JSON.stringify(body);
    const init: RequestInit = { method, headers, body: sent, cache: 'no-cache', credentials: 'omit' };
    const answer = await fetch(url, { ...init, signal: abort.signal });
    const read = await answer.json().catch(() => null);
    if (answer.ok && read !== null) return { ok: true, body: read as T };
    // What a balancer says in the server's place has no code; what it means can be told by its status.
    const waitS = Number(answer.headers.get('Retry-After'));
    return {
      ok: false,
      problem: {
        code: answer.ok ? 'network' : answer.status === 404 ? 'not_found' : 'unavailable',
        retryable: answer.ok || answer.status >= 500 || answer.status === 429,
        retryAfterMs: waitS > 0 ? waitS * 1000 : null,
        ...read,
      },
    };
  } catch {
    return { ok: false, problem: { code: 'network', retryable: true, retryAfterMs: null } };
  } finally {
    clearTimeout(timer);
  }
}
