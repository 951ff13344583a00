import { type AnyTable, definePlugin, f, table } from '@storeloom/plugin-sdk';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../index.ts';
import { keyFaults } from './keys.ts';

const fields = { code: f.text(), status: f.oneOf(['open', 'closed']) };
const openKey = { name: 'keyed_desk_open_key', fields: ['code'], where: "status in ('open', 'closed')" };
const codeIndex = { fields: ['code', 'id'] };
const reasons = { keyed_desk_lower_key: 'expression: the code is compared without regard to case' };

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`create table keyed_desk (tenant_id uuid, id uuid, code text, status text, primary key (tenant_id, id));
    create unique index keyed_desk_open_key on keyed_desk (tenant_id, code) where status in ('open', 'closed');
    create index keyed_desk_code_id_idx on keyed_desk (tenant_id, code, id);
    create unique index keyed_desk_lower_key on keyed_desk (tenant_id, lower(code))`);
  await client.end();
});
afterAll(() => database?.drop());

/** The faults of the table with these keys. */
function faults(keys: Parameters<typeof table>[2]): Promise<string[]> {
  const desk: AnyTable = table('desk', fields, keys);
  definePlugin({ name: 'keyed', tables: [desk], locales: { ro: {}, en: {} } });
  return keyFaults(database.url, [desk]);
}

describe('the comparison of declared keys with the schema', () => {
  it('finds nothing where each key is declared alike or named as SQL-only', async () => {
    expect(await faults({ uniques: [openKey], indexes: [codeIndex], sqlOnly: reasons })).toEqual([]);
  });

  it('finds a key that is neither declared nor SQL-only', async () => {
    expect(await faults({ uniques: [openKey], sqlOnly: reasons })).toEqual([
      'keyed_desk: keyed_desk_code_id_idx is neither declared nor named in sqlOnly: btree (tenant_id, code, id)',
    ]);
  });

  it.each([
    ['other columns', { uniques: [openKey], indexes: [{ name: 'keyed_desk_code_id_idx', fields: ['code', 'status'] }] }],
    ['another condition', { uniques: [{ ...openKey, where: "status = 'open'" }], indexes: [codeIndex] }],
    ['no condition', { uniques: [{ ...openKey, where: undefined }], indexes: [codeIndex] }],
    ['no uniqueness', { indexes: [openKey, codeIndex] }],
  ])('finds a declaration with %s', async (_, keys) => {
    expect(await faults({ ...keys, sqlOnly: reasons } as Parameters<typeof table>[2])).toEqual([
      expect.stringMatching(/is declared as .*, but the migration has /),
    ]);
  });

  it('finds SQL-only keys that do not exist, are declared too, or have no reason', async () => {
    const sqlOnly = { keyed_desk_lower_key: ' ', keyed_desk_gone_idx: 'removed', keyed_desk_code_id_idx: 'also declared' };
    expect(await faults({ uniques: [openKey], indexes: [codeIndex], sqlOnly })).toEqual([
      'keyed_desk: sqlOnly gives no reason for keyed_desk_lower_key',
      'keyed_desk: sqlOnly names keyed_desk_gone_idx, which does not exist',
      'keyed_desk: keyed_desk_code_id_idx is declared and named in sqlOnly',
    ]);
  });
});
