/**
 * `<doorbuster-sale sale="..." server="..." lang="...">`: the sale page as an element, on the server's own page and in a
 * shop's. Ties the session to the view; what was chosen on the page (item, number, language) lives here.
 *
 * Events, bubbling through shadow roots: `doorbuster:state` {state}, `doorbuster:order` {order}, `doorbuster:paid`
 * {order}, `doorbuster:refused` {code}. Property `token`: a buyer token that the shop's code has got.
 */
import { show } from './dom.ts';
import { storage } from './identity.ts';
import { inkOn, localeOf, milestone } from './look/format.ts';
import { Session } from './session.ts';
import css from './style.css?inline';
import { en, type Texts } from './texts/en.ts';
import { zh } from './texts/zh.ts';
import { headOf, itemOf, leftMs, messageOf, type Seen, viewOf } from './view.ts';
import type { State } from './view-state.ts';

type Language = 'en' | 'zh';

const LANGUAGE = 'doorbuster:language';
/** A double click takes up to half a second. */
const SETTLE_MS = 600;

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

class DoorbusterSale extends HTMLElement {
  static observedAttributes = ['sale', 'server', 'lang'];
  #session: Session | null = null;
  #token: string | null = null;
  #state: State | null = null;
  #language: Language = 'en';
  #sku: string | null = null;
  #quantity = 1;
  #isSure = false;
  #settleUntilMs = 0;
  #said = '';
  #leftMs = Number.NaN;
  readonly #section = document.createElement('section');
  readonly #live = document.createElement('div');

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    this.#live.className = 'live';
    this.#live.setAttribute('role', 'status');
    this.#section.dataset.state = 'loading';
    root.append(this.#section, this.#live);
    root.addEventListener('click', (event) => this.#clicked(event as MouseEvent));
    root.addEventListener('change', (event) => this.#changed(event));
    root.addEventListener('submit', (event) => this.#submitted(event as SubmitEvent));
  }

  set token(token: string | null) {
    this.#token = token;
    this.#session?.setToken(token);
  }

  get token(): string | null {
    return this.#token;
  }

  connectedCallback(): void {
    this.#start();
  }

  disconnectedCallback(): void {
    this.#session?.stop();
    this.#session = null;
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (this.#session !== null && before !== after) this.#start();
  }

  #start(): void {
    this.#session?.stop();
    this.#session = null;
    this.#language = this.#chosenLanguage();
    const saleId = this.getAttribute('sale');
    if (saleId === null || saleId === '') return this.#showMissing();
    const server = new URL(this.getAttribute('server') ?? import.meta.url, location.href).origin;
    const session = new Session(server, saleId, {
      changed: () => this.#show(),
      tell: (name, detail) => this.#tell(name, detail),
    });
    this.#session = session;
    if (this.#token !== null) session.setToken(this.#token);
    this.#show();
  }

  #chosenLanguage(): Language {
    const said = [storage('localStorage').getItem(LANGUAGE), this.getAttribute('lang'), ...navigator.languages];
    const first = said.find((tag) => tag !== null && tag !== '') ?? 'en';
    return /^zh\b/i.test(first) ? 'zh' : 'en';
  }

  get #texts(): Texts {
    return this.#language === 'zh' ? zh : en;
  }

  #tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(`doorbuster:${name}`, { detail, bubbles: true, composed: true }));
  }

  #showMissing(): void {
    // A session that knows nothing and asks nobody.
    const nothing = {
      file: null,
      order: null,
      note: null,
      now: () => null,
      unitsLeft: () => null,
    } as unknown as Session;
    this.#draw('not_found', nothing);
  }

  #show(): void {
    const session = this.#session;
    if (session !== null) this.#draw(session.state(), session);
    else if (this.#state === 'not_found') this.#showMissing();
  }

  #draw(state: State, session: Session): void {
    const texts = this.#texts;
    const isNew = state !== this.#state;
    if (isNew) this.#isSure = false;
    const seen: Seen = {
      session,
      texts,
      locale: localeOf(this.#language, navigator.languages),
      heading: this.hasAttribute('page') ? 'h1' : 'h2',
      sku: this.#sku,
      quantity: this.#quantity,
      isSure: this.#isSure,
      isSettling: performance.now() < this.#settleUntilMs,
    };
    const hadFocus = this.shadowRoot?.activeElement ?? null;
    this.#section.dataset.state = state;
    this.#section.lang = texts.lang;
    if (this.hasAttribute('page')) document.documentElement.lang = texts.lang;
    const color = session.file?.look?.color;
    if (color) {
      this.#section.style.setProperty('--accent', color);
      this.#section.style.setProperty('--ink', inkOn(color));
    }
    show(this.#section, viewOf(state, seen));
    // What had the focus is gone: the news stands where it should be.
    if (hadFocus !== null && !hadFocus.isConnected) this.#section.querySelector<HTMLElement>('.head')?.focus();
    this.#say(state, seen, isNew);
    if (!isNew) return;
    this.#state = state;
    this.#tell('state', { state });
  }

  /** Tells a screen reader of a new state, and of little time left: never of every second. */
  #say(state: State, seen: Seen, isNew: boolean): void {
    const remaining = leftMs(state, seen.session);
    const passed = milestone(this.#leftMs, remaining, seen.texts);
    this.#leftMs = remaining;
    if (isNew || this.#live.lang !== seen.texts.lang)
      this.#said = `${headOf(state, seen)}. ${messageOf(state, seen)}`.trim();
    else if (passed !== null) this.#said = `${headOf(state, seen)} ${passed}`;
    this.#live.lang = seen.texts.lang;
    if (this.#live.textContent !== this.#said) this.#live.textContent = this.#said;
  }

  #clicked(event: MouseEvent): void {
    const control = (event.target as Element).closest<HTMLElement>('[data-action]');
    const session = this.#session;
    const action = control?.dataset.action;
    if (control === null || action === undefined) return;
    if (action === 'language') return this.#switchLanguage();
    // `detail` is 0 for a key press, which can hit nothing by accident.
    const isAccident = event.detail > 0 && performance.now() < this.#settleUntilMs;
    if (session === null || isAccident || (action !== 'buy' && session.isPaying)) return event.preventDefault();
    if (action === 'buy') {
      const item = itemOf(session.file, this.#sku, null);
      if (item === null || item.availability !== 'available' || !session.canBuy()) return;
      this.#settle();
      void session.buy(item.sku, this.#quantity);
    } else if (action === 'pay' && control.tagName === 'BUTTON') void session.pay();
    else if (action === 'retry') session.dismiss();
    else if (action === 'cancel' && !this.#isSure) {
      this.#isSure = true;
      this.#settle();
      this.#show();
    } else if (action === 'cancel') void session.cancel();
  }

  #settle(): void {
    this.#settleUntilMs = performance.now() + SETTLE_MS;
  }

  #switchLanguage(): void {
    this.#language = this.#language === 'zh' ? 'en' : 'zh';
    storage('localStorage').setItem(LANGUAGE, this.#language);
    this.#show();
  }

  #changed({ target }: Event): void {
    if (target instanceof HTMLInputElement && target.name === 'sku') {
      this.#sku = target.value;
      this.#quantity = 1;
    } else if (target instanceof HTMLSelectElement) this.#quantity = Number(target.value);
    this.#show();
  }

  #submitted(event: SubmitEvent): void {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.#session?.saveDetails(String(form.get('contact') ?? ''), String(form.get('delivery') ?? ''));
  }
}

if (customElements.get('doorbuster-sale') === undefined) customElements.define('doorbuster-sale', DoorbusterSale);
