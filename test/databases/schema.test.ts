/**
 * The schema of each dialect as the database itself describes it, in docs/schema: a change to it is seen in review, and
 * none comes about unseen. `UPDATE_SCHEMA=1 npx vitest run test/databases/schema.test.ts` writes the files anew.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openLedgerFile } from '../field/support/ledger-file.ts';
import type { DatabaseKind } from '../support/database.ts';
import { newFolder, startServer } from '../support/server.ts';
import { KINDS, onEachDatabase } from './support/each-database.ts';
import { endServersAtTheEnd, startOn, stopAll } from './support/shop.ts';

const folder = path.join(import.meta.dirname, '../../docs/schema');
const HEAD =
  'The schema as the database describes it. Written by: UPDATE_SCHEMA=1 npx vitest run test/databases/schema.test.ts';

const ASK: Readonly<Record<DatabaseKind, string>> = {
  postgres: `
    SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || coalesce(' COLLATE ' || collation_name, '')
      || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END || coalesce(' DEFAULT ' || column_default, '')
      || coalesce(' AS ' || generation_expression, '') || CASE is_identity WHEN 'YES' THEN ' IDENTITY' ELSE '' END
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position;
    SELECT 'constraint ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n' ORDER BY conrelid::regclass::text COLLATE "C", pg_get_constraintdef(oid) COLLATE "C";
    SELECT 'index ' || tablename || ': ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
    ORDER BY tablename COLLATE "C", indexdef COLLATE "C";
    SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname;`,
  mariadb: `
    SELECT concat('column ', table_name, '.', column_name, ' ', column_type, ifnull(concat(' COLLATE ', collation_name), ''),
      if(is_nullable = 'NO', ' NOT NULL', ''), ifnull(concat(' DEFAULT ', column_default), ''),
      if(extra = '', '', concat(' ', extra)), ifnull(concat(' AS ', generation_expression), ''))
    FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position;
    SELECT concat('check ', table_name, '.', constraint_name, ': ', check_clause)
    FROM information_schema.check_constraints WHERE constraint_schema = DATABASE() ORDER BY table_name, constraint_name;
    SELECT concat('index ', table_name, '.', index_name, ' (', group_concat(column_name ORDER BY seq_in_index SEPARATOR ', '), ')',
      if(non_unique = 0, ' UNIQUE', ''))
    FROM information_schema.statistics WHERE table_schema = DATABASE()
    GROUP BY table_name, index_name, non_unique ORDER BY table_name, index_name;
    SELECT concat('foreign key ', table_name, '.', constraint_name, ' to ', referenced_table_name)
    FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE() ORDER BY table_name, constraint_name;`,
};

function expectAsWritten(dialect: string, dump: string): void {
  const file = path.join(folder, `${dialect}.txt`);
  const text = `${HEAD}\n\n${dump.trim()}\n`;
  if (process.env.UPDATE_SCHEMA === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

endServersAtTheEnd();

it('SQLite', async () => {
  const data = newFolder();
  await (await startServer({ data })).stop();
  const ledger = await openLedgerFile(data, { readOnly: true });
  const rows = ledger
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name")
    .all();
  ledger.close();
  rmSync(data, { recursive: true, force: true });
  expectAsWritten('sqlite', rows.map(({ sql }) => `${String(sql)};`).join('\n\n'));
});

const FILE_OF: Readonly<Record<DatabaseKind, string>> = { postgres: 'postgres', mariadb: 'mysql' };

onEachDatabase((kind, database) => {
  it('is as written; a column more is seen', async () => {
    const db = await database();
    const url = db.create();
    await stopAll([await startOn(url)]);
    expectAsWritten(FILE_OF[kind], db.ask(ASK[kind], url));
    db.ask('ALTER TABLE orders ADD COLUMN planted bigint', url);
    expect(db.ask(ASK[kind], url)).toContain('column orders.planted bigint');
  });
});

it('every dialect has its file', () => {
  for (const name of ['sqlite', ...KINDS.map((kind) => FILE_OF[kind])])
    expect(readFileSync(path.join(folder, `${name}.txt`), 'utf8')).toContain('orders');
});
