/**
 * The harness of test/support, with a memory: what a crash test has started and not ended itself
 * (because it failed halfway) is ended after the test, by process id.
 */
import { afterEach } from 'vitest';
import * as harness from '../support/server.ts';

export { cliPath, type FailedStart, newFolder, type Reply, type TestServer } from '../support/server.ts';

const running = new Set<harness.TestServer>();

afterEach(async () => {
  for (const server of running) {
    if (server.child.exitCode === null && server.child.signalCode === null) await server.stop('SIGKILL');
    running.delete(server);
  }
});

export async function startServer(options: harness.ServerOptions = {}): Promise<harness.TestServer> {
  const server = await harness.startServer(options);
  running.add(server);
  return server;
}

export async function tryStart(options: harness.ServerOptions = {}): Promise<harness.TestServer | harness.FailedStart> {
  const started = await harness.tryStart(options);
  if ('stderr' in started) return started;
  running.add(started);
  return started;
}
