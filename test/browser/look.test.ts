/** How the page looks and speaks: languages, locales, dark and light, to a screen reader, as the shop wants it. */
import { expect, it } from 'vitest';
import { expectOk, inSeconds, item, until } from '../support/expecting.ts';
import { axeFaults } from './support/axe.ts';
import { move, openSale, scheduledSale } from './support/buying.ts';
import { liveText } from './support/in-page.ts';
import { shirtSvg, startShopFront } from './support/shop-front.ts';
import { sights } from './support/sights.ts';
import { stage } from './support/stage.ts';
import { CHINESE, chineseSale, ENGLISH, isIn, withoutSwitch, wordsOf } from './support/words.ts';

const play = stage();

it.concurrent('a Chinese browser is spoken to in Chinese, every other one in English', () =>
  play(async (scene) => {
    const chinese = await sights.open.show(
      scene,
      { locale: 'zh-CN', viewport: { width: 320, height: 700 } },
      chineseSale,
    );
    expect(await wordsOf(chinese)).toMatch(CHINESE);
    expect(await wordsOf(chinese)).not.toMatch(ENGLISH);
    expect(await isIn(chinese, 'zh')).toBe(true);
    const german = await sights.open.show(scene, { locale: 'de-DE' }, {});
    expect(withoutSwitch(await wordsOf(german))).not.toMatch(CHINESE);
    expect(await isIn(german, 'en')).toBe(true);
  }));

it.concurrent('the language switch changes every word, and is remembered', () =>
  play(async (scene) => {
    const saleId = await openSale(scene.server, chineseSale);
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('open');
    expect(await sale.label('buy')).not.toMatch(CHINESE);
    await sale.press('language');
    await until('Buy is Chinese', 5_000, async () => CHINESE.test(await sale.label('buy')));
    expect(await isIn(sale, 'zh')).toBe(true);
    await sale.page.reload();
    await sale.reaches('open');
    expect(await sale.label('buy')).toMatch(CHINESE);
    await sale.press('language');
    await until('Buy is English', 5_000, async () => !CHINESE.test(await sale.label('buy')));
    await sale.buy();
    await sale.reaches('held');
    expect(withoutSwitch(await wordsOf(sale)).replace(/秋季限量发售|限量款|数量有限/g, '')).not.toMatch(CHINESE);
  }));

/** How bright a picture is on the whole, 0 to 255. */
const brightness = (picture: Buffer): string => `(async () => {
  const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  pen.drawImage(bitmap, 0, 0);
  const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) sum += data[at] + data[at + 1] + data[at + 2];
  return sum / (data.length / 4) / 3;
})()`;

it.concurrent('dark and light are two looks', () =>
  play(async (scene) => {
    const { page } = await sights.open.show(scene, { colorScheme: 'light' }, {});
    expect(await page.evaluate(brightness(await page.screenshot()))).toBeGreaterThan(180);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(brightness(await page.screenshot()))).toBeLessThan(90);
  }));

it.concurrent('price and times are in the reader’s locale, and the sale’s zone is named', () =>
  play(async (scene) => {
    const settings = { timeZone: 'Europe/Berlin', opensAt: '2027-07-01T18:00:00.000Z' };
    for (const [locale, price, time] of [
      ['en-US', /€25\.00/, /8:00\s?PM/i],
      ['de-DE', /25,00\s?€/, /20:00/],
      ['zh-CN', /€25\.00/, /20:00|8:00/],
    ] as const) {
      const saleId = await scheduledSale(scene.server, settings);
      const visitor = await scene.visitor({ locale, timezoneId: 'America/New_York' });
      const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
      await sale.reaches('scheduled');
      expect(await sale.text('price')).toMatch(price);
      const words = await wordsOf(sale);
      expect(words).toMatch(time);
      expect(words).toMatch(/CEST|CET|GMT\+2|Berlin|MESZ|MEZ|UTC\+2|中欧|柏林|欧洲/);
    }
    const yen = await openSale(scene.server, { currency: 'JPY', items: [item({ priceMinor: 2500 })] });
    const visitor = await scene.visitor({ locale: 'en-US' });
    const sale = await visitor.open(scene.saleUrl(yen, 'ann'));
    await sale.reaches('open');
    expect(await sale.text('price')).toMatch(/¥2,500(?!\.)/);
  }));

it.concurrent('a screen reader is told of every change of state, and not of every second', () =>
  play(async (scene) => {
    const { server } = scene;
    const saleId = await scheduledSale(server, { opensAt: inSeconds(3_600) });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('scheduled');
    const said = async (): Promise<string> => (await sale.page.evaluate(liveText)) as string;
    // While nothing happens but the countdown, nothing is said.
    const quiet = new Set<string>();
    const endMs = Date.now() + 2_500;
    await sale.page.waitForTimeout(500);
    await until('some seconds have passed', 10_000, async () => {
      quiet.add(await said());
      return Date.now() > endMs;
    });
    expect([...quiet]).toHaveLength(1);
    let before = await said();
    const isToldOf = async (state: 'open' | 'held' | 'paid'): Promise<void> => {
      await sale.reaches(state);
      const was = before;
      await until(`${state} is said`, 10_000, async () => !['', was].includes(await said()));
      before = await said();
    };
    await move(server, saleId, 'opensAt', 1);
    await sale.lookAgain();
    await isToldOf('open');
    await sale.buy();
    await isToldOf('held');
    await sale.press('pay');
    await isToldOf('paid');
  }));

it.concurrent('the shop’s look: its name, logo, colour and picture; only they are fetched from elsewhere', () =>
  play(async (scene) => {
    const svg = ['image/svg+xml', shirtSvg('#eee', '#357')] as const;
    const pictures = await startShopFront(
      new Map([
        ['/logo.svg', svg],
        ['/tee.svg', svg],
      ]),
    );
    scene.finally(() => pictures.close());
    const saleId = await openSale(scene.server, {
      look: { name: 'Nordlicht', logoUrl: `${pictures.url}/logo.svg`, color: '#8a2be2' },
      items: [item({ imageUrl: `${pictures.url}/tee.svg` })],
    });
    const visitor = await scene.visitor({ allow: [pictures.url] });
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('open');
    await until('both pictures were fetched', 10_000, async () => new Set(pictures.asked).size === 2);
    const alts = 'doorbuster-sale img';
    for (const image of await sale.page.locator(alts).all())
      expect(
        await image.evaluate(
          (image: { complete: boolean; naturalWidth: number }) => image.complete && image.naturalWidth > 0,
        ),
      ).toBe(true);
    expect(await wordsOf(sale)).toContain('Nordlicht');
    const colour = await sale.page.evaluate(
      `getComputedStyle(document.querySelector('doorbuster-sale').shadowRoot.querySelector('[data-action=buy]')).backgroundColor`,
    );
    expect(colour).toBe('rgb(138, 43, 226)');
    expect(await axeFaults(sale.page)).toEqual([]);
    expectOk(await scene.server.request('GET', `/v1/sales/${saleId}/state`));
  }));

it.concurrent('what a merchant wrote is text and never markup', () =>
  play(async (scene) => {
    const markup = '<img src=x onerror="document.title=\'owned\'"><b>bold</b>';
    const saleId = await openSale(scene.server, {
      title: markup,
      description: markup,
      look: { name: markup },
      items: [item({ title: markup, description: markup })],
    });
    const visitor = await scene.visitor();
    const sale = await visitor.open(scene.saleUrl(saleId, 'ann'));
    await sale.reaches('open');
    expect(await wordsOf(sale)).toContain('<b>bold</b>');
    expect(await sale.page.locator('doorbuster-sale img[src="x"]').count()).toBe(0);
    expect(await sale.page.title()).not.toBe('owned');
  }));
