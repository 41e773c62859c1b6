/** The sale page as its contract describes it: a state, named controls, named parts. Knows nothing of how it looks. */
import type { Locator, Page } from 'playwright-core';

export type PageState =
  | 'loading'
  | 'scheduled'
  | 'open'
  | 'sending'
  | 'accepted'
  | 'held'
  | 'placed'
  | 'paid'
  | 'expired'
  | 'cancelled'
  | 'refused'
  | 'refund_due'
  | 'refunded'
  | 'sold_out'
  | 'all_held'
  | 'limit_reached'
  | 'not_eligible'
  | 'try_later'
  | 'paused'
  | 'ended'
  | 'sign_in'
  | 'not_found';
export type Action = 'buy' | 'pay' | 'cancel' | 'retry' | 'save-details' | 'language';
export type Part = 'title' | 'price' | 'countdown' | 'deadline' | 'message' | 'wait' | 'order-id' | 'stock';

/** Far above what a page needs on a busy machine: it ends a test that hangs. */
const REACH_MS = 30_000;

/** Between two looks: a look costs the browser and this process more than the page itself. */
const LOOK_MS = 60;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS));

const STATE = `document.querySelector('doorbuster-sale')?.shadowRoot?.querySelector('section')?.dataset.state ?? null`;

export interface PageEvent {
  readonly name: 'state' | 'order' | 'paid' | 'refused';
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the page told
  readonly detail: any;
}

export class SalePage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  action(name: Action): Locator {
    return this.page.locator(`doorbuster-sale [data-action="${name}"]`);
  }

  part(name: Part): Locator {
    return this.page.locator(`doorbuster-sale [data-part="${name}"]`);
  }

  state(): Promise<PageState | null> {
    return this.page.evaluate(STATE);
  }

  /** Waits until the page is in one of the states; fails with the states that it saw instead. */
  async reaches(wanted: PageState | readonly PageState[], withinMs = REACH_MS): Promise<PageState> {
    const goal = typeof wanted === 'string' ? [wanted] : wanted;
    const seen: (PageState | null)[] = [];
    const endMs = Date.now() + withinMs;
    for (;;) {
      const now = await this.state().catch(() => null);
      if (seen.at(-1) !== now) seen.push(now);
      if (now !== null && goal.includes(now)) return now;
      if (Date.now() > endMs) throw new Error(`not ${goal.join(' or ')} within ${withinMs} ms: ${seen.join(' > ')}`);
      await pause();
    }
  }

  text(name: Part): Promise<string> {
    return shownText(this.part(name));
  }

  /** Everything that the page shows of the sale. */
  allText(): Promise<string> {
    return shownText(this.page.locator('doorbuster-sale section[data-state]').first());
  }

  /** What stands on a control. */
  label(name: Action): Promise<string> {
    return shownText(this.action(name).first());
  }

  /** Whether Buy can be pressed: it is there, shown and not disabled. One look, so that nothing changes in between. */
  canBuy(): Promise<boolean> {
    return this.page.evaluate(`(() => {
      const buy = document.querySelector('doorbuster-sale')?.shadowRoot?.querySelector('[data-action="buy"]');
      return Boolean(buy?.checkVisibility()) && !buy.disabled && buy.getAttribute('aria-disabled') !== 'true';
    })()`);
  }

  /** Waits until Buy can be pressed; hands back the machine's time just after it could. */
  async lights(withinMs = REACH_MS): Promise<number> {
    const endMs = Date.now() + withinMs;
    while (!(await this.canBuy())) {
      if (Date.now() > endMs) throw new Error(`Buy is dark after ${withinMs} ms, in ${await this.state()}`);
      await pause();
    }
    return Date.now();
  }

  /** Waits for a lit button and presses it once. */
  async buy(): Promise<void> {
    await this.lights();
    await this.action('buy').first().click();
  }

  async press(name: Action): Promise<void> {
    await this.action(name).first().click();
  }

  /** What the browser says when the person comes back to the window: a page looks anew, however long it meant to wait. */
  async lookAgain(): Promise<void> {
    await this.page.evaluate(`window.dispatchEvent(new Event('focus'))`);
  }

  /** As a switch device or a script would: in a tab that is not in front there is no pointer. */
  async pressUnseen(name: Action): Promise<void> {
    await this.action(name).first().dispatchEvent('click');
  }

  /** What the page told the shop's code so far; `watchPage` keeps it. */
  events(): Promise<PageEvent[]> {
    return this.page.evaluate('globalThis.pageEvents') as Promise<PageEvent[]>;
  }

  /** The remaining time as shown, in seconds; fails unless it is digits. */
  async countdownSeconds(): Promise<number> {
    return countdownSeconds(await this.text('countdown'));
  }
}

/** As shown: without what is hidden. */
export async function shownText(found: Locator): Promise<string> {
  return (await found.allInnerTexts()).join(' ').trim();
}

/** `2 d 03:04:05`, `03:04:05`, `4:05` or the same in Chinese: numbers from the seconds upwards. */
function countdownSeconds(text: string): number {
  const numbers = text.match(/\d+/g)?.map(Number) ?? [];
  if (numbers.length < 1 || numbers.length > 4) throw new Error(`no countdown: ${JSON.stringify(text)}`);
  const worth = [1, 60, 3_600, 86_400];
  return numbers.reverse().reduce((sum, number, at) => sum + number * (worth[at] as number), 0);
}
