/** The accessibility rules of axe-core, levels A and AA of WCAG 2.1, over the whole page with its open shadow roots. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WHOLE = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] };
/** What can differ where only the colours do. */
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Each broken rule with the elements that break it; empty when all is well. */
export async function axeFaults(page: Page, part: 'whole' | 'colours' = 'whole'): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(source);
  const options = JSON.stringify({
    runOnly: part === 'whole' ? WHOLE : COLOURS,
    resultTypes: ['violations'],
  });
  const run = `axe.run(document, ${options}).then((result) => result.violations)`;
  const violations = (await page.evaluate(run)) as Violation[];
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary ?? ''})`).join(' | ')}`,
  );
}
