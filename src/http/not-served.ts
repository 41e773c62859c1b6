/**
 * What no route serves: a path that is none (404), a method that a path does not have (405 with Allow), and the
 * preflight requests of browsers (204 for origins that may read the path).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../core/outcomes.ts';
import { preflightHeaders } from './cors.ts';
import { sendProblem } from './framework.ts';

/** Must be called before the routes are added: it takes note of each. */
export function answerWhatIsNotServed(app: FastifyInstance): void {
  const methodsOf = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    const entry = methodsOf.get(url) ?? { pattern, methods: new Set() };
    for (const each of [method].flat()) entry.methods.add(each);
    methodsOf.set(url, entry);
  });

  const allowedAt = (path: string): string[] =>
    [...methodsOf.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []));

  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const methods = allowedAt(request.url.split('?', 1)[0] ?? '');
    if (methods.length === 0) return sendProblem(reply, request.id, refuse('not_found', 'There is nothing here.'));
    if (request.method === 'OPTIONS' && reply.hasHeader('access-control-allow-origin'))
      return reply.code(204).headers(preflightHeaders(methods)).send();
    void reply.header('allow', methods.join(', '));
    return sendProblem(reply, request.id, refuse('method_not_allowed', 'This is not done here with that method.'));
  });
}
