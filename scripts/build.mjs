// Compiles src/ to dist/ with tsc, and the sale page to dist/web/ with vite. Incremental: the second call costs a second or two.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildWeb } from './lib/build-web.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (run.status !== 0) process.exit(run.status ?? 1);
chmodSync(new URL('../dist/cli/main.js', import.meta.url), 0o755);
await buildWeb();
