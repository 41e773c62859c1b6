/**
 * `npm run pictures`: takes the pictures in `docs/pictures` anew, so that they show the product as it is. Starts a server
 * in a temporary folder, brings the sale page into each of its states, and photographs it in Chromium; then runs the demo
 * and photographs what it printed. Needs Chromium and a Chinese font, as the tests of the pages do.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../test/browser/support/chromium.ts';
import type { SalePage } from '../test/browser/support/sale-page.ts';
import { Scene } from '../test/browser/support/scene.ts';
import { type ShopFront, shirtSvg, startShopFront } from '../test/browser/support/shop-front.ts';
import { type SightName, sights } from '../test/browser/support/sights.ts';
import { runCommand } from '../test/support/command.ts';
import { newFolder, startServer, type TestServer } from '../test/support/server.ts';

const folder = fileURLToPath(new URL('../docs/pictures/', import.meta.url));

const PHONE = { width: 390, height: 720 };
const DESKTOP = { width: 1180, height: 760 };

interface Shot {
  readonly of: SightName;
  readonly on: 'phone' | 'desktop';
  readonly language: 'en' | 'zh';
  readonly scheme: 'light' | 'dark';
}

const shot = (of: SightName, on: Shot['on'], language: Shot['language'], scheme: Shot['scheme']): Shot => ({
  of,
  on,
  language,
  scheme,
});

/** Every state once on a phone; what people see most, in both languages and on a desktop too. */
const SHOTS: readonly Shot[] = [
  ...(Object.keys(sights) as SightName[]).map((of) => shot(of, 'phone', 'en', 'light')),
  shot('open', 'phone', 'zh', 'dark'),
  shot('paid', 'phone', 'en', 'dark'),
  shot('scheduled', 'desktop', 'en', 'light'),
  shot('open', 'desktop', 'zh', 'dark'),
];

const settingsOf = ({ url }: ShopFront, language: Shot['language']): Record<string, unknown> => ({
  title: language === 'zh' ? '秋季限量发售' : 'The autumn drop',
  description: language === 'zh' ? '每人限购一件，先到先得。' : 'One each, as long as there are any.',
  timeZone: 'Europe/Berlin',
  showStock: true,
  holdSeconds: 600,
  look: { name: language === 'zh' ? '北光' : 'Nordlicht', logoUrl: `${url}/logo.svg`, color: '#0b6e4f' },
  items: [
    {
      sku: 'tee-m',
      title: language === 'zh' ? '限量 T 恤（M）' : 'Limited tee, size M',
      description: language === 'zh' ? '有机棉，丝网印刷' : 'Organic cotton, printed by hand',
      imageUrl: `${url}/tee.svg`,
      priceMinor: 4900,
      stock: 100,
    },
  ],
});

/** What the README shows: three moments of one purchase, side by side. */
const FRONT: readonly SightName[] = ['scheduled', 'open', 'held'];
/** Read on screens of every kind, so drawn finer than the others. */
const FRONT_SCALE = 1.25;

const sizeOf = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;

function keep(name: string, picture: Buffer): void {
  writeFileSync(path.join(folder, name), picture);
  console.log(`${name.padEnd(44)} ${sizeOf(picture.length).padStart(7)}`);
}

async function settled(sale: SalePage): Promise<void> {
  await sale.page.waitForLoadState('load');
  await sale.page.evaluate('document.fonts.ready.then(() => {})');
  await sale.page.evaluate(`Promise.all([...document.querySelector('doorbuster-sale').shadowRoot.querySelectorAll('img')]
    .map((image) => image.decode().catch(() => {}))).then(() => {})`);
}

/** The page in a state, as a picture; what went wrong beside it is said. */
async function photograph(stand: Stand, each: Shot, deviceScaleFactor: number): Promise<Buffer> {
  const scene = new Scene(stand.server, stand.browser);
  try {
    const options = {
      viewport: each.on === 'phone' ? PHONE : DESKTOP,
      colorScheme: each.scheme,
      locale: each.language === 'zh' ? 'zh-CN' : 'en-GB',
      reducedMotion: 'reduce' as const,
      deviceScaleFactor,
      allow: [stand.front.url],
    };
    const sale = await sights[each.of].show(scene, options, settingsOf(stand.front, each.language));
    await settled(sale);
    const picture = await sale.page.screenshot();
    for (const fault of scene.faults()) console.log(`  fault: ${fault}`);
    return picture;
  } finally {
    await scene.close();
  }
}

/** Where the pictures are taken: a server with sales, and the shop that its pictures come from. */
interface Stand {
  readonly browser: Browser;
  readonly server: TestServer;
  readonly front: ShopFront;
}

async function takePageShots(browser: Browser): Promise<void> {
  const svg = (ground: string, cloth: string) => ['image/svg+xml', shirtSvg(ground, cloth)] as const;
  const front = await startShopFront(
    new Map([
      ['/logo.svg', svg('#0b6e4f', '#ffffff')],
      ['/tee.svg', svg('#dbe7e2', '#0b6e4f')],
    ]),
  );
  const server = await startServer();
  const stand: Stand = { browser, server, front };
  try {
    for (const each of SHOTS) {
      const name = `${each.of.replace('_', '-')}-${each.on}-${each.language}-${each.scheme}.png`;
      keep(name, await photograph(stand, each, 1));
    }
    await takeFrontShot(stand, 'en', 'front-page.png');
    await takeFrontShot(stand, 'zh', 'front-page-zh.png');
  } finally {
    await server.stop();
    await front.close();
  }
}

async function takeFrontShot(stand: Stand, language: Shot['language'], name: string): Promise<void> {
  const images: string[] = [];
  for (const of of FRONT) {
    const picture = await photograph(stand, shot(of, 'phone', language, 'light'), FRONT_SCALE);
    images.push(`<img alt="" src="data:image/png;base64,${picture.toString('base64')}">`);
  }
  const viewport = { width: 1000, height: 400 };
  const context = await stand.browser.newContext({ viewport, deviceScaleFactor: FRONT_SCALE });
  const page = await context.newPage();
  await page.setContent(`<!doctype html><style>
    body { margin: 0; padding: 20px; box-sizing: border-box; display: flex; gap: 20px; background: #dfe3e0 }
    img { flex: 1; min-width: 0; border-radius: 18px; box-shadow: 0 1px 4px #0003 }
  </style>${images.join('')}`);
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode())).then(() => {})');
  keep(name, await page.screenshot({ fullPage: true }));
  await context.close();
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

async function takeDemoShot(browser: Browser): Promise<void> {
  const cwd = newFolder();
  const args = ['demo', '--once', '--shoppers', '10000', '--seed', '7'];
  const { stdout, code } = await runCommand(args, { cwd });
  rmSync(cwd, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the demo ended with ${code}:\n${stdout}`);
  const body = escaped(stdout.trim()).replaceAll('✓', '<b>✓</b>');
  const context = await browser.newContext({ viewport: { width: 860, height: 400 } });
  const page = await context.newPage();
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 20px 24px; background: #16181d; color: #d7dae0; font: 13px/1.45 'DejaVu Sans Mono', monospace }
    pre { margin: 0; font: inherit; white-space: pre-wrap } b { color: #4ec98a } i { color: #7f8794; font-style: normal }
  </style><pre><i>$ npm run demo -- --once</i>\n\n${body}</pre>`);
  keep('demo.png', await page.screenshot({ fullPage: true }));
  await context.close();
}

mkdirSync(folder, { recursive: true });
for (const file of readdirSync(folder)) if (file.endsWith('.png')) rmSync(path.join(folder, file));
const browser = await launchChromium();
try {
  await takePageShots(browser);
  await takeDemoShot(browser);
} finally {
  await browser.close();
}
const files = readdirSync(folder);
const bytes = files.reduce((sum, file) => sum + statSync(path.join(folder, file)).size, 0);
console.log(`${files.length} pictures, ${sizeOf(bytes)}`);
