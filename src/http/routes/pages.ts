/** The addresses of the pages. They are no part of the API, so its document does not list them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../core/outcomes.ts';
import { sendProblem } from '../framework.ts';
import type { Pages } from '../page/pages.ts';

type Show = (request: FastifyRequest, reply: FastifyReply) => void;

export function addPageRoutes(app: FastifyInstance, pages: Pages): void {
  const page = (url: string, show: Show): void => {
    app.route({
      method: 'GET',
      url,
      config: { plane: 'public' },
      schema: { hide: true },
      handler: (request, reply) => {
        show(request, reply);
        return reply;
      },
    });
  };
  const whole =
    (show: (request: FastifyRequest['raw'], response: FastifyReply['raw'], name: string) => void): Show =>
    (request, reply) => {
      reply.hijack();
      const { name = '' } = request.params as { name?: string };
      show(request.raw, reply.raw, name);
    };
  page(
    '/sales/:name',
    whole((request, response, saleId) => pages.sale(request, response, saleId)),
  );
  page(
    '/ended',
    whole((request, response) => pages.ended(request, response)),
  );
  page(
    '/busy',
    whole((request, response) => pages.busy(request, response)),
  );
  page('/assets/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    if (!pages.has(name)) return void sendProblem(reply, request.id, refuse('not_found', 'There is nothing here.'));
    reply.hijack();
    pages.asset(request.raw, reply.raw, name);
  });
}
