/**
 * Cursors of lists: where the ledger's page ended, wrapped so that only text that we gave out for this very list is
 * taken back. The check is against mistakes, not against forgery: whoever may read a list may begin it anywhere.
 */
import { createHash } from 'node:crypto';

const CHECK_LENGTH = 8;

/** `list`: its name with everything that decides which rows it has (sale, filters). */
export const cursorOf = (list: string, next: string): string =>
  Buffer.from(checkOf(list, next) + next, 'utf8').toString('base64url');

/** What the ledger gave, or null for anything that is no cursor of this list. */
export function readCursor(list: string, cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const next = text.slice(CHECK_LENGTH);
  return next !== '' && cursorOf(list, next) === cursor ? next : null;
}

const checkOf = (list: string, next: string): string =>
  createHash('sha256').update(`doorbuster cursor\n${list}\n${next}`).digest('base64url').slice(0, CHECK_LENGTH);
