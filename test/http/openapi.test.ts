/**
 * `GET /openapi.json` is a valid OpenAPI 3.1 document, describes every route of the contract, and says for each
 * what it refuses with.
 */
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeName, routes } from '../support/routes.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
// biome-ignore lint/suspicious/noExplicitAny: the document is read as it was answered
let document: any;

beforeAll(async () => {
  server = await startServer();
  document = (await server.request('GET', '/openapi.json')).body;
});
afterAll(async () => {
  await server.stop();
});

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.valid, JSON.stringify(result.errors, null, 2)).toBe(true);
    expect(validator.version).toBe('3.1');
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it('is found without a credential', async () => {
    const reply = await server.request('GET', '/openapi.json');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/(json|vnd\.oai\.openapi\+json)/);
  });

  it.each(routes.map((route) => [routeName(route), route] as const))('describes %s', (_, route) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()];
    expect(operation).toBeDefined();
    const answers = Object.keys(operation.responses);
    expect(answers.some((status) => status.startsWith('2'))).toBe(true);
    for (const [, name] of route.path.matchAll(/\{(\w+)\}/g)) {
      const parameters: { in: string; name: string }[] = [
        ...(document.paths[route.path].parameters ?? []),
        ...(operation.parameters ?? []),
      ];
      expect(
        parameters.some((entry) => entry.in === 'path' && entry.name === name),
        `parameter ${name}`,
      ).toBe(true);
    }
    if (route.body === 'required') expect(operation.requestBody).toBeDefined();
    if (route.plane !== 'public' && route.open !== true) {
      const security = operation.security ?? document.security;
      expect(security?.length, 'security').toBeGreaterThan(0);
    }
  });

  it('describes no merchant or shopper route that this list does not know', () => {
    const known = new Set(routes.map(routeName));
    const extra = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`)
        .filter((name) => name.includes(' /v1/') && !known.has(name)),
    );
    // A route that was added must be added to test/support/routes.ts, so that authorization and bad input cover it.
    expect(extra).toEqual([]);
  });
});
