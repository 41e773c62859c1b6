/**
 * Answers written straight to a node:http response, for the hot path and for what never reaches the framework. One
 * write with a known length; the text of a refusal that many get is made once and only its request id changes.
 */
import type { ServerResponse } from 'node:http';
import { type ProblemFacts, type ProblemText, problemText, retryAfterHeader } from './problem.ts';
import { REQUEST_ID_LENGTH } from './request-ids.ts';

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
export const CHALLENGE = 'Bearer realm="doorbuster"';

interface ReadyProblem extends ProblemText {
  /** The header list, its last entry the request id: filled in anew for each answer. */
  readonly headers: string[];
}

function ready(facts: ProblemFacts): ReadyProblem {
  const text = problemText(facts);
  const length = Buffer.byteLength(text.before) + REQUEST_ID_LENGTH + Buffer.byteLength(text.after);
  const headers = ['Content-Type', PROBLEM_TYPE, 'Content-Length', String(length), 'Cache-Control', 'no-store'];
  headers.push('X-Content-Type-Options', 'nosniff');
  if (text.retryAfterMs !== null) headers.push('Retry-After', retryAfterHeader(text.retryAfterMs));
  if (facts.code === 'unauthenticated') headers.push('WWW-Authenticate', CHALLENGE);
  headers.push('Doorbuster-Request-Id', '');
  return { ...text, headers };
}

/** Kinds of refusal, not requests: the details are constants, but for a few with a sale's own number in them. */
const READY_MAX = 256;
const readyProblems = new Map<string, ReadyProblem>();

function readyFor(facts: ProblemFacts): ReadyProblem {
  const isOneOff = facts.errors !== undefined || facts.available !== undefined || facts.retryAfterMs !== undefined;
  if (isOneOff || facts.effect === 'unknown' || facts.status !== undefined) return ready(facts);
  const key = `${facts.code}\n${facts.availability ?? ''}\n${facts.detail}`;
  const known = readyProblems.get(key);
  if (known !== undefined) return known;
  if (readyProblems.size >= READY_MAX) readyProblems.clear();
  const made = ready(facts);
  readyProblems.set(key, made);
  return made;
}

export function writeProblem(response: ServerResponse, facts: ProblemFacts, requestId: string): void {
  const { status, headers, before, after } = readyFor(facts);
  headers[headers.length - 1] = requestId;
  response.writeHead(status, headers);
  response.end(before + requestId + after);
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: string;
  readonly requestId: string;
  /** Names and values, flat. */
  readonly headers?: readonly string[];
}

/** A personal answer: never stored. */
export function writeJson(response: ServerResponse, answer: JsonAnswer): void {
  response.writeHead(answer.status, [
    'Content-Type',
    JSON_TYPE,
    'Content-Length',
    String(Buffer.byteLength(answer.body)),
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
    'Doorbuster-Request-Id',
    answer.requestId,
    ...(answer.headers ?? []),
  ]);
  response.end(answer.body);
}

/** The whole answer as bytes for a socket that has no response object (what is no HTTP). */
export function rawProblem(facts: ProblemFacts, requestId: string, statusText: string): string {
  const { status, headers, before, after } = ready(facts);
  headers[headers.length - 1] = requestId;
  const lines = [`HTTP/1.1 ${status} ${statusText}`, 'Connection: close'];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${before}${requestId}${after}`;
}
