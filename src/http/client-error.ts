/**
 * What the HTTP parser could not read, or what took too long to arrive: answered as a problem where the connection can
 * still take an answer that belongs to that very request, else the connection is closed. An earlier request whose
 * answer is still due is never given another's answer: a shopper would take a refusal for the fate of the order.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { rawProblem } from './answers.ts';
import { nextRequestId } from './request-ids.ts';

interface ParserError extends Error {
  readonly code?: string;
}

/** Node hangs the response whose turn it is on its socket; there is no public way to ask. */
type HttpSocket = Socket & { _httpMessage?: (ServerResponse & { readonly req?: IncomingMessage }) | null };

const KINDS: Readonly<Record<string, readonly [status: number, text: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive.'],
};
const MALFORMED = [400, 'Bad Request', 'This is not an HTTP request.'] as const;

export function onClientError(error: ParserError, socket: HttpSocket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const pending = socket._httpMessage;
  if (pending?.req?.complete === true) {
    // Answers go out in the order of their requests: this one's turn comes when those before it are written.
    pending.once('finish', () => onClientError(error, socket));
    return;
  }
  if (pending?.headersSent === true) {
    socket.destroy();
    return;
  }
  const [status, text, detail] = KINDS[error.code ?? ''] ?? MALFORMED;
  const code = status === 413 ? 'too_large' : 'invalid';
  socket.end(rawProblem({ code, detail, status }, nextRequestId(), text));
}

/** CONNECT asks for a tunnel; there is none, and the framework is never asked. */
export function onConnect(_request: IncomingMessage, socket: Duplex): void {
  // The HTTP machinery has let go of this socket: nobody else listens for its errors.
  socket.on('error', () => socket.destroy());
  socket.end(rawProblem({ code: 'not_found', detail: 'There is nothing here.' }, nextRequestId(), 'Not Found'));
}
