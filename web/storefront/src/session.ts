/**
 * One shopper at one sale: asks, remembers, buys, and says when something changed. Knows nothing of how it looks. What
 * may be shown is decided in view-state.ts, how long to wait in time/waits.ts, which key to use in buying/attempt.ts.
 *
 * Buying is one loop (`#pursue`): ask with the key; an order, or a final refusal, ends it; whatever else happens (no
 * answer, busy, a restart) is waited for and asked again with the same key, here or after a reload.
 */
import { type Answer, call, type Order, type Problem, type SaleFile } from './api.ts';
import { type Attempt, Attempts } from './buying/attempt.ts';
import { oneAtATime } from './buying/one-at-a-time.ts';
import { isLive, isOver, orderToShow, unitsTaken } from './buying/own-orders.ts';
import { Identity, storage } from './identity.ts';
import { StateFile } from './state-file.ts';
import { Readings } from './time/readings.ts';
import { backoffMs, sleep } from './time/waits.ts';
import { canBuy, type Facts, type State, stateOf, type Told } from './view-state.ts';

const READINGS = 4;
const TICK_MS = 250;
/** A page whose ticks stopped for longer was asleep or frozen. */
const FROZEN_MS = 3_000;
/** By then every cache has the file that goes with the answer. */
const TOLD_MS = 5_000;
const ORDER_POLL_MS = { accepted: 1_000, held: 3_000 };
/**
 * The tab in which Buy was pressed goes first, the other one only learns of it; within `SAME_PRESS_MS`, so that a press
 * before then still finds the order.
 */
const ASK_OWN_LATER_MS = 2_500;
const SAME_PRESS_MS = 4_000;

export interface Listener {
  changed(): void;
  tell(name: 'order' | 'paid' | 'refused', detail: unknown): void;
}

export class Session {
  order: Order | null = null;
  /** When the next try is due, by the monotonic clock. */
  waitUntilMs = 0;
  isPaying = false;
  note: 'payFailed' | 'not_enough' | 'failed' | null = null;
  saved: 'no' | 'saving' | 'yes' = 'no';
  readonly #api: string;
  readonly #saleId: string;
  /** The sale's own address. */
  readonly #sale: string;
  readonly #listener: Listener;
  readonly #identity: Identity;
  readonly #local = storage('localStorage');
  readonly #stopping = new AbortController();
  readonly #readings: Readings;
  readonly #state: StateFile;
  #orders: readonly Order[] = [];
  #ownKnown = false;
  #isRejected = false;
  #buying: Facts['buying'] = null;
  #verdict: Facts['verdict'] = null;
  #told: { what: Told; file: string; untilMs: number } | null = null;
  #ownFailures = 0;
  #isAskingOwn = false;
  #orderTimer = 0;
  #lastTickMs = performance.now();
  #lastAskMs = Number.NEGATIVE_INFINITY;

  constructor(server: string, saleId: string, listener: Listener) {
    this.#api = `${server}/v1`;
    this.#saleId = saleId;
    this.#sale = `${this.#api}/sales/${encodeURIComponent(saleId)}`;
    this.#listener = listener;
    this.#identity = new Identity(server, saleId, () => this.#newIdentity());
    const { signal } = this.#stopping;
    const changed = () => listener.changed();
    this.#readings = new Readings(`${this.#api}/time`, signal, changed);
    this.#state = new StateFile(`${this.#sale}/state`, signal, {
      now: () => this.now(),
      taken: (file, isNew) => this.#taken(file, isNew),
      changed,
    });
    const back = () => this.#inSightAgain();
    addEventListener('pageshow', (event) => event.persisted && back(), { signal });
    addEventListener('online', back, { signal });
    addEventListener('focus', () => void this.#state.refresh(), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || back(), { signal });
    addEventListener('hashchange', () => this.#addressChanged(), { signal });
    addEventListener('storage', ({ key }) => key === this.#attemptName() && this.#askOwnLater(), { signal });
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    signal.addEventListener('abort', () => clearInterval(ticking));
    void this.#readings.read(READINGS);
    void this.#state.refresh();
  }

  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#orderTimer);
    this.#identity.close();
  }

  get file(): SaleFile | null {
    return this.#state.file;
  }

  state(): State {
    return stateOf(this.#facts());
  }

  canBuy(): boolean {
    return canBuy(this.#facts(), this.#state.isFresh);
  }

  /** The server's time, or null while it is not known. */
  now(): number | null {
    return this.#readings.clock.at(performance.now());
  }

  /** Units that this buyer may still order; null where there is no limit. */
  unitsLeft(): number | null {
    const limit = this.file?.limitPerBuyer ?? null;
    return limit === null ? null : Math.max(0, limit - unitsTaken(this.#orders));
  }

  setToken(token: string | null): void {
    if (token === this.#identity.token) return;
    this.#identity.token = token;
    this.#identity.isGuest = false;
    this.#newIdentity();
  }

  /** Back from an order or a refusal to the sale itself. */
  dismiss(): void {
    this.#verdict = null;
    this.note = null;
    if (this.order !== null && !isLive(this.order)) this.order = null;
    this.#listener.changed();
    void this.#state.refresh();
  }

  async buy(sku: string, quantity: number): Promise<void> {
    if (!this.canBuy() || this.file === null) return;
    const pressedAtMs = Date.now();
    const everyMs = this.file.submitEverySeconds * 1000;
    this.#attempts().forgetEnded(this.#orders.filter(isOver).map(({ orderId }) => orderId));
    this.order = null;
    this.note = null;
    this.#buying = 'sending';
    this.#listener.changed();
    if (!(await this.#beSomebody())) return;
    const claim = await oneAtATime(this.#attemptName(), this.#local, () =>
      this.#attempts().claim({ sku, quantity, pressedAtMs, everyMs: Math.max(everyMs, SAME_PRESS_MS) }),
    );
    if (claim.kind === 'ask') return this.#pursue(claim.attempt, everyMs);
    this.#buying = null;
    await this.#askOrder(claim.orderId);
  }

  async pay(): Promise<void> {
    const { order } = this;
    if (order === null || this.isPaying) return;
    this.isPaying = true;
    this.note = null;
    this.#listener.changed();
    // Paying twice is one payment: the demo's provider knows it by the order.
    for (let failures = 1; failures <= 4; failures += 1) {
      const url = `${this.#api}/orders/${order.orderId}/demo-payment`;
      const paid = await this.#call<Order>(url, { method: 'POST', body: { result: 'succeeded' } });
      if (paid.ok || !paid.problem.retryable) {
        this.isPaying = false;
        if (paid.ok) return this.#askOrder(paid.body.orderId);
        break;
      }
      await sleep(paid.problem.retryAfterMs ?? backoffMs(failures, Math.random()));
    }
    this.isPaying = false;
    this.note = 'payFailed';
    await this.#askOrder(order.orderId);
  }

  async cancel(): Promise<void> {
    if (this.order === null) return;
    const { orderId } = this.order;
    const done = await this.#call<Order>(`${this.#api}/orders/${orderId}/cancel`, { method: 'POST', body: {} });
    if (done.ok) this.#setOrder(done.body);
    else await this.#askOrder(orderId);
  }

  async saveDetails(contact: string, delivery: string): Promise<void> {
    if (this.order === null) return;
    this.saved = 'saving';
    this.#listener.changed();
    const url = `${this.#api}/orders/${this.order.orderId}/details`;
    const done = await this.#call<Order>(url, { method: 'PUT', body: { contact, delivery } });
    this.saved = done.ok ? 'yes' : 'no';
    this.note = done.ok ? null : 'payFailed';
    this.#listener.changed();
  }

  #facts(): Facts {
    const { token, isGuest } = this.#identity;
    return {
      file: this.file,
      isMissing: this.#state.isMissing,
      order: this.order,
      buying: this.#buying,
      verdict: this.#verdict,
      identity: this.#isRejected ? 'rejected' : token === null ? 'none' : isGuest ? 'guest' : 'token',
      ownKnown: this.#ownKnown || token === null,
      told: this.#told?.what ?? null,
      isCutOff: this.#state.failures > 1 || this.#ownFailures > 1,
    };
  }

  #call<T>(url: string, options: Parameters<typeof call>[1] = {}): Promise<Answer<T>> {
    return call<T>(url, { token: this.#identity.token, signal: this.#stopping.signal, ...options });
  }

  #attemptName(): string {
    return `doorbuster:attempt:${this.#saleId}:${this.#identity.tag()}`;
  }

  #attempts(): Attempts {
    return new Attempts(this.#local, this.#attemptName(), newKey);
  }

  // --- time -------------------------------------------------------------------------------------------------------

  #tick(): void {
    const nowMs = performance.now();
    const gapMs = nowMs - this.#lastTickMs;
    this.#lastTickMs = nowMs;
    const slept = this.#readings.clock.hasSlept(nowMs, Date.now());
    if (document.hidden) return;
    if (slept || gapMs > FROZEN_MS) this.#inSightAgain();
    else if (this.#readings.isDue(nowMs)) void this.#readings.read(1);
    if (this.#told !== null && nowMs > this.#told.untilMs) this.#told = null;
    this.#listener.changed();
  }

  /** H096: what was shown before may be long past. */
  #inSightAgain(): void {
    this.#state.distrust();
    this.#readings.clock.hasSlept(performance.now(), Date.now());
    this.#listener.changed();
    void this.#readings.read(2);
    void this.#state.refresh();
    if (isLive(this.order)) void this.#askOrder(this.order.orderId);
  }

  #taken(file: SaleFile, isNew: boolean): void {
    if (isNew && this.#verdict === 'try_later') this.#verdict = null;
    if (this.#told !== null && this.#told.file !== this.#state.text) this.#told = null;
    // Before the opening there are no orders: a million pages need not ask for theirs at the opening.
    if (file.phase === 'scheduled') this.#ownKnown = true;
    if (!this.#ownKnown && this.#identity.token !== null && this.#ownFailures === 0) void this.#askOwn();
  }

  // --- own orders -------------------------------------------------------------------------------------------------

  async #askOwn(): Promise<void> {
    if (this.#isAskingOwn) return;
    this.#isAskingOwn = true;
    const { token } = this.#identity;
    const url = `${this.#sale}/orders?limit=500`;
    const own = await this.#call<{ items: Order[] }>(url);
    this.#isAskingOwn = false;
    if (token !== this.#identity.token) return void this.#askOwn();
    if (own.ok) {
      const isFirst = !this.#ownKnown;
      this.#ownKnown = true;
      this.#ownFailures = 0;
      this.#orders = own.body.items;
      const shown = orderToShow(this.#orders);
      if (shown !== null && this.#buying === null) this.#setOrder(shown);
      const pending = isFirst ? this.#attempts().pending() : null;
      if (pending !== null && this.#buying === null) void this.#pursue(pending, 0);
    } else if (isNobody(own.problem)) this.#reject();
    else if (!own.problem.retryable) this.#ownKnown = true;
    else {
      this.#ownFailures += 1;
      setTimeout(() => void this.#askOwn(), own.problem.retryAfterMs ?? backoffMs(this.#ownFailures, Math.random()));
    }
    this.#listener.changed();
  }

  async #askOrder(orderId: string): Promise<void> {
    clearTimeout(this.#orderTimer);
    const answer = await this.#call<Order>(`${this.#api}/orders/${orderId}`);
    if (this.#stopping.signal.aborted || (this.order !== null && this.order.orderId !== orderId)) return;
    if (answer.ok) return this.#setOrder(answer.body);
    if (isNobody(answer.problem)) this.#reject();
    this.#watchOrder();
    this.#listener.changed();
  }

  #setOrder(order: Order): void {
    const before = this.order;
    this.order = order;
    this.#orders = [order, ...this.#orders.filter(({ orderId }) => orderId !== order.orderId)];
    this.#verdict = null;
    if (before?.orderId !== order.orderId) this.saved = 'no';
    if (before?.orderId !== order.orderId || before.status !== order.status) {
      this.#listener.tell('order', { order });
      if (order.status === 'paid') this.#listener.tell('paid', { order });
      // An order's end changes what is for sale.
      if (isOver(order)) void this.#state.refresh();
    }
    this.#watchOrder();
    this.#listener.changed();
  }

  #watchOrder(): void {
    clearTimeout(this.#orderTimer);
    const { order } = this;
    if (!isLive(order)) return;
    const nowMs = this.now();
    const leftMs =
      order.expiresAt === null || nowMs === null ? Number.POSITIVE_INFINITY : Date.parse(order.expiresAt) - nowMs;
    let waitMs = order.status === 'accepted' ? ORDER_POLL_MS.accepted : ORDER_POLL_MS.held;
    if (document.hidden) waitMs *= 4;
    if (leftMs > 0) waitMs = Math.min(waitMs, leftMs);
    this.#orderTimer = window.setTimeout(
      () => void this.#askOrder(order.orderId),
      waitMs * (1 + Math.random() / 3) + 100,
    );
  }

  #askOwnLater(): void {
    setTimeout(() => {
      if (this.#buying === null && !isLive(this.order)) void this.#askOwn();
    }, ASK_OWN_LATER_MS);
  }

  // --- who is buying ----------------------------------------------------------------------------------------------

  #addressChanged(): void {
    const before = this.#identity.token;
    if (!this.#identity.takeHanded() || before === this.#identity.token) return;
    this.#newIdentity();
  }

  #newIdentity(): void {
    this.#isRejected = false;
    this.#ownKnown = false;
    this.#ownFailures = 0;
    this.#orders = [];
    this.order = null;
    this.#verdict = null;
    this.#listener.changed();
    void this.#state.refresh();
  }

  /** 401: the token has run out or never was right. The key is kept: signed in again, the same attempt goes on. */
  #reject(): void {
    this.#buying = null;
    if (this.#identity.isGuest) this.#identity.forgetGuest();
    else this.#isRejected = true;
    this.#listener.changed();
  }

  async #beSomebody(): Promise<boolean> {
    for (let failures = 1; this.#identity.token === null; failures += 1) {
      const url = `${this.#sale}/guests`;
      const guest = await this.#call<{ token: string }>(url, { method: 'POST', body: {} });
      if (guest.ok) {
        this.#identity.keepGuest(guest.body.token);
        this.#ownKnown = true;
      } else if (guest.problem.retryable) await this.#wait(guest.problem, failures);
      else {
        this.#refused(guest.problem);
        return false;
      }
    }
    return true;
  }

  // --- buying -----------------------------------------------------------------------------------------------------

  /** One submit in `everyMs`; a wait that a reload interrupted is finished first. */
  async #pursue(first: Attempt, everyMs: number): Promise<void> {
    const attempts = this.#attempts();
    const { token } = this.#identity;
    const nowMs = this.now();
    const owedMs = first.notBeforeMs > 0 && nowMs !== null ? Math.min(first.notBeforeMs - nowMs, WAIT_KEPT_MS) : 0;
    await this.#waitFor(Math.max(owedMs, this.#lastAskMs + everyMs - performance.now()));
    for (let failures = 1; !this.#stopping.signal.aborted && token === this.#identity.token; failures += 1) {
      this.#buying = 'sending';
      this.#listener.changed();
      this.#lastAskMs = performance.now();
      const key = this.file?.purchaseKey ?? '';
      const answer = await this.#call<Order>(`${this.#sale}/orders?key=${encodeURIComponent(key)}`, {
        method: 'POST',
        key: first.key,
        body: { sku: first.sku, quantity: first.quantity },
      });
      if (token !== this.#identity.token) break;
      if (answer.ok) {
        attempts.done(first.key, answer.body.orderId, Date.now());
        this.#buying = null;
        return this.#setOrder(answer.body);
      }
      const { problem } = answer;
      if (isNobody(problem)) return this.#reject();
      if (!problem.retryable || problem.code === 'sale_paused') {
        attempts.drop(first.key);
        // A submit whose answer was lost may still be on its way, and make an order behind this refusal.
        if (failures > 1) this.#askOwnLater();
        return this.#refused(problem);
      }
      await this.#wait(problem, failures, (atMs) => attempts.wait(first.key, atMs));
    }
    this.#buying = null;
    this.#listener.changed();
  }

  /** At least what the server asked for, spread, so that those who were refused together do not come back together. */
  async #wait({ retryAfterMs }: Problem, failures: number, note?: (atMs: number) => void): Promise<void> {
    const waitMs =
      retryAfterMs === null
        ? backoffMs(failures, Math.random())
        : retryAfterMs + Math.random() * (500 + retryAfterMs / 10);
    const nowMs = this.now();
    if (nowMs !== null) note?.(nowMs + waitMs);
    await this.#waitFor(waitMs);
  }

  async #waitFor(waitMs: number): Promise<void> {
    if (waitMs <= 0) return;
    this.#buying = 'waiting';
    this.waitUntilMs = performance.now() + waitMs;
    this.#listener.changed();
    await sleep(waitMs);
  }

  #refused(problem: Problem): void {
    const { code } = problem;
    this.#buying = null;
    this.#listener.tell('refused', { code });
    const told: Told | null =
      code === 'sold_out'
        ? problem.availability === 'all_held'
          ? 'all_held'
          : 'sold_out'
        : code === 'sale_paused'
          ? 'paused'
          : code === 'sale_ended'
            ? 'ended'
            : null;
    if (told !== null) this.#told = { what: told, file: this.#state.text, untilMs: performance.now() + TOLD_MS };
    else if (code === 'limit_reached' || code === 'not_eligible') this.#verdict = code;
    else if (code === 'not_enough') this.note = 'not_enough';
    else {
      this.#verdict = 'try_later';
      this.note = 'failed';
    }
    this.#listener.changed();
    void this.#state.refresh();
    if (code === 'limit_reached') void this.#showWhatFillsTheLimit();
  }

  async #showWhatFillsTheLimit(): Promise<void> {
    const own = await this.#call<{ items: Order[] }>(`${this.#sale}/orders?limit=500`);
    if (!own.ok) return;
    this.#orders = own.body.items;
    const shown = orderToShow(this.#orders);
    // A live order has its own view; one that is settled is named beside the limit.
    if (isLive(shown)) this.#setOrder(shown);
    else this.order = shown;
    this.#listener.changed();
  }
}

/** A wait that was written down by another clock must not become a day. */
const WAIT_KEPT_MS = 300_000;

const isNobody = ({ code }: Problem): boolean => code === 'unauthenticated' || code === 'forbidden';

/** 128 random bits. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
