/**
 * The README's words are run: its tour, in bash, against a real server; its two commands stand where they should;
 * every file that it links is there; its settings are the ones that the server takes.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';

const root = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const readme = readFileSync(root('README.md'), 'utf8');
const run = promisify(execFile);
const server = await startServer();
afterAll(() => server.stop());

it('opens with what Doorbuster is, then the two commands', () => {
  const blocks = [...readme.matchAll(/```sh\n([^`]*)```/g)].map((block) => block[1]?.trim());
  expect(readme.startsWith('# Doorbuster\n\nA flash-sale server')).toBe(true);
  expect(blocks.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
});

it('has a tour that works as it is written', async () => {
  const tour = [...readme.matchAll(/```sh tour\n([^`]*)```/g)].map((block) => block[1]).join('\n');
  const script = tour
    .replace('http://127.0.0.1:8080', server.url)
    .replace('data/merchant-key', `${server.data}/merchant-key`);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script]);
  const answers = [...stdout.matchAll(/\{"items":\[.*?\],"orders":.*?\}\s*(?=\{|$)|\{.*?\}(?=\{|$)/gs)].map(
    ([text]) => text,
  );
  expect(stdout).toContain('"status":"held"');
  expect(stdout).toContain('"status":"paid"');
  const books = await server.books('autumn-drop');
  expect(answers.length).toBeGreaterThan(3);
  expect(books.items).toMatchObject([{ sku: 'tee-m', total: 2, available: 1, held: 0, sold: 1 }]);
  expect(books.orders).toEqual({ paid: 1 });
});

it('links only to what is there', () => {
  const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map((link) => link[1] as string);
  expect(links.length).toBeGreaterThan(4);
  expect(links.filter((link) => !existsSync(root(link)))).toEqual([]);
});
