/**
 * How a route is written here: one object with its place, its schemas and a handler from a valid call to an outcome.
 * The same object makes the validation and the OpenAPI document, so that neither can say what the other does not.
 */
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { RefusalCode } from '../../core/outcomes.ts';
import type { Verified } from '../../purchase/gate/claims.ts';
import { sendOutcome } from '../framework.ts';
import { checkIdempotencyKey } from '../idempotency.ts';
import type { Outcome } from '../outcome.ts';
import { PROBLEMS } from '../problem.ts';
import { Problem } from '../schemas/common.ts';

export type Plane = 'public' | 'shopper' | 'merchant';

declare module 'fastify' {
  interface FastifyContextConfig {
    plane?: Plane;
    /** Needs no credential though it stands in a plane that has one. */
    isOpen?: boolean;
  }
  interface FastifyRequest {
    buyer: Verified | null;
  }
}

export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
}

export interface RouteSpec<P extends TSchema, Q extends TSchema, B extends TSchema> {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly plane: Plane;
  readonly isOpen?: boolean;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** No body at all is taken for `{}`. */
  readonly isBodyOptional?: boolean;
  /** What is answered, by status; text where there is no JSON. */
  readonly answers: Readonly<Record<number, TSchema | string>>;
  /** Refusals beyond those that any route of the plane may give. */
  readonly refusals?: readonly RefusalCode[];
  readonly handle: (call: Call<Static<P>, Static<Q>, Static<B>>) => Promise<Outcome> | Outcome;
}

const NoFields = Type.Object({}, { additionalProperties: false });

export function addRoute<
  P extends TSchema = typeof NoFields,
  Q extends TSchema = typeof NoFields,
  B extends TSchema = typeof NoFields,
>(app: FastifyInstance, spec: RouteSpec<P, Q, B>): void {
  const isPost = spec.method === 'POST';
  const body = spec.body ?? (isPost ? NoFields : undefined);
  app.route({
    method: spec.method,
    url: spec.url,
    config: { plane: spec.plane, isOpen: spec.isOpen ?? false },
    schema: { ...schemaOf(spec), ...(body === undefined ? {} : { body }) },
    ...(isPost ? { preValidation: preparePost(spec.body === undefined || spec.isBodyOptional === true) } : {}),
    handler: async (request, reply) => {
      const { params, query, body: sent } = request;
      const call = { params, query, body: sent, request } as Call<Static<P>, Static<Q>, Static<B>>;
      return sendOutcome(reply, await spec.handle(call));
    },
  });
}

const preparePost = (isBodyOptional: boolean) => async (request: FastifyRequest) => {
  checkIdempotencyKey(request);
  if (isBodyOptional && request.body === undefined) request.body = {};
};

const IdempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'visible ASCII' })),
});

function schemaOf<P extends TSchema, Q extends TSchema, B extends TSchema>(spec: RouteSpec<P, Q, B>) {
  const security = spec.plane === 'public' || spec.isOpen === true ? [] : [{ [`${spec.plane}Token`]: [] }];
  return {
    summary: spec.summary,
    tags: [spec.plane],
    security,
    ...(spec.params === undefined ? {} : { params: spec.params }),
    ...(spec.query === undefined ? {} : { querystring: spec.query }),
    ...(spec.method === 'POST' && spec.plane !== 'public' ? { headers: IdempotencyHeader } : {}),
    response: { ...answersOf(spec.answers), ...problemsOf(spec) },
  };
}

export const answersOf = (answers: Readonly<Record<number, TSchema | string>>) =>
  Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      typeof schema === 'string' ? { description: schema, type: 'null' } : { description: 'Done', ...schema },
    ]),
  );

const ANY_ROUTE: readonly RefusalCode[] = ['internal', 'unavailable', 'not_found', 'invalid'];
const OF_PLANES: readonly RefusalCode[] = ['unauthenticated', 'forbidden'];
const WITH_BODY: readonly RefusalCode[] = ['too_large', 'unsupported_media_type'];

/** Refusals by status; each status lists its codes. */
export function problemsOf(spec: {
  readonly plane: Plane;
  readonly method: HTTPMethods;
  readonly refusals?: readonly RefusalCode[];
}): Record<number, unknown> {
  const hasBody = spec.method !== 'GET' && spec.method !== 'DELETE';
  const codes = [
    ...ANY_ROUTE,
    ...(spec.plane === 'public' ? [] : OF_PLANES),
    ...(hasBody ? WITH_BODY : []),
    ...(spec.refusals ?? []),
  ];
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of new Set(codes)) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    Array.from(byStatus, ([status, its]) => [
      status,
      { description: its.join(', '), content: { 'application/problem+json': { schema: Problem } } },
    ]),
  );
}
