/**
 * The server as a command sees it: its HTTP API, with the merchant key. Finds address and key as API.md says
 * (`--url`, the environment, the config file; the key from the environment, else from the data folder), and turns
 * everything that is no answer of 2xx into one line that says what to do.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { SettingSources, settingError } from '../kit/setting-sources.ts';
import { CommandFailure, type Context, EXIT_NO, EXIT_WRONG_USE } from './context.ts';

export interface ServerOptions {
  readonly url?: string;
  readonly data?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
/** Past this a person gives up; the server itself answers within seconds or says `busy`. */
const ANSWERS_WITHIN_MS = 30_000;

export const withServerOptions = (command: Command): Command =>
  command
    .option('--url <address>', `where the server is (DOORBUSTER_URL; default ${DEFAULT_URL})`)
    .option('--data <folder>', "the server's data folder, for its merchant key (DOORBUSTER_DATA; default ./data)");

export class ServerClient {
  /** Without a slash at its end. */
  readonly url: string;
  readonly #key: { readonly text: string; readonly source: string };

  constructor(context: Context, options: ServerOptions) {
    const flags = { url: options.url, data: options.data };
    const sources = new SettingSources({ flags, environment: context.environment, folder: context.folder });
    this.url = addressOf(sources);
    this.#key = sources.find('merchantKey') ?? keyInFolder(path.resolve(context.folder, dataFolderOf(sources)));
  }

  /**
   * The JSON that the server answered. Throws CommandFailure: exit 1 for a refusal, a fault or a server that is not
   * there; exit 2 where what was sent is invalid.
   */
  async call<T>(method: 'GET' | 'POST', target: string, body?: unknown): Promise<T> {
    const answer = await this.#fetch(method, target, body);
    const text = await answer.text();
    const json = parsed(text);
    if (answer.ok && json !== undefined) return json as T;
    if (answer.status === 401)
      throw new CommandFailure(
        EXIT_NO,
        `${this.url} does not accept the merchant key from ${this.#key.source}: is that the key of this server? Set DOORBUSTER_MERCHANT_KEY, or --data to its data folder`,
        'unauthenticated',
      );
    throw isProblem(json) ? refusal(json) : this.#stranger(answer.status);
  }

  async #fetch(method: string, target: string, body: unknown): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key.text}`, accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const sent = body === undefined ? null : JSON.stringify(body);
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    try {
      return await fetch(this.url + target, { method, headers, body: sent, redirect: 'error', signal });
    } catch (error) {
      throw new CommandFailure(EXIT_NO, `${this.url} does not answer: ${whyNot(error)}`, 'no_answer');
    }
  }

  #stranger(status: number): CommandFailure {
    return new CommandFailure(
      EXIT_NO,
      `${this.url} answered ${status}, and not as a Doorbuster server would: set DOORBUSTER_URL or --url to the server's own address`,
      'no_answer',
    );
  }
}

function addressOf(sources: SettingSources): string {
  const raw = sources.find('url');
  if (raw === null) return DEFAULT_URL;
  const url = URL.parse(raw.text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw settingError('url', raw, 'an address like https://sale.example, without user, query or fragment');
  return url.href.replace(/\/$/, '');
}

const dataFolderOf = (sources: SettingSources): string => sources.find('data')?.text ?? './data';

function keyInFolder(folder: string): { text: string; source: string } {
  const file = path.join(folder, 'merchant-key');
  try {
    return { text: readFileSync(file, 'utf8').trim(), source: file };
  } catch (error) {
    throw new CommandFailure(
      EXIT_WRONG_USE,
      `no merchant key: DOORBUSTER_MERCHANT_KEY is not set, and ${file} cannot be read (${(error as NodeJS.ErrnoException).code}). The server keeps it in its data folder: name that with --data or DOORBUSTER_DATA`,
      'no_key',
    );
  }
}

interface Problem {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

const isProblem = (json: unknown): json is Problem =>
  typeof json === 'object' && json !== null && 'code' in json && typeof json.code === 'string';

function refusal({ code, title, detail, errors }: Problem): CommandFailure {
  const fields = (errors ?? []).map((error) => `${error.path || '/'} ${error.message}`).join('; ');
  const said = `${code}: ${detail ?? title}${fields === '' ? '' : ` (${fields})`}`;
  const todo = WHAT_TO_DO[code];
  const message = todo === undefined ? said : `${said}; ${todo}`;
  return new CommandFailure(code === 'invalid' ? EXIT_WRONG_USE : EXIT_NO, message, code);
}

/** What the server cannot know: by which command to go on. */
const WHAT_TO_DO: Readonly<Record<string, string>> = {
  already_exists: 'choose another --id, or look at the one there is: doorbuster sale show <saleId>',
  wrong_state: 'doorbuster sale show <saleId> tells its phase',
  sale_frozen: 'what is scheduled changes only by corrections',
  busy: 'try again',
  unavailable: 'doorbuster doctor looks for the reason',
  internal: 'the log of the server has the reason, under the request id',
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function whyNot(error: unknown): string {
  const cause = (error as { cause?: NodeJS.ErrnoException }).cause;
  if (cause?.code === 'ECONNREFUSED')
    return 'connection refused. Start the server with `doorbuster serve`, or set DOORBUSTER_URL (--url) to where it is';
  if ((error as Error).name === 'TimeoutError') return `nothing within ${ANSWERS_WITHIN_MS / 1000} s`;
  return `${cause?.message ?? (error as Error).message}. Is DOORBUSTER_URL (--url) the address of the server?`;
}
