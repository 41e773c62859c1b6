/** The public plane beside the hot paths: health, published keys, the description of the API, metrics. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Refusal, refuse } from '../../core/outcomes.ts';
import type { Metrics } from '../../kit/metrics.ts';
import type { Shop } from '../../purchase/shop.ts';
import { refusalOfMerchant } from '../credentials.ts';
import { answer, type Outcome } from '../outcome.ts';
import { Name, strict } from '../schemas/common.ts';
import { addRoute } from './route.ts';

const FOR_MINUTES = { 'cache-control': 'public, max-age=300' };

export function addPublicRoutes(app: FastifyInstance, parts: { shop: Shop; metrics: Pick<Metrics, 'expose'> }): void {
  const { shop, metrics } = parts;

  addRoute(app, {
    method: 'GET',
    url: '/livez',
    plane: 'public',
    summary: 'Whether the process lives',
    answers: { 200: Type.Object({ status: Type.Literal('alive') }) },
    handle: () => answer(200, { status: 'alive' }),
  });

  addRoute(app, {
    method: 'GET',
    url: '/readyz',
    plane: 'public',
    summary: 'Whether this process can sell, for a balancer',
    query: strict({ sale: Type.Optional(Name) }),
    answers: { 200: Type.Object({ status: Type.Literal('ready') }) },
    handle: () => {
      const parts = shop.unready();
      if (parts.length === 0) return answer(200, { status: 'ready' });
      return refuse('unavailable', `Not ready: ${parts.join(', ')}.`);
    },
  });

  addRoute(app, {
    method: 'GET',
    url: '/.well-known/jwks.json',
    plane: 'public',
    summary: 'The keys that receipts are signed with',
    answers: { 200: Type.Object({ keys: Type.Array(Type.Object({})) }) },
    handle: () => answer(200, shop.receipts.jwks(), FOR_MINUTES),
  });

  let document: string | null = null;
  addRoute(app, {
    method: 'GET',
    url: '/openapi.json',
    plane: 'public',
    summary: 'This document',
    answers: { 200: Type.Object({}) },
    handle: () => {
      // Written once: half a megabyte that anybody may ask for.
      document ??= JSON.stringify(app.swagger());
      return answer(200, document, { ...FOR_MINUTES, 'content-type': 'application/json; charset=utf-8' });
    },
  });

  addRoute(app, {
    method: 'GET',
    url: '/metrics',
    plane: 'public',
    summary: "Counters in Prometheus's format; with the merchant key, or on loopback without forwarded headers",
    answers: { 200: 'The metrics as text' },
    refusals: ['unauthenticated', 'forbidden'],
    handle: async ({ request }): Promise<Outcome> => {
      const refusal = await refusalOfMetrics(shop, request);
      if (refusal !== null) return refusal;
      const { contentType, text } = await metrics.expose();
      return answer(200, text, { 'content-type': contentType });
    },
  });
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** What proxies add. One of these means that somebody else may be asking through a proxy on this machine. */
const FORWARDED =
  /^(?:x-forwarded(?:-.*)?|forwarded|via|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip)$/;

async function refusalOfMetrics(shop: Shop, request: FastifyRequest): Promise<Refusal | null> {
  const isForwarded = Object.keys(request.headers).some((name) => FORWARDED.test(name));
  if (!isForwarded && LOOPBACK.has(request.socket.remoteAddress ?? '')) return null;
  return refusalOfMerchant(shop, request.raw);
}
