/**
 * Fastify as we use it: strict bodies instead of its parsers, typebox instead of ajv, plain JSON.stringify instead of
 * schema serialising (a schema that lags must never cut a field from an answer), and every error as a problem of the
 * one table. Routes are added by routes/; this file decides what is the same on all of them.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { type Refusal, refuse } from '../core/outcomes.ts';
import type { Log } from '../kit/log.ts';
import { CHALLENGE } from './answers.ts';
import { hasBody, MERCHANT_BODY_BYTES_MAX, readBody, SHOPPER_BODY_BYTES_MAX } from './body.ts';
import { factsOfError } from './faults.ts';
import { JsonFault, parseJsonBytes } from './json.ts';
import { isJsonType } from './media-type.ts';
import { invalid, type Outcome, RefusedError } from './outcome.ts';
import { type ProblemFacts, problemText, retryAfterHeader } from './problem.ts';
import { nextRequestId } from './request-ids.ts';
import { type Fault, validatorOf } from './validation.ts';

/** Ids of the shop's may have 255 characters of four bytes, each percent-encoded. */
const PARAM_LENGTH_MAX = 255 * 12;

export interface FrameworkParts {
  readonly log: Log;
  /** Makes the node server around the framework's handler. */
  readonly serverFactory: (handler: (request: IncomingMessage, response: ServerResponse) => void) => Server;
  readonly onClientError: (error: Error, socket: Socket) => void;
}

export function createFramework(parts: FrameworkParts): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: nextRequestId,
    return503OnClosing: false,
    serverFactory: parts.serverFactory,
    clientErrorHandler: parts.onClientError,
    frameworkErrors: (_error, request, reply) => {
      const missing = refuse('not_found', 'There is nothing here.');
      void sendProblem(reply as unknown as FastifyReply, request.id, missing);
    },
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, caseSensitive: true, ignoreTrailingSlash: false },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', takeBody);
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    if (httpPart === 'headers') return () => ({ value: undefined });
    const validator = validatorOf(schema);
    return (value: unknown) => {
      const read = httpPart === 'querystring' ? readQuery(value, schema) : value;
      return validator.check(read) ? { value: read } : { error: new PartFault(validator.faults(read), httpPart) };
    };
  });
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.setErrorHandler((error, request, reply) => {
    reply.removeHeader('connection');
    return sendProblem(reply, request.id, factsOf(error, parts.log, request.id));
  });
  return app;
}

class PartFault extends Error {
  readonly faults: readonly Fault[];
  readonly part: string | undefined;

  constructor(faults: readonly Fault[], part: string | undefined) {
    super('a part of the request is not valid');
    this.faults = faults;
    this.part = part;
  }
}

function factsOf(error: unknown, log: Log, requestId: string): ProblemFacts {
  if (error instanceof RefusedError) return error.refusal;
  if (error instanceof PartFault) return ofPart(error);
  if (error instanceof JsonFault) return invalid([{ path: '', message: error.message }]);
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return notJson();
  return factsOfError(error, log, requestId);
}

/** An id in the address that can be nobody's names nothing. */
function ofPart({ faults, part }: PartFault): Refusal {
  if (part === 'params') return refuse('not_found', 'There is nothing here.');
  return invalid(part === 'querystring' ? faults.map((fault) => ({ ...fault, path: `/query${fault.path}` })) : faults);
}

const notJson = (): Refusal => refuse('unsupported_media_type', 'The body must be application/json.');

/** A query is text; where the schema wants an integer, digits are read as one. Nothing else is converted. */
function readQuery(query: unknown, schema: TSchema): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const read = Object.entries(query as Record<string, unknown>).map(([name, value]) => {
    const isInteger = Object.hasOwn(properties, name) && properties[name]?.type === 'integer';
    return [name, isInteger && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(read);
}

function takeBody(
  request: FastifyRequest,
  _payload: unknown,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (request.is404 || !hasBody(request.raw)) return done(null, undefined);
  if (!isJsonType(request.headers['content-type'])) return done(new RefusedError(notJson()));
  const isMerchant = request.routeOptions.config.plane === 'merchant';
  const bytesMax = isMerchant ? MERCHANT_BODY_BYTES_MAX : SHOPPER_BODY_BYTES_MAX;
  readBody(request.raw, bytesMax, {
    bodyTooLarge: () => done(new RefusedError(refuse('too_large', `A body may have at most ${bytesMax} bytes.`))),
    takeBody: (bytes) => {
      try {
        done(null, bytes.length === 0 ? undefined : parseJsonBytes(bytes));
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

export function sendOutcome(reply: FastifyReply, outcome: Outcome): FastifyReply {
  if (outcome.outcome === 'refused') return sendProblem(reply, reply.request.id, outcome);
  void reply.code(outcome.status).headers(outcome.headers ?? {});
  return outcome.body === undefined ? reply.send() : reply.send(outcome.body);
}

export function sendProblem(reply: FastifyReply, requestId: string, facts: ProblemFacts): FastifyReply {
  const { status, before, after, retryAfterMs } = problemText(facts);
  if (retryAfterMs !== null) void reply.header('retry-after', retryAfterHeader(retryAfterMs));
  if (facts.code === 'unauthenticated') void reply.header('www-authenticate', CHALLENGE);
  void reply.headers({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'doorbuster-request-id': requestId,
  });
  return reply
    .code(status)
    .type('application/problem+json; charset=utf-8')
    .send(before + requestId + after);
}
