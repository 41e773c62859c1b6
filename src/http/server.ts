/**
 * The HTTP server: one node server, the hot paths in front, the framework behind. Made by `app` from the shop; knows
 * no ledger and no engine. Every answer has a request id and `nosniff`; nothing here writes a query, token or body
 * into the log.
 *
 * On `close` it stops accepting, ends idle connections, answers what is under way with `Connection: close`, and
 * resolves when all is answered or the grace is over.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../core/outcomes.ts';
import type { Log } from '../kit/log.ts';
import type { Metrics } from '../kit/metrics.ts';
import type { Shop } from '../purchase/shop.ts';
import { writeProblem } from './answers.ts';
import { onClientError, onConnect } from './client-error.ts';
import { Cors, corsHeaders } from './cors.ts';
import { bearerOf, notABuyer, refusalOfMerchant } from './credentials.ts';
import { createFramework } from './framework.ts';
import { takeHotPath } from './hot/hot-paths.ts';
import { answerWhatIsNotServed } from './not-served.ts';
import { describeApi } from './openapi.ts';
import { RefusedError } from './outcome.ts';
import { Pages } from './page/pages.ts';
import { nextRequestId } from './request-ids.ts';
import { addHotRoutes } from './routes/hot.ts';
import { addBooksRoutes } from './routes/merchant-books.ts';
import { addOrderRoutes } from './routes/merchant-orders.ts';
import { addPaymentRoutes } from './routes/merchant-payments.ts';
import { addSaleRoutes } from './routes/merchant-sales.ts';
import { addTokenRoutes } from './routes/merchant-tokens.ts';
import { addPageRoutes } from './routes/pages.ts';
import { addPublicRoutes } from './routes/public.ts';
import { addShopperRoutes } from './routes/shopper.ts';

export interface HttpServer {
  /** Port 0 picks a free one. */
  listen(at: { host: string; port: number }): Promise<{ url: string; port: number }>;
  close(how: { graceMs: number }): Promise<void>;
}

export interface HttpServerParts {
  readonly shop: Shop;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'countOrder' | 'expose'>;
  readonly version?: string;
  /** The built `<doorbuster-sale>`; without it there are no pages. */
  readonly pageScript?: Buffer | null;
  /** `health`: a process that only does background work answers for itself and nothing else. Default: all. */
  readonly planes?: 'all' | 'health';
}

/** A request that has not arrived by then never will: slow senders must not collect connections. */
const REQUEST_MS_MAX = 5_000;
/** Longer than the 60 s that balancers keep their idle connections, so that they close first. */
const KEEP_ALIVE_MS = 65_000;
const CHECK_EVERY_MS = 1_000;
/** How often a closing server ends connections that have become idle. */
const SWEEP_MS = 50;
/** A connection that looks idle may have a request on its way to us: it is answered, with `Connection: close`. */
const ON_THE_WAY_MS = 100;

export function createHttpServer(parts: HttpServerParts): HttpServer {
  const { shop, log, metrics } = parts;
  const cors = new Cors(shop);
  const hot = { shop, log, metrics, cors };
  const servesAll = parts.planes !== 'health';
  let isClosing = false;
  let server: Server | undefined;

  const serverFactory = (next: (request: IncomingMessage, response: ServerResponse) => void): Server => {
    const front = (request: IncomingMessage, response: ServerResponse) => {
      if (isClosing) response.setHeader('Connection', 'close');
      if (request.headers.host === undefined && request.httpVersionMinor === 1) return refuseRequest(response, 400);
      if (!servesAll || !takeHotPath(hot, request, response)) next(request, response);
    };
    server = createServer(
      {
        requestTimeout: REQUEST_MS_MAX,
        headersTimeout: REQUEST_MS_MAX,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: CHECK_EVERY_MS,
        // Judged above, with a problem as the answer.
        requireHostHeader: false,
        noDelay: true,
      },
      front,
    );
    server.on('checkExpectation', (_request, response: ServerResponse) => refuseRequest(response, 417));
    server.on('connect', onConnect);
    return server;
  };

  const app = createFramework({ log, serverFactory, onClientError });
  answerWhatIsNotServed(app);
  app.decorateRequest('buyer', null);
  app.addHook('onRequest', welcome(shop, cors));
  const ready = (async () => {
    await describeApi(app, parts.version ?? '0.0.0');
    addPublicRoutes(app, { shop, metrics });
    if (servesAll) {
      addHotRoutes(app, hot);
      if (parts.pageScript) addPageRoutes(app, new Pages(shop, log, parts.pageScript));
      addShopperRoutes(app, shop);
      addMerchantRoutes(app, shop);
    }
    await app.ready();
  })();
  ready.catch(() => undefined);

  return {
    listen: async ({ host, port }) => {
      await ready;
      return startListening(app.server as Server, host, port);
    },
    close: async ({ graceMs }) => {
      isClosing = true;
      await stopListening(app.server as Server, graceMs);
      await app.close();
    },
  };
}

function addMerchantRoutes(app: FastifyInstance, shop: Shop): void {
  addSaleRoutes(app, shop);
  addBooksRoutes(app, shop);
  addOrderRoutes(app, shop);
  addPaymentRoutes(app, shop);
  addTokenRoutes(app, shop);
}

/** What happens to every request of the framework first: headers that all answers have, CORS, the credential. */
const welcome = (shop: Shop, cors: Cors) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { plane, isOpen } = request.routeOptions.config;
  void reply.headers({
    'doorbuster-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  if (request.headers.origin !== undefined) {
    void reply.header('vary', 'Origin');
    const origin = await cors.allowedOrigin(request.raw);
    if (origin !== null) void reply.headers(corsHeaders(origin));
  }
  if (plane === 'merchant') {
    const refusal = await refusalOfMerchant(shop, request.raw);
    if (refusal !== null) throw new RefusedError(refusal);
  }
  if (plane === 'shopper' && isOpen !== true) {
    const token = bearerOf(request.raw);
    request.buyer = token === null ? null : await shop.buyerTokens.verify(token);
    if (request.buyer === null) throw new RefusedError(notABuyer(shop, token));
  }
};

function refuseRequest(response: ServerResponse, status: 400 | 417): void {
  const detail = status === 400 ? 'The Host header is missing.' : 'This expectation cannot be met.';
  response.setHeader('Connection', 'close');
  const path = status === 400 ? '/headers/host' : '/headers/expect';
  const refusal = refuse('invalid', detail, { errors: [{ path, message: 'is not as it must be' }] });
  writeProblem(response, { ...refusal, status }, nextRequestId());
}

function startListening(server: Server, host: string, port: number): Promise<{ url: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      const { port: bound } = server.address() as AddressInfo;
      const name = host.includes(':') ? `[${host}]` : host;
      resolve({ url: `http://${name}:${bound}`, port: bound });
    });
  });
}

function stopListening(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const endIdle = (): void => {
      if (performance.now() - closedAtMs > ON_THE_WAY_MS) server.closeIdleConnections();
    };
    const closedAtMs = performance.now();
    const sweep = setInterval(endIdle, SWEEP_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
