/** The OpenAPI 3.1 document, made from the very schemas that validate requests. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';

const ABOUT = `A flash-sale server: sells limited stock to a stampede.
Refusals are application/problem+json with a stable code; a refusal is never HTTP 200 and took nothing unless its effect says unknown.`;

export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Doorbuster', version, description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
      tags: [
        { name: 'public', description: 'No credential; cacheable' },
        { name: 'shopper', description: 'A buyer token' },
        { name: 'merchant', description: 'The merchant key' },
      ],
      components: {
        securitySchemes: {
          shopperToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          merchantToken: { type: 'http', scheme: 'bearer' },
        },
      },
    },
  });
}
