/**
 * The README's words are run: its tour, in bash, against a real server; its two commands stand where they should;
 * every file that it links is there; its settings are the ones that the server takes.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { startServer } from '../support/server.ts';

const root = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const readme = readFileSync(root('README.md'), 'utf8');
const chinese = readFileSync(root('README.zh-CN.md'), 'utf8');
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

it('says the same in Chinese: the same tour, the same commands, the same figures', () => {
  const tourOf = (text: string) => [...text.matchAll(/```sh tour\n([^`]*)```/g)].map((block) => block[1]);
  expect(tourOf(chinese)).toEqual(tourOf(readme));
  const blocks = [...chinese.matchAll(/```sh\n([^`]*)```/g)].map((block) => block[1]?.trim());
  expect(blocks.slice(0, 2)).toEqual(['npm ci && npm run demo -- --lang zh', 'npm ci && npm test']);
  const figures = (text: string) => [...text.matchAll(/\| (0\.\d\d) \|/g)].map((cell) => cell[1]);
  expect(figures(chinese)).toEqual(figures(readme));
  expect(figures(chinese).length).toBeGreaterThan(2);
});

it.each(['README.md', 'README.zh-CN.md', 'ARCHITECTURE.md', 'docs/operate/databases.md', 'docs/adr/README.md'])(
  '%s links only to what is there',
  (file) => {
    const text = readFileSync(root(file), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((link) => link[1] as string);
    if (file.startsWith('README')) expect(links.length).toBeGreaterThan(4);
    const folder = path.dirname(root(file));
    expect(links.filter((link) => !existsSync(path.join(folder, link)))).toEqual([]);
  },
);
