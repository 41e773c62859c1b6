/**
 * Sends the requests: pipelined over a handful of connections, or each on its own where it must be, and judges each
 * answer as it comes. What hangs, or is dropped without an answer, is a fault like a wrong answer.
 */
import { type Answer, answerFaults, codeOf } from '../support/contract.ts';
import { ConnectionEnded, Hang, type RawAnswer, RawConnection } from '../support/raw-http.ts';
import type { BadRequest } from './bad-requests.ts';

export interface Tally {
  answered: number;
  /** What it hung up on without a word, where HTTP lets it. */
  readonly hungUp: string[];
  ordersMade: number;
  readonly byCode: Map<string, number>;
  readonly byRoute: Map<string, number>;
  readonly faults: string[];
}

const newTally = (): Tally => ({
  answered: 0,
  hungUp: [],
  ordersMade: 0,
  byCode: new Map(),
  byRoute: new Map(),
  faults: [],
});

/** What is wrong with this answer to this request; an empty list when the contract is kept. Pure, so that it can be tested. */
export function requestFaults(request: BadRequest, answer: Answer): string[] {
  const faults = answerFaults(answer, { head: request.head, transport: request.expect === 'transport' });
  if (request.expect !== 'refused') return faults;
  if (answer.status < 400) return [...faults, `taken with HTTP ${answer.status}: ${answer.text.slice(0, 200)}`];
  const code = codeOf(answer);
  const wanted = request.codes;
  // Overload may refuse anything that has a right credential; it took nothing.
  if (wanted.length > 0 && code !== null && code !== 'busy' && !wanted.includes(code)) {
    return [...faults, `expected ${wanted.join(' or ')}, got ${code}: ${answer.text.slice(0, 300)}`];
  }
  return faults;
}

const shown = (request: BadRequest): string => {
  const text = JSON.stringify(Buffer.concat(request.pieces).toString('latin1'));
  return text.length > 1500 ? `${text.slice(0, 1500)}... (${text.length})` : text;
};

const count = (map: Map<string, number>, name: string): void => {
  map.set(name, (map.get(name) ?? 0) + 1);
};

export interface DriveOptions {
  readonly connections: number;
  /** Requests in flight on a connection. */
  readonly depth: number;
  readonly deadlineMs: number;
}

/** A slot holds one connection and renews it when it can no longer be used. */
class Slot {
  readonly #url: string;
  readonly #deadlineMs: number;
  #connection: RawConnection | undefined;

  constructor(url: string, deadlineMs: number) {
    this.#url = url;
    this.#deadlineMs = deadlineMs;
  }

  exchange(request: BadRequest): Promise<RawAnswer> {
    if (this.#connection === undefined || !this.#connection.usable)
      this.#connection = new RawConnection(this.#url, this.#deadlineMs);
    return this.#connection.exchange(request.pieces, { head: request.head });
  }

  close(): void {
    this.#connection?.close();
  }
}

async function alone(url: string, request: BadRequest, deadlineMs: number): Promise<RawAnswer> {
  const connection = new RawConnection(url, deadlineMs);
  try {
    return await connection.exchange(request.pieces, { head: request.head });
  } finally {
    connection.close();
  }
}

/** The answer; a request that went down with a connection closed for another's sake is sent once more, alone. */
async function answerOf(url: string, slot: Slot, request: BadRequest, options: DriveOptions): Promise<RawAnswer> {
  if (request.alone) return alone(url, request, options.deadlineMs);
  try {
    return await slot.exchange(request);
  } catch (error) {
    if (!(error instanceof ConnectionEnded)) throw error;
    return alone(url, request, options.deadlineMs);
  }
}

function judge(tally: Tally, index: number, request: BadRequest, answer: RawAnswer): void {
  tally.answered += 1;
  count(tally.byCode, codeOf(answer) ?? `HTTP ${answer.status}`);
  if (request.route !== null) count(tally.byRoute, request.route);
  const isReplay = answer.header('idempotent-replayed') !== null;
  if (request.order && answer.status === 201 && !isReplay) tally.ordersMade += 1;
  for (const fault of requestFaults(request, answer))
    tally.faults.push(`#${index} ${request.name}\n  ${fault}\n  sent ${shown(request)}`);
}

/** Sends `total` requests of `make`; stops early once there are more faults than anybody reads. */
export async function drive(
  url: string,
  make: (index: number) => BadRequest,
  total: number,
  options: DriveOptions,
): Promise<Tally> {
  const tally = newTally();
  let next = 0;
  const lane = async (slot: Slot): Promise<void> => {
    while (next < total && tally.faults.length < 200) {
      const index = next++;
      const request = make(index);
      try {
        judge(tally, index, request, await answerOf(url, slot, request, options));
      } catch (error) {
        if (error instanceof ConnectionEnded && request.expect === 'transport') tally.hungUp.push(request.name);
        else
          tally.faults.push(
            `#${index} ${request.name}\n  ${error instanceof Hang ? 'hangs' : 'dropped'}: ${error}\n  sent ${shown(request)}`,
          );
      }
    }
  };
  const slots = Array.from({ length: options.connections }, () => new Slot(url, options.deadlineMs));
  await Promise.all(slots.flatMap((slot) => Array.from({ length: options.depth }, () => lane(slot))));
  for (const slot of slots) slot.close();
  return tally;
}
