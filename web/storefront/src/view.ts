/** What is seen in each state: one description of the whole section, from the session and what was chosen on the page. */
import type { Item, Order, SaleFile } from './api.ts';
import { h, type Kid } from './dom.ts';
import { digits, fill, moment, money, sameClock } from './look/format.ts';
import type { Session } from './session.ts';
import type { Texts } from './texts/en.ts';
import type { State } from './view-state.ts';

export interface Seen {
  readonly session: Session;
  readonly texts: Texts;
  readonly locale: string;
  /** `h1` on a page of its own, `h2` in a shop's. */
  readonly heading: string;
  readonly sku: string | null;
  readonly quantity: number;
  /** Cancel was pressed once. */
  readonly isSure: boolean;
  /** The spot where Buy was must not pay or cancel at the second click of a double click (H025). */
  readonly isSettling: boolean;
}

const WITH_ORDER: readonly State[] = ['accepted', 'held', 'placed', 'paid', 'refund_due', 'refunded', 'limit_reached'];
const WITH_BUY: readonly State[] = [
  'scheduled',
  'open',
  'sending',
  'all_held',
  'paused',
  'expired',
  'cancelled',
  'refused',
  'try_later',
];
const WITH_DETAILS: readonly State[] = ['held', 'placed', 'paid'];
const WAITING: readonly State[] = ['loading', 'sending', 'accepted', 'all_held', 'paused'];

export const itemOf = (file: SaleFile | null, sku: string | null, order: Order | null): Item | null => {
  const items = file?.items ?? [];
  const wanted = order?.sku ?? sku;
  return (
    items.find((item) => item.sku === wanted) ??
    items.find((item) => item.availability === 'available') ??
    items[0] ??
    null
  );
};

export function headOf(state: State, { session, texts }: Seen): string {
  const { file } = session;
  if (state === 'loading') return '…';
  if (state === 'scheduled')
    return file?.opensAt ? (opensIn(session) > 0 ? texts.scheduled : texts.opening) : texts.unscheduled;
  return texts[`${state}Head`];
}

export function messageOf(state: State, { session, texts, locale }: Seen): string {
  const { file, note, order } = session;
  if (note !== null) return texts[note];
  if (state === 'loading') return '';
  if (state === 'scheduled') return file?.opensAt ? '' : texts.unscheduledMore;
  if (state === 'limit_reached') return fill(texts.limit_reached, file?.limitPerBuyer ?? '');
  if (state === 'refund_due' && order !== null) {
    const due = order.refundsDue.reduce((sum, each) => sum + each.amountMinor, 0);
    return fill(texts.refund_due, money(due, order.currency, locale));
  }
  return texts[state];
}

const leftUntil = (session: Session, at: string | null): number => {
  const nowMs = session.now();
  return at === null || nowMs === null ? Number.NaN : Date.parse(at) - nowMs;
};
const opensIn = (session: Session): number => leftUntil(session, session.file?.opensAt ?? null);

/** What a countdown of this state runs to: the time left in ms, NaN where none runs. */
export function leftMs(state: State, session: Session): number {
  if (state === 'scheduled') return opensIn(session);
  return state === 'held' || state === 'placed' ? leftUntil(session, session.order?.expiresAt ?? null) : Number.NaN;
}

export function viewOf(state: State, seen: Seen): Kid[] {
  const { session, texts } = seen;
  const { file } = session;
  const look = file?.look;
  const item = itemOf(file, seen.sku, WITH_ORDER.includes(state) ? session.order : null);
  const isQuiet = state === 'loading' || state === 'not_found';
  return [
    h(
      'header',
      { k: 'top' },
      look?.logoUrl && h('img', { k: 'logo', class: 'logo', src: look.logoUrl, alt: look.name ? '' : 'Logo' }),
      h('span', { k: 'shop', class: 'shop' }, look?.name ?? ''),
      h(
        'button',
        {
          k: 'language',
          type: 'button',
          class: 'quiet',
          'data-action': 'language',
          lang: texts.lang === 'en' ? 'zh-CN' : 'en',
        },
        texts.other,
      ),
    ),
    h(
      'div',
      { k: 'card', class: item?.imageUrl ? 'card pictured' : 'card' },
      item?.imageUrl &&
        h(
          'div',
          { k: 'picture', class: WITH_ORDER.includes(state) || state === 'try_later' ? 'picture aside' : 'picture' },
          h('img', { src: item.imageUrl, alt: item.title }),
        ),
      h(
        'div',
        { k: 'body' },
        file !== null && !isQuiet && saleHead(file, item, seen),
        file !== null && item !== null && !isQuiet && !WITH_ORDER.includes(state) && itemPart(state, file, item, seen),
        statePart(state, item, seen),
        file !== null && !isQuiet && timesPart(state, file, seen),
      ),
    ),
  ];
}

function saleHead(file: SaleFile, item: Item | null, { heading }: Seen): Kid {
  const isSame = item !== null && file.items.length === 1 && item.title === file.title;
  return h(
    'div',
    { k: 'sale' },
    h(heading, { class: 'title', 'data-part': 'title' }, file.title),
    file.description && !isSame ? h('p', { class: 'soft' }, file.description) : null,
  );
}

function itemPart(state: State, file: SaleFile, item: Item, seen: Seen): Kid {
  const { texts, locale } = seen;
  const price = (each: Item): string => money(each.priceMinor, each.currency, locale);
  const stock = (each: Item): Kid =>
    (state === 'open' || state === 'scheduled') &&
    each.available !== undefined &&
    h('span', { k: 'stock', class: 'soft', 'data-part': 'stock' }, fill(texts.left, each.available));
  if (file.items.length > 1 && WITH_BUY.includes(state))
    return h(
      'fieldset',
      { k: 'items' },
      h('legend', null, texts.choose),
      ...file.items.map((each) =>
        h(
          'label',
          { k: each.sku, class: each.availability === 'available' ? 'choice' : 'choice out' },
          h('input', { type: 'radio', name: 'sku', value: each.sku, checked: each.sku === item.sku }),
          h(
            'span',
            { class: 'name' },
            each.title,
            each.availability !== 'available' &&
              file.phase === 'open' &&
              h('small', null, each.availability === 'sold_out' ? texts.sold_outHead : texts.all_heldHead),
          ),
          stock(each),
          h('strong', { 'data-part': each.sku === item.sku ? 'price' : null }, price(each)),
        ),
      ),
    );
  return h(
    'div',
    { k: 'item' },
    h(
      'div',
      { class: 'name' },
      item.title !== file.title && h('p', { k: 'name' }, item.title),
      item.description && h('p', { k: 'more', class: 'soft' }, item.description),
      stock(item),
    ),
    h('strong', { class: 'price', 'data-part': 'price' }, price(item)),
  );
}

function statePart(state: State, item: Item | null, seen: Seen): Kid {
  const { session, texts } = seen;
  const message = messageOf(state, seen);
  const remaining = leftMs(state, session);
  return h(
    'div',
    { k: 'state', class: `state ${state}` },
    h(
      'h3',
      { k: 'head', class: 'head', tabindex: -1 },
      WAITING.includes(state) && h('span', { class: 'pulse', 'aria-hidden': 'true' }),
      headOf(state, seen),
    ),
    state === 'scheduled' && remaining > 0 ? clock('countdown', remaining, texts) : null,
    state === 'scheduled' ? timePart('opensAt', seen) : null,
    state !== 'scheduled' && !Number.isNaN(remaining) ? deadline(remaining, seen) : null,
    message !== '' && h('p', { k: 'message', class: 'message', 'data-part': 'message' }, message),
    state === 'try_later' && session.note === null ? waitPart(seen) : null,
    actionsPart(state, item, seen),
    WITH_ORDER.includes(state) && session.order !== null ? orderPart(session.order, item, seen) : null,
    WITH_DETAILS.includes(state) && session.order !== null ? detailsPart(session.order, seen) : null,
  );
}

const clock = (part: string, remaining: number, texts: Texts): Kid =>
  h(
    'div',
    { k: part, class: 'clock', 'data-part': part, role: 'timer', 'aria-live': 'off' },
    ...digits(remaining, texts).map(([number, unit]) =>
      h('span', { k: unit, class: 'unit' }, h('b', null, number), h('small', null, unit)),
    ),
  );

function deadline(remaining: number, { session, texts, locale }: Seen): Kid {
  const at = session.order?.expiresAt ?? null;
  return h(
    'div',
    { k: 'until' },
    h('p', { class: 'label' }, texts.payWithin),
    clock('deadline', remaining, texts),
    at !== null && h('p', { k: 'by', class: 'by soft' }, fill(texts.payBy, moment(at, locale))),
  );
}

function waitPart({ session, texts }: Seen): Kid {
  const s = Math.ceil((session.waitUntilMs - performance.now()) / 1000);
  return h('p', { k: 'wait', 'data-part': 'wait' }, fill(texts.wait, Math.max(0, s)));
}

/** Grey, but still found by who walks the page by keyboard. */
const off = (is: boolean) => is && 'true';

function actionsPart(state: State, item: Item | null, seen: Seen): Kid {
  const { session, texts, locale, isSettling } = seen;
  const { file, order } = session;
  const kids: Kid[] = [];
  if (WITH_BUY.includes(state) && file !== null && item !== null) {
    const canBuy = session.canBuy() && item.availability === 'available';
    const most = Math.min(session.unitsLeft() ?? MOST_AT_ONCE, item.available ?? MOST_AT_ONCE, MOST_AT_ONCE);
    if (canBuy && most > 1) kids.push(quantityPart(most, seen));
    const total = money(item.priceMinor * Math.min(seen.quantity, Math.max(1, most)), item.currency, locale);
    kids.push(
      h(
        'button',
        { k: 'buy', type: 'button', class: 'primary', 'data-action': 'buy', 'aria-disabled': off(!canBuy) },
        state === 'scheduled' ? texts.soon : fill(texts.buyAt, total),
      ),
    );
  }
  if ((state === 'held' || state === 'placed') && order !== null && file !== null) {
    const label = session.isPaying ? '…' : fill(texts.pay, money(order.amountMinor, order.currency, locale));
    const props = {
      k: 'pay',
      class: 'primary',
      'data-action': 'pay',
      'aria-disabled': session.isPaying || off(isSettling),
    };
    if (file.demoPayment) kids.push(h('button', { ...props, type: 'button' }, label));
    else if (file.payUrl !== null)
      kids.push(h('a', { ...props, href: payAddress(file.payUrl, order, file), role: 'button' }, label));
    kids.push(
      h(
        'button',
        {
          k: 'cancel',
          type: 'button',
          class: 'quiet',
          'data-action': 'cancel',
          'aria-disabled': off(isSettling),
        },
        seen.isSure ? texts.cancelSure : texts.cancel,
      ),
    );
  }
  if (state === 'try_later' && session.note !== null)
    kids.push(h('button', { k: 'retry', type: 'button', class: 'primary', 'data-action': 'retry' }, texts.retry));
  const mayGoOn = state === 'paid' || state === 'refunded' || state === 'refund_due';
  if (mayGoOn && file?.phase === 'open' && session.unitsLeft() !== 0)
    kids.push(
      h(
        'button',
        {
          k: 'retry',
          type: 'button',
          class: 'quiet',
          'data-action': 'retry',
          'aria-disabled': off(isSettling),
        },
        texts.another,
      ),
    );
  return kids.length === 0 ? null : h('div', { k: 'actions' }, ...kids);
}

/** A stepper for more would be a form of its own; who needs eleven orders twice. */
const MOST_AT_ONCE = 10;

const quantityPart = (most: number, { quantity, texts }: Seen): Kid =>
  h(
    'label',
    { k: 'quantity' },
    texts.quantity,
    h(
      'select',
      { name: 'quantity' },
      ...Array.from({ length: most }, (_, at) =>
        h('option', { value: at + 1, selected: at + 1 === quantity }, String(at + 1)),
      ),
    ),
  );

function payAddress(payUrl: string, { orderId }: Order, { saleId }: SaleFile): string {
  const url = new URL(payUrl);
  url.searchParams.set('saleId', saleId);
  url.searchParams.set('orderId', orderId);
  return url.href;
}

function orderPart(order: Order, item: Item | null, { texts, locale }: Seen): Kid {
  const row = (name: string, value: string, part?: string): Kid =>
    h('div', { k: name }, h('dt', null, name), h('dd', part ? { 'data-part': part } : null, value));
  const title = item?.title ?? order.sku;
  return h(
    'dl',
    { k: 'order' },
    row(texts.item, order.quantity > 1 ? `${order.quantity} × ${title}` : title),
    row(texts.total, money(order.amountMinor, order.currency, locale)),
    order.paidAt !== null && row(texts.paidAt, moment(order.paidAt, locale)),
    row(texts.order, order.orderId, 'order-id'),
  );
}

function detailsPart(order: Order, { session, texts }: Seen): Kid {
  const { saved } = session;
  return h(
    'form',
    { k: `details-${order.orderId}`, class: 'details' },
    h('h4', null, texts.deliver),
    h('label', null, texts.contact, h('input', { name: 'contact', autocomplete: 'email', maxlength: 200 })),
    h(
      'label',
      null,
      texts.address,
      h('textarea', { name: 'delivery', rows: 3, autocomplete: 'street-address', maxlength: 2000 }),
    ),
    h(
      'button',
      {
        type: 'submit',
        class: 'secondary',
        'data-action': 'save-details',
        'aria-disabled': off(saved === 'saving'),
      },
      saved === 'saving' ? '…' : texts.save,
    ),
    saved === 'yes' && h('p', { k: 'saved', class: 'soft', role: 'status' }, texts.saved),
  );
}

/** `Opens Friday, 20:00 (Europe/Berlin)`, and what that is where the reader is, if it is another time. */
const timePart = (name: 'opensAt' | 'endsAt', { session: { file }, texts, locale }: Seen): Kid => {
  const at = file?.[name];
  if (!file || !at) return null;
  const zone = file.timeZone === 'UTC' ? '' : ` (${file.timeZone.replaceAll('_', ' ')})`;
  return h(
    'p',
    { k: name, class: 'time' },
    fill(texts[name], moment(at, locale, file.timeZone) + zone),
    !sameClock(at, file.timeZone) && h('small', null, fill(texts.here, moment(at, locale))),
  );
};

function timesPart(state: State, file: SaleFile, seen: Seen): Kid {
  const rows = [
    WITH_DETAILS.includes(state) ? null : timePart('endsAt', seen),
    file.limitPerBuyer !== null && (state === 'scheduled' || state === 'open')
      ? h('p', { k: 'limit' }, fill(seen.texts.limit, file.limitPerBuyer))
      : null,
  ].filter((row) => row !== null);
  return rows.length === 0 ? null : h('footer', { k: 'times' }, ...rows);
}
