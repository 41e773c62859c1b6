/**
 * Builds web/storefront into dist/web/doorbuster-sale.js: one module with its styles and both languages, minified. Skipped
 * while neither a source nor this file nor vite has changed since. The server names the file after its content.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = path.join(root, 'web/storefront/src');
const target = path.join(root, 'dist/web');
const stamp = path.join(target, '.storefront');

export const bundlePath = path.join(target, 'doorbuster-sale.js');

/** A digest of everything that the bundle is made from. */
const digestOfSources = () => {
  const hash = createHash('sha256');
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(ts|css)$/.test(name) && !name.endsWith('.test.ts'),
  );
  for (const file of [
    fileURLToPath(import.meta.url),
    path.join(root, 'node_modules/vite/package.json'),
    ...names.sort().map((name) => path.join(sources, name)),
  ])
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
};

const isBuilt = (/** @type {string} */ digest) => {
  try {
    readFileSync(bundlePath);
    return readFileSync(stamp, 'utf8') === digest;
  } catch {
    return false;
  }
};

/**
 * A second catalogue without its keys: they are those of the first, in the same order, which costs a quarter of a
 * kilobyte gzipped to say again. The type of the catalogue holds the keys, this holds the order.
 * @type {import('vite').Plugin}
 */
const leanCatalogue = {
  name: 'lean-catalogue',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/texts/zh.ts')) return null;
    const pairs = [...code.matchAll(/^ {2}(\w+): ('(?:[^'\\\\]|\\\\.)*'),$/gm)];
    const keys = readFileSync(path.join(path.dirname(id), 'en.ts'), 'utf8').matchAll(/^ {2}(\w+): '/gm);
    if ([...keys].map(([, key]) => key).join() !== pairs.map(([, key]) => key).join())
      throw new Error('texts/zh.ts must have the keys of texts/en.ts in the same order, one a line');
    const list = pairs.map(([, , text]) => text).join(',');
    return `import { en } from './en.ts'; const list = [${list}];
export const zh = Object.fromEntries(Object.keys(en).map((key, at) => [key, list[at]]));`;
  },
};

export const buildWeb = async () => {
  const digest = digestOfSources();
  if (isBuilt(digest)) return;
  const { build } = await import('vite');
  // Two builds at once must not find each other's half-written file.
  const outDir = path.join(target, `.build-${process.pid}`);
  await build({
    configFile: false,
    root: path.join(root, 'web/storefront'),
    logLevel: 'warn',
    publicDir: false,
    plugins: [leanCatalogue],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      minify: true,
      cssMinify: true,
      modulePreload: false,
      rolldownOptions: {
        input: path.join(sources, 'doorbuster-sale.ts'),
        output: { format: 'es', entryFileNames: 'doorbuster-sale.js' },
      },
    },
  });
  mkdirSync(target, { recursive: true });
  renameSync(path.join(outDir, 'doorbuster-sale.js'), bundlePath);
  rmSync(outDir, { recursive: true });
  writeFileSync(stamp, digest);
};

/** Packed as src/http/page/static-file.ts packs it. */
export const gzippedBytes = (/** @type {string | Buffer} */ content) =>
  gzipSync(content, { level: 9, memLevel: 5 }).length;
