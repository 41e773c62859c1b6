/**
 * Makes the bad requests: a route, a mutation that the contract refuses, the answer that it demands. What could be
 * right by chance is aimed at the scratch sale, never at a witness. The same seed makes the same requests.
 */
import type { Code } from '../support/contract.ts';
import { type RawRequest, rawBytes } from '../support/raw-http.ts';
import { fillPath, type Route, routeName, routes } from '../support/routes.ts';
import { badBody } from './bad-bodies.ts';
import { bodySpecs, emptyBody } from './bodies.ts';
import { hostileRequest } from './hostile.ts';
import type { Random } from './random.ts';
import { scratchRequest } from './scratch.ts';
import { badKeys, seasoning, strangeQueries, strangeSegments, strangeTargets, wrongMediaTypes } from './strange.ts';
import type { World } from './world.ts';

export interface BadRequest {
  /** Route and mutation, for the report. */
  readonly name: string;
  /** The route of test/support/routes.ts that it is aimed at, or null where it fits none. */
  readonly route: string | null;
  readonly pieces: readonly Buffer[];
  readonly head: boolean;
  /** `refused`: 2xx is a fault. `any`: only the form of the answer is judged. `transport`: HTTP itself may refuse or hang up. */
  readonly expect: 'refused' | 'any' | 'transport';
  /** With `refused`: the codes that the contract allows; empty means any of the table. */
  readonly codes: readonly Code[];
  /** On a connection of its own: split, oversized or hostile. */
  readonly alone: boolean;
  /** A scratch order: a fresh 201 counts. */
  readonly order: boolean;
}

type Headers = [string, string][];

interface Plan {
  /** What was done to it. */
  readonly name: string;
  readonly route: string | null;
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body?: Buffer;
  readonly expect: BadRequest['expect'];
  readonly codes: readonly Code[];
}

const bearer = (token: string): [string, string] => ['authorization', `Bearer ${token}`];

const rightCredential = (route: Route, world: World): Headers => {
  if (route.plane === 'merchant') return [bearer(world.merchantKey)];
  return route.plane === 'shopper' && route.open !== true ? [bearer(world.annToken)] : [];
};

/** The ids of a witness that the route's refused body is aimed at: whatever state would let a right body through. */
function witnessIds(route: Route, world: World, random: Random): Record<string, string> {
  const saleId =
    route.method === 'PATCH'
      ? world.draftId
      : random.weighted([
          [6, world.openId],
          [1, world.pausedId],
          [1, world.scheduledId],
          [1, world.endedId],
        ]);
  const orderId = random.weighted([
    [4, world.heldOrderId],
    [2, world.paidOrderId],
    [1, world.cancelledOrderId],
  ]);
  return { saleId, orderId, sku: 'tee-m', paymentId: world.parkedId };
}

const orderRoute = 'POST /v1/sales/{saleId}/orders';
const keyed = (route: Route, mark: string, index: number): Headers =>
  route.method === 'POST' && (routeName(route) === orderRoute || index % 3 === 0)
    ? [['idempotency-key', `${mark}-${index}`]]
    : [];

const withBody = routes.filter((route) => route.body !== 'none');

/** Every field, type, size and form of a body that is refused, at a route that would take a right one. */
function bodyPlan(random: Random, world: World, mark: string, index: number): Plan {
  const route = random.pick(withBody);
  const spec = bodySpecs[routeName(route)] ?? emptyBody;
  const body = badBody(random, spec, world, route.plane);
  // A second Authorization: whichever counts, the body is refused all the same.
  const second: Headers = random.chance(0.03) ? [['authorization', random.pick(world.badCredentials)]] : [];
  const query = routeName(route) === orderRoute ? `?key=${world.purchaseKey}` : '';
  return {
    name: body.name,
    route: routeName(route),
    method: route.method,
    target: fillPath(route.path, witnessIds(route, world, random)) + query,
    headers: [
      ...rightCredential(route, world),
      ...keyed(route, mark, index),
      ['content-type', 'application/json'],
      ...second,
    ],
    body: body.bytes,
    expect: 'refused',
    codes: second.length > 0 ? [...body.codes, 'unauthenticated'] : body.codes,
  };
}

/** A right body under a media type that is not JSON, or none at all. */
function mediaPlan(random: Random, world: World, mark: string, index: number): Plan {
  const route = random.pick(withBody.filter((entry) => entry.body === 'required'));
  const spec = bodySpecs[routeName(route)] ?? emptyBody;
  const type = random.chance(0.2) ? undefined : random.pick(wrongMediaTypes);
  return {
    name: `media type ${type}`,
    route: routeName(route),
    method: route.method,
    target: fillPath(route.path, witnessIds(route, world, random)),
    headers: [
      ...rightCredential(route, world),
      ...keyed(route, mark, index),
      ...(type === undefined ? [] : [['content-type', type] as [string, string]]),
    ],
    body: Buffer.from(JSON.stringify(spec.right(world))),
    expect: 'refused',
    codes: ['unsupported_media_type'],
  };
}

/** A right request under a credential that opens nothing, or another plane. */
function credentialPlan(random: Random, world: World, mark: string, index: number): Plan {
  const route = random.pick(routes.filter((entry) => entry.plane !== 'public' && entry.open !== true));
  const foreign = route.plane === 'merchant' ? random.pick([world.annToken, world.guestToken]) : world.merchantKey;
  const [headers, codes] = random.weighted<readonly [Headers, readonly Code[]]>([
    [1, [[], ['unauthenticated']]],
    [3, [[['authorization', random.pick(world.badCredentials)]], ['unauthenticated']]],
    [2, [[bearer(foreign)], ['forbidden']]],
  ]);
  const spec = bodySpecs[routeName(route)] ?? emptyBody;
  const body = random.chance(0.3)
    ? badBody(random, spec, world, route.plane).bytes
    : Buffer.from(JSON.stringify(spec.right(world)));
  return {
    name: `credential ${codes[0]}`,
    route: routeName(route),
    method: route.method,
    target: fillPath(route.path, witnessIds(route, world, random)),
    headers: [
      ...headers,
      ...keyed(route, mark, index),
      ...(route.body === 'none' ? [] : [['content-type', 'application/json'] as [string, string]]),
    ],
    ...(route.body === 'none' ? {} : { body }),
    expect: 'refused',
    codes: [...codes, ...(body.length > 16_384 ? (['too_large'] as const) : [])],
  };
}

/** A right request for things that are not there. */
function segmentPlan(random: Random, world: World, mark: string, index: number): Plan {
  const route = random.pick(routes.filter((entry) => entry.path.includes('{')));
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const broken = random.pick(names);
  const ids = { ...witnessIds(route, world, random), [broken]: random.pick(strangeSegments) };
  const spec = bodySpecs[routeName(route)] ?? emptyBody;
  return {
    name: `${broken} ${ids[broken]?.slice(0, 40)}`,
    route: routeName(route),
    method: route.method,
    target: fillPath(route.path, ids),
    headers: [...rightCredential(route, world), ...keyed(route, mark, index), ['content-type', 'application/json']],
    ...(route.body === 'required' ? { body: Buffer.from(JSON.stringify(spec.right(world))) } : {}),
    expect: 'refused',
    codes: [],
  };
}

/** Reads, with any query; and targets that fit no route, with bodies that fit nothing. */
function targetPlan(random: Random, world: World): Plan {
  if (random.chance(0.4)) {
    const method = random.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
    const target = random.pick(strangeTargets) + (random.chance(0.3) ? random.pick(strangeQueries) : '');
    return {
      name: `${method} ${target.slice(0, 60)}`,
      route: null,
      method,
      target,
      headers: random.chance(0.7) ? [bearer(world.merchantKey), ['content-type', 'application/json']] : [],
      ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: Buffer.from('[]') } : {}),
      expect: 'any',
      codes: [],
    };
  }
  const route = random.pick(routes.filter((entry) => entry.method === 'GET'));
  const query = random.pick(strangeQueries);
  return {
    name: `query ${query.slice(0, 60)}`,
    route: routeName(route),
    method: random.chance(0.1) ? 'HEAD' : 'GET',
    target: fillPath(route.path, witnessIds(route, world, random)) + query,
    headers: [
      ...rightCredential(route, world),
      ...(random.chance(0.2) ? [['accept', 'text/csv'] as [string, string]] : []),
    ],
    expect: 'any',
    codes: [],
  };
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'LINK', 'SEARCH', 'M-SEARCH', 'LOCK'];

/** A method that the path does not have. */
function methodPlan(random: Random, world: World): Plan {
  const route = random.pick(routes);
  const served = routes.filter((entry) => entry.path === route.path).map((entry) => entry.method as string);
  const method = random.pick(methods.filter((name) => !served.includes(name)));
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  return {
    name: `method ${method}`,
    route: routeName(route),
    method,
    target: fillPath(route.path, witnessIds(route, world, random)),
    headers: [
      ...rightCredential(route, world),
      ...(hasBody ? [['content-type', 'application/json'] as [string, string]] : []),
    ],
    ...(hasBody ? { body: Buffer.from('[]') } : {}),
    expect: 'refused',
    codes: ['method_not_allowed', 'not_found'],
  };
}

/** Orders that are whole, and refused by key, phase, sale or item. */
function orderPlan(random: Random, world: World, mark: string, index: number): Plan {
  const idempotencyKey: [string, string] = ['idempotency-key', `${mark}-${index}`];
  const [name, saleId, query, sku, keys, codes] = random.pick<
    readonly [string, string, string, string, Headers, readonly Code[]]
  >([
    ['wrong purchase key', world.openId, '?key=wrong', 'tee-m', [idempotencyKey], ['wrong_purchase_key']],
    ['no purchase key', world.openId, '', 'tee-m', [idempotencyKey], ['wrong_purchase_key']],
    [
      'two purchase keys',
      world.openId,
      `?key=x&key=${world.purchaseKey}`,
      'tee-m',
      [idempotencyKey],
      ['wrong_purchase_key', 'invalid'],
    ],
    [
      'purchase key of another sale',
      world.openId,
      `?key=${world.scratchKey}`,
      'tee-m',
      [idempotencyKey],
      ['wrong_purchase_key'],
    ],
    ['unknown item', world.openId, `?key=${world.purchaseKey}`, 'nothing', [idempotencyKey], ['not_found']],
    ['item __proto__', world.openId, `?key=${world.purchaseKey}`, 'constructor', [idempotencyKey], ['not_found']],
    ['draft', world.draftId, `?key=${world.purchaseKey}`, 'tee-m', [idempotencyKey], ['not_found']],
    ['scheduled', world.scheduledId, '?key=x', 'tee-m', [idempotencyKey], ['not_open']],
    ['paused', world.pausedId, '?key=x', 'tee-m', [idempotencyKey], ['sale_paused']],
    ['ended', world.endedId, '?key=x', 'tee-m', [idempotencyKey], ['sale_ended']],
    ['no key', world.openId, `?key=${world.purchaseKey}`, 'tee-m', [], ['invalid']],
    [
      'bad key',
      world.openId,
      `?key=${world.purchaseKey}`,
      'tee-m',
      [['idempotency-key', random.pick(badKeys)]],
      ['invalid'],
    ],
    [
      'two keys',
      world.openId,
      `?key=${world.purchaseKey}`,
      'tee-m',
      [
        ['idempotency-key', 'a'],
        ['idempotency-key', 'b'],
      ],
      ['invalid'],
    ],
  ]);
  return {
    name,
    route: orderRoute,
    method: 'POST',
    target: `/v1/sales/${saleId}/orders${query}`,
    headers: [bearer(random.pick([world.annToken, world.benToken])), ...keys, ['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify({ sku, quantity: 1 })),
    expect: 'refused',
    codes,
  };
}

const repeatable = new Set(['content-type', 'accept', 'origin', 'cookie', 'user-agent', 'if-none-match']);

function seasoned(random: Random, headers: Headers): Headers {
  if (random.chance(0.6)) return headers;
  const more = Array.from({ length: random.integer(1, 4) }, () => [...random.pick(seasoning)] as [string, string]);
  const twice = random.chance(0.2) ? more.filter(([name]) => repeatable.has(name)) : [];
  return random.chance(0.5) ? [...headers, ...more, ...twice] : [...more, ...headers];
}

/** Cuts the bytes at random places, so that they arrive in several packets. */
function split(random: Random, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.integer(1, 4) }, () => random.integer(1, bytes.length - 1)).sort(
    (a, b) => a - b,
  );
  return [0, ...cuts]
    .map((from, index) => bytes.subarray(from, [...cuts, bytes.length][index]))
    .filter((piece) => piece.length > 0);
}

function finish(random: Random, plan: Plan): BadRequest {
  const request: RawRequest = {
    method: plan.method,
    target: plan.target,
    headers: seasoned(random, plan.headers),
    ...(plan.body === undefined ? {} : { body: plan.body }),
    ...(plan.body !== undefined && random.chance(0.1)
      ? { chunks: [random.integer(1, 64), random.integer(1, 5000)] }
      : {}),
  };
  const bytes = rawBytes(request);
  const large = bytes.length > 16_384;
  const isSplit = !large && random.chance(0.02);
  return {
    name: plan.route === null ? plan.name : `${plan.route}: ${plan.name}`,
    route: plan.route,
    pieces: isSplit ? split(random, bytes) : [bytes],
    head: plan.method === 'HEAD',
    expect: plan.expect,
    codes: plan.codes,
    alone: large || isSplit,
    order: false,
  };
}

/** The request of this index; call it with rising indexes and the same Random to have the same run again. */
export function badRequest(random: Random, world: World, mark: string, index: number): BadRequest {
  const kind = random.weighted([
    [38, 'body'],
    [8, 'order'],
    [6, 'media'],
    [10, 'credential'],
    [10, 'segment'],
    [12, 'target'],
    [6, 'method'],
    [9, 'scratch'],
    [1, 'hostile'],
  ] as const);
  switch (kind) {
    case 'body':
      return finish(random, bodyPlan(random, world, mark, index));
    case 'order':
      return finish(random, orderPlan(random, world, mark, index));
    case 'media':
      return finish(random, mediaPlan(random, world, mark, index));
    case 'credential':
      return finish(random, credentialPlan(random, world, mark, index));
    case 'segment':
      return finish(random, segmentPlan(random, world, mark, index));
    case 'target':
      return finish(random, targetPlan(random, world));
    case 'method':
      return finish(random, methodPlan(random, world));
    case 'scratch':
      return scratchRequest(random, world, mark, index);
    case 'hostile':
      return hostileRequest(random, world);
  }
}
