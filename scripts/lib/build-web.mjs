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

export const gzippedBytes = (/** @type {string | Buffer} */ content) => gzipSync(content, { level: 9 }).length;
