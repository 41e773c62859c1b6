/**
 * Programs that the tests need and npm does not bring. What works on PATH is used; what is missing is installed with
 * apt-get (as root on Debian and its kin); else the whole list of what is missing is printed, and the tests do not run.
 */
import { spawnSync } from 'node:child_process';

/**
 * @typedef {object} Need
 * @property {string} [name] what is missing, where the binary that finds it out is not the thing itself
 * @property {string} binary looked for on PATH
 * @property {string[]} works arguments with which it must end with 0: proof that it works, not only that it exists
 * @property {string[]} packages Debian packages that bring it
 * @property {string} neededBy
 */

/** One line each; only what some test uses. @type {Need[]} */
export const needs = [
  {
    binary: 'gcc',
    works: ['-fsyntax-only', '-include', 'dlfcn.h', '-x', 'c', '/dev/null'],
    packages: ['gcc', 'libc6-dev'],
    neededBy: 'test/crash: a shim under the server that fails its fsync',
  },
  {
    binary: 'chromium',
    works: ['--version'],
    packages: ['chromium'],
    neededBy: 'test/browser: the sale page as a shopper sees it',
  },
  {
    name: 'Chinese fonts',
    binary: 'sh',
    works: ['-c', 'fc-list :lang=zh | grep -q .'],
    packages: ['fontconfig', 'fonts-noto-cjk'],
    neededBy: 'test/browser: pages in Chinese, and their pictures',
  },
  {
    name: 'postgresql',
    binary: 'sh',
    works: [
      '-c',
      'PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin | tail -1)"; postgres --version && initdb --version && psql --version',
    ],
    packages: ['postgresql'],
    neededBy: "test/databases: the product on PostgreSQL; a server of its own, never the system's",
  },
  {
    name: 'mariadb',
    binary: 'sh',
    works: ['-c', 'PATH="$PATH:/usr/sbin"; mariadbd --version && mariadb --version && command -v mariadb-install-db'],
    packages: ['mariadb-server'],
    neededBy: "test/databases: the product on MariaDB; a server of its own, never the system's",
  },
];

/**
 * The outside, replaced in tests.
 * @typedef {object} System
 * @property {(command: string[]) => boolean} works runs it silently; true when it ended with 0
 * @property {(command: string[]) => void} perform runs it with its messages shown
 * @property {boolean} isRoot
 */

/** @type {System} */
export const thisSystem = {
  works: ([program = '', ...args]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0,
  perform: ([program = '', ...args]) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  },
  isRoot: process.getuid?.() === 0,
};

/** @param {Need[]} missing @param {string} reason why they were not installed */
const advice = (missing, reason) =>
  [
    'The tests need programs that are not here:',
    ...missing.map(({ name, binary, neededBy }) => `  ${(name ?? binary).padEnd(14)} ${neededBy}`),
    reason,
    'On Debian or Ubuntu:',
    `  sudo apt-get update && sudo apt-get install -y ${missing.flatMap(({ packages }) => packages).join(' ')}`,
    'Elsewhere: install them by your own means and put them on PATH. `npm run check` needs none of them.',
  ].join('\n');

/**
 * @param {Need[]} wanted
 * @param {System} system
 * @returns {{ ready: true, installed: string[] } | { ready: false, message: string }}
 */
export const obtain = (wanted, system) => {
  const missingOf = () => wanted.filter(({ binary, works }) => !system.works([binary, ...works]));
  const missing = missingOf();
  if (missing.length === 0) return { ready: true, installed: [] };
  if (!system.isRoot) return { ready: false, message: advice(missing, 'Not installed: this is not root.') };
  if (!system.works(['apt-get', '--version'])) {
    return { ready: false, message: advice(missing, 'Not installed: there is no apt-get.') };
  }
  const packages = missing.flatMap((need) => need.packages);
  // The update may fail for one source of many; the install decides.
  system.perform(['apt-get', 'update', '-qq']);
  system.perform(['apt-get', 'install', '-qq', '-y', '--no-install-recommends', ...packages]);
  const still = missingOf();
  if (still.length > 0) {
    return { ready: false, message: advice(still, 'apt-get could not bring them; its messages are above.') };
  }
  return { ready: true, installed: packages };
};
