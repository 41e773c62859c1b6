/** Every state that a shopper can see: accessible in light and dark, still for who asks for it, at home in every width, whole in both languages. */
import { expect, it } from 'vitest';
import { item } from '../support/expecting.ts';
import { axeFaults } from './support/axe.ts';
import { movingThings, sidewaysPx } from './support/in-page.ts';
import { type SightName, sights } from './support/sights.ts';
import { stage } from './support/stage.ts';
import { CHINESE, ENGLISH, isIn, withoutSwitch, wordsOf } from './support/words.ts';

const play = stage();

/** A title and a price that would break a careless layout; neither has a word of the page's own. */
const long = {
  title: 'Herbstausverkauf der Donaudampfschifffahrtsgesellschaft',
  items: [
    item({ title: 'Regenmantel mit Wärmefutter, extragroß', description: 'w'.repeat(60), priceMinor: 123_456_789 }),
  ],
};

for (const name of Object.keys(sights) as SightName[])
  it.concurrent(`${name}: axe is content in light and dark, no width scrolls sideways, every word changes language`, () =>
    play(async (scene) => {
      const sale = await sights[name].show(scene, { viewport: { width: 390, height: 844 } }, long);
      const { page } = sale;
      const noSidewaysAt = async (...widths: readonly number[]): Promise<void> => {
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          expect({ width, sideways: await page.evaluate(sidewaysPx) }).toEqual({ width, sideways: 0 });
        }
      };
      expect(await axeFaults(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      expect(await axeFaults(page, 'colours')).toEqual([]);
      expect(await page.evaluate(movingThings)).toBe(0);
      await noSidewaysAt(1280, 768, 390, 320);
      const english = withoutSwitch(await wordsOf(sale));
      expect(english).toMatch(ENGLISH);
      expect(english).not.toMatch(CHINESE);
      expect(await isIn(sale, 'en')).toBe(true);
      await sale.press('language');
      const chinese = withoutSwitch(await wordsOf(sale));
      expect(chinese).toMatch(CHINESE);
      expect(chinese).not.toMatch(ENGLISH);
      expect(await isIn(sale, 'zh')).toBe(true);
      await noSidewaysAt(320, 1280);
    }));
