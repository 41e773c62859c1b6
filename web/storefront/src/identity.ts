/**
 * Who is buying. The shop hands its signed-in customer over as `#token=...`; that leaves the address before anything
 * else is asked, and stays in this tab's session alone. Another tab of the same person asks for it over a channel that
 * only pages of this origin hear, so that it is written to no disk. A guest's token must outlive the browser: it is the
 * guest's only claim to the order.
 */
import type { Kept } from './buying/attempt.ts';

const TOKEN = 'doorbuster:token';

/** Takes the token out of the address; null where there is none. */
function takeFromAddress(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** A browser may refuse to keep anything; then the page remembers alone, until it is closed. */
export function storage(which: 'localStorage' | 'sessionStorage'): Kept {
  try {
    const kept = window[which];
    kept.setItem('doorbuster', '1');
    return kept;
  } catch {
    const own = new Map<string, string>();
    return {
      getItem: (name) => own.get(name) ?? null,
      setItem: (name, value) => void own.set(name, value),
      removeItem: (name) => void own.delete(name),
    };
  }
}

export class Identity {
  token: string | null;
  isGuest = false;
  readonly #session = storage('sessionStorage');
  readonly #local = storage('localStorage');
  readonly #tokenName: string;
  readonly #guestName: string;
  readonly #channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('doorbuster');

  /** `server`: tokens are given to the server that the shop meant and to no other. */
  constructor(server: string, saleId: string, onToken: () => void) {
    const ours = `${TOKEN}:${server}`;
    this.#tokenName = ours;
    this.#guestName = `doorbuster:guest:${server}:${saleId}`;
    this.token = null;
    if (!this.takeHanded()) this.token = this.#session.getItem(ours);
    if (this.token === null) {
      this.token = this.#local.getItem(this.#guestName);
      this.isGuest = this.token !== null;
    }
    if (this.#channel === null) return;
    this.#channel.onmessage = ({ data }: MessageEvent<{ name?: string; token?: string }>) => {
      if (data.name !== ours) return;
      if (data.token === undefined) {
        if (this.token !== null && !this.isGuest) this.#channel?.postMessage({ name: ours, token: this.token });
      } else if (this.token === null) {
        this.token = data.token;
        this.#session.setItem(ours, data.token);
        onToken();
      }
    };
    if (this.token === null) this.#channel.postMessage({ name: ours });
  }

  /** From the address, if there is one in it. */
  takeHanded(): boolean {
    const handed = takeFromAddress();
    if (handed === null) return false;
    this.#session.setItem(this.#tokenName, handed);
    this.token = handed;
    this.isGuest = false;
    return true;
  }

  keepGuest(token: string): void {
    this.token = token;
    this.isGuest = true;
    this.#local.setItem(this.#guestName, token);
  }

  /** A guest's token that is not accepted is of no use to anybody. */
  forgetGuest(): void {
    this.#local.removeItem(this.#guestName);
    this.token = null;
    this.isGuest = false;
  }

  /** Differs from buyer to buyer, and says nothing about them: for names of what is kept. */
  tag(): string {
    let [one, two] = [5381, 52711];
    for (const letter of subjectOf(this.token ?? '')) {
      const code = letter.codePointAt(0) ?? 0;
      one = (Math.imul(one, 33) ^ code) >>> 0;
      two = (Math.imul(two, 65_599) + code) >>> 0;
    }
    return `${one}.${two}`;
  }

  close(): void {
    this.#channel?.close();
  }
}

/** The buyer id of a JWT: a fresh token of the same buyer must find the buyer's attempt. */
function subjectOf(token: string): string {
  try {
    const claims = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return String(JSON.parse(atob(claims)).sub);
  } catch {
    return token;
  }
}
