/** The ledger's own keys in its SQLite file: read, and made where they are missing. */
import { KEY_NAMES, type KeyName, keysOf, type LedgerKeys, NEW_KEYS } from '../../ledger-keys.ts';
import type { Database } from './driver.ts';

export function loadKeys(db: Database, nowMs: number): LedgerKeys {
  const stored = KEY_NAMES.map((name) => [name, keep(db, name, nowMs)]);
  return keysOf(Object.fromEntries(stored) as Record<KeyName, string>);
}

function keep(db: Database, name: KeyName, nowMs: number): string {
  const find = () => db.prepare('SELECT value FROM keys WHERE name = ?').get(name) as { value: string } | undefined;
  const known = find();
  if (known !== undefined) return known.value;
  db.prepare('INSERT INTO keys (name, value, created_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(
    name,
    NEW_KEYS[name](),
    nowMs,
  );
  return (find() as { value: string }).value;
}
