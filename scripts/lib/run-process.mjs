/**
 * Runs one program to its end: output kept or passed on, a time limit, and its whole process group killed when the
 * limit is reached, it ends or this process does, so that nothing it started lives on.
 */
import { spawn } from 'node:child_process';

/**
 * @param {object} options
 * @param {string[]} options.command program and arguments
 * @param {string} options.cwd
 * @param {Record<string, string>} [options.env] added to the environment
 * @param {boolean} options.stream true: to our own stdout and stderr; false: kept in `output`
 * @param {number} options.limitMs
 * @returns {Promise<{ code: number | string, timedOut: boolean, output: string, ms: number }>} code: the signal's name
 *   where one ended it
 */
export const runProcess = ({ command, cwd, env = {}, stream, limitMs }) =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', stream ? 'inherit' : 'pipe', stream ? 'inherit' : 'pipe'],
      detached: true,
    });
    const group = child.pid;
    let output = '';
    let timedOut = false;
    const killGroup = () => {
      try {
        if (group !== undefined) process.kill(-group, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup();
    }, limitMs);
    process.once('exit', killGroup);
    for (const part of [child.stdout, child.stderr]) part?.on('data', (data) => (output += data));
    child.once('error', reject);
    // What it left running would keep its output open, and the machine busy.
    child.once('exit', killGroup);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      process.off('exit', killGroup);
      resolve({ code: code ?? signal ?? 'unknown', timedOut, output, ms: performance.now() - startedAt });
    });
  });

/** In groups of their own the children do not hear the terminal's Ctrl-C: end here, and take them along. */
export const exitOnSignals = () => {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
};
