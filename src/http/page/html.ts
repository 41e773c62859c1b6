/**
 * The documents that are sent as pages: the sale page (a title, the times for who has no JavaScript, and the element),
 * the one for a sale that is not there, `ended` and `busy`. Their few styles stand in the document, allowed by their hash.
 */
import { createHash } from 'node:crypto';
import type { Sale } from '../../core/sale.ts';

const STYLE = `:root{color-scheme:light dark;background:#f4f4f1;color:#17181b}
body{margin:0;font:1rem/1.5 system-ui;overflow-wrap:anywhere}
.still{max-width:35rem;margin:0 auto;padding:12vh 1.5rem}
h1{font-size:1.6rem;line-height:1.2}
@media(prefers-color-scheme:dark){:root{background:#101114;color:#f1f1ef}}`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** Scripts come from the server alone; pictures from where this sale's pictures are. */
export const policyOf = (imageOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${STYLE_HASH}`,
    "connect-src 'self'",
    ['img-src', "'self'", ...imageOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function documentOf(title: string, body: string, script: string | null): string {
  const source = script === null ? '' : `<script type="module" src="${script}"></script>\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
${source}<body>
<main>${body}</main>
</body>
</html>
`;
}

export function saleHtml(sale: Sale, script: string): string {
  const element = `<doorbuster-sale page sale="${escaped(sale.saleId)}"></doorbuster-sale>`;
  return documentOf(
    sale.title,
    `${element}\n<noscript><div class="still"><h1>${escaped(sale.title)}</h1>
<p>Buying needs JavaScript. Please switch it on and load this page again.${timesIn('en', sale)}</p>
<p lang="zh-CN">购买需要 JavaScript，请启用后重新加载本页。${timesIn('zh', sale)}</p></div></noscript>`,
    script,
  );
}

function timesIn(language: 'en' | 'zh', { opensAtMs, endsAtMs, timeZone }: Sale): string {
  const locale = language === 'en' ? 'en-GB' : 'zh-CN';
  const form = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const line = (words: string, atMs: number | null): string =>
    atMs === null ? '' : `<br>${words} ${form.format(atMs)} (${escaped(timeZone)})`;
  return (
    line(language === 'en' ? 'Opens' : '开售：', opensAtMs) + line(language === 'en' ? 'Ends' : '结束：', endsAtMs)
  );
}

/** The element says so in the reader's language; without a script both are said. */
export const missingHtml = (script: string): string =>
  documentOf(
    'No such sale',
    `<doorbuster-sale page></doorbuster-sale>
<noscript><div class="still"><h1>There is no such sale</h1><p>Check the address, or ask the shop.</p>
<h1 lang="zh-CN">没有这场抢购</h1><p lang="zh-CN">请检查网址，或咨询商家。</p></div></noscript>`,
    script,
  );

export const endedHtml = (): string =>
  documentOf(
    'The sale has ended',
    `<div class="still"><h1>The sale has ended</h1><p>Thank you for coming. Orders that were made stand as they are.</p>
<h1 lang="zh-CN">抢购已结束</h1><p lang="zh-CN">感谢您的参与。已完成的订单不受影响。</p></div>`,
    null,
  );

export const busyHtml = (): string =>
  documentOf(
    'Very busy',
    `<div class="still"><h1>Very busy just now</h1><p>More people came than can be let in at once. Nothing of yours is lost. This page tries again by itself within a minute; pressing reload does not make it faster.</p>
<h1 lang="zh-CN">当前访问人数过多</h1><p lang="zh-CN">暂时无法全部进入，您没有任何损失。本页会在一分钟内自动重试，手动刷新不会更快。</p></div>`,
    null,
  );
