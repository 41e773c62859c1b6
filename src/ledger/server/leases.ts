/**
 * Leases: which process does a piece of background work. Kept in the ledger, by the database's clock. Each change of
 * hands makes the fence one larger; what a holder does carries its fence, and the batch that would do it looks at the
 * lease again, under a lock, so that a process that slept through its lease acts no more (SIGSTOP, then SIGCONT).
 *
 *   free      nobody, or the holder's time is up                           → held (whoever asks first, fence + 1)
 *   held      renewed by its holder long before the end                    → free (released, or not renewed in time)
 */
import type { Act } from '../../core/act.ts';
import type { Fence, Leases } from '../../core/books.ts';
import type { Dialect, Session } from './session.ts';
import { inTransaction, type TransactionParts } from './transaction.ts';

interface Row {
  readonly holder: string | null;
  readonly fence: number;
  readonly untilMs: number;
  readonly nowMs: number;
}

export function createLeases(parts: TransactionParts & { readonly dialect: Dialect }): Leases {
  const { dialect } = parts;
  const locked = async (session: Session, name: string): Promise<Row> => {
    const sql = `SELECT holder AS "holder", fence AS "fence", until_ms AS "untilMs" FROM leases WHERE name = ? FOR UPDATE`;
    const [row] = await session.rows<Omit<Row, 'nowMs'>>(sql, [name]);
    if (row === undefined) throw new Error(`the schema has no lease ${name}`);
    const [clock] = await session.rows<{ nowMs: number }>(`SELECT ${dialect.nowMs} AS "nowMs"`);
    return { ...row, nowMs: Number(clock?.nowMs) };
  };
  const set = (session: Session, name: string, holder: string | null, fence: number, untilMs: number) =>
    session.run('UPDATE leases SET holder = ?, fence = ?, until_ms = ? WHERE name = ?', [holder, fence, untilMs, name]);

  return {
    take: (name, holder, seconds) =>
      inTransaction(parts, async (session) => {
        const lease = await locked(session, name);
        const isOurs = lease.holder === holder && lease.untilMs > lease.nowMs;
        if (!isOurs && lease.holder !== null && lease.untilMs > lease.nowMs) return { value: null, commit: false };
        const fence = isOurs ? lease.fence : lease.fence + 1;
        await set(session, name, holder, fence, lease.nowMs + seconds * 1000);
        return { value: { lease: name, fence }, commit: true };
      }),
    release: (fence, holder) =>
      inTransaction(parts, async (session) => {
        const lease = await locked(session, fence.lease);
        const isOurs = lease.holder === holder && lease.fence === fence.fence;
        if (isOurs) await set(session, fence.lease, null, lease.fence, 0);
        return { value: undefined, commit: isOurs };
      }),
  };
}

const fenceOf = (act: Act): Fence | undefined => ('fence' in act ? act.fence : undefined);

/** The acts whose lease has gone to another; the leases of the others stay as they are until the transaction ends. */
export async function lostFences(session: Session, dialect: Dialect, acts: readonly Act[]): Promise<Set<Act>> {
  const lost = new Set<Act>();
  const names = new Set(acts.flatMap((act) => fenceOf(act)?.lease ?? []));
  for (const name of names) {
    const sql = `SELECT fence AS "fence" FROM leases WHERE name = ? AND until_ms > ${dialect.nowMs} ${dialect.shareLock}`;
    const [row] = await session.rows<{ fence: number }>(sql, [name]);
    for (const act of acts) {
      const fence = fenceOf(act);
      if (fence?.lease === name && fence.fence !== row?.fence) lost.add(act);
    }
  }
  return lost;
}
