/** Telling the two languages of the page apart, in what it shows. */
import { item } from '../../support/expecting.ts';
import type { SalePage } from './sale-page.ts';

export const CHINESE = /[一-鿿]/;
/** Words of which every English text of the page has one. */
export const ENGLISH =
  /\b(the|your|order|buy|pay|sale|open|opens|wait|sold|paid|ended|held|try|sign|there|this|you)\b/i;

/** A sale whose own texts are Chinese, so that every English word is the page's. */
export const chineseSale = {
  title: '秋季限量发售',
  items: [item({ title: '限量款', description: '数量有限' })],
};

/** All that is shown, without the order's id, whose letters mean nothing. */
export async function wordsOf(sale: SalePage): Promise<string> {
  const orderId = await sale.text('order-id');
  const text = await sale.allText();
  return orderId === '' ? text : text.replace(orderId, '');
}

/** The switch names the other language in that language. */
export const withoutSwitch = (text: string): string => text.replaceAll(/中文|汉语|简体|English/g, '');

/** What a screen reader takes the page's language to be. */
export const isIn = (sale: SalePage, language: string): Promise<boolean> =>
  sale.page.evaluate(
    `document.querySelector('doorbuster-sale').shadowRoot.querySelector('section').matches(':lang(${language})')`,
  );
