/**
 * What a database server says about itself, for `doctor`: asked once, judged elsewhere. Each dialect asks in its own
 * words; here is what the answers mean.
 */
export interface DatabaseFacts {
  readonly product: 'PostgreSQL' | 'MySQL' | 'MariaDB';
  /** As the server says it. */
  readonly version: string;
  /** Major, minor, patch. */
  readonly numbers: readonly [number, number, number];
  /** The isolation of a transaction on a connection of ours. */
  readonly isolation: string;
  /** Settings on which "committed" rests, and what each must be; only what this server has. */
  readonly durability: readonly { readonly name: string; readonly value: string; readonly wanted: string }[];
  /** A log of statements instead of rows refuses our isolation. */
  readonly logsStatements: boolean;
  /** Several servers that all write: commits that were answered have been lost on such clusters. */
  readonly isMultiWriter: boolean;
  readonly isReadOnly: boolean;
  /** Servers that follow this one, and whether a commit waits for one of them; null where our account may not see it. */
  readonly followers: number | null;
  readonly waitsForFollower: boolean;
  /** The offset of our connections' time zone from UTC, minutes. */
  readonly zoneOffsetMinutes: number;
  /** This machine's clock minus the database's, milliseconds. */
  readonly skewMs: number;
  readonly missingRights: readonly string[];
  readonly connections: { readonly max: number; readonly used: number };
  readonly encoding: string;
  /** Id columns of an existing ledger that do not compare byte for byte. */
  readonly looseColumns: readonly string[];
  /** The schema's version; 0 where there is no ledger yet. */
  readonly schemaVersion: number;
  readonly knownVersion: number;
}

/** `10.11.19-MariaDB-...`, `15.18 (Debian ...)`, `8.0.36`. */
export function versionNumbers(version: string): [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
  return [major, minor, patch];
}

/** The columns that must compare byte for byte, as `table.column`. */
export const ID_COLUMNS: readonly string[] = [
  'sales.sale_id',
  'items.sku',
  'orders.order_id',
  'orders.buyer_id',
  'orders.buyer_key',
  'orders.idempotency_key',
  'buyers.buyer_key',
  'payments.payment_id',
];
