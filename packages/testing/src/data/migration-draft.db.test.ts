import { draftMigration, missingColumns } from '@storeloom/migration-draft';
import { type AnyTable, definePlugin, f, table } from '@storeloom/plugin-sdk';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../index.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('create table core_tenant (id uuid primary key)');
  await client.query(`create function core_tenant_table(name text) returns void language sql as ''`);
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});
beforeEach(() => client.query('drop table if exists draft_night; drop table if exists draft_stay'));

const stay = table(
  'stay',
  {
    reference: f.text(),
    order: f.int().optional(),
    arrival: f.date(),
    opens: f.time(),
    rate: f.decimal(),
    total: f.money(),
    deposit: f.money().optional(),
    rooms: f.list(f.id()).default([]),
    at: f.instant().optional(),
    done: f.bool(),
    status: f.oneOf(['booked', "guest's"]),
    guestId: f.ref('customers.customer').optional(),
  },
  {
    softDelete: true,
    indexes: [{ fields: ['arrival', 'id'], where: "status = 'booked'" }, { fields: ['order'] }],
    uniques: [{ fields: ['reference'] }],
    checks: { total: 'total_amount >= 0' },
  },
);
const night = table('night', { stayId: f.ref('draft.stay'), day: f.date() }, { appendOnly: true });
const tables = [stay, night] as unknown as AnyTable[];
definePlugin({ name: 'draft', tables, locales: { ro: {}, en: {} } });
const draft = (): Promise<string> => draftMigration(database.url, tables);

describe('the draft of a migration', () => {
  it('makes new tables with tenant policies, and foreign keys with the tenant (trap 15)', async () => {
    const sql = await draft();
    expect(sql).toContain(`create table draft_stay (
  tenant_id uuid not null references core_tenant (id),
  id uuid not null,
  reference text not null,
  "order" integer,
  arrival date not null,`);
    expect(sql).toContain('total_amount bigint not null');
    expect(sql).toContain('deposit_currency char(3),');
    expect(sql).toContain('primary key (tenant_id, id)');
    expect(sql).toContain(`check (status in ('booked', 'guest''s'))`);
    expect(sql).toContain('foreign key (tenant_id, stay_id) references draft_stay (tenant_id, id)');
    expect(sql).toContain(
      `create index draft_stay_arrival_id_idx on draft_stay (tenant_id, arrival, id) where status = 'booked'`,
    );
    expect(sql).toContain('create index draft_stay_order_idx on draft_stay (tenant_id, "order")');
    expect(sql).toContain('create unique index draft_stay_reference_key on draft_stay (tenant_id, reference)');
    expect(sql.trim().split('\n').slice(-2)).toEqual([
      `select core_tenant_table('draft_stay');`,
      `select core_tenant_table('draft_night');`,
    ]);
  });

  it('runs, and leaves nothing to draft (trap 16)', async () => {
    await client.query(await draft());
    expect(await draft()).toBe('');
  });

  it('adds columns, keys and checks that are missing, and drops nothing', async () => {
    await client.query(await draft());
    await client.query(`alter table draft_stay drop column total_currency, drop column at, add column more text;
      drop index draft_stay_reference_key;
      alter table draft_stay alter column "order" set not null, alter column opens type text, drop constraint draft_stay_total_check;
      alter table draft_night drop column stay_id;
      create index draft_stay_own_idx on draft_stay (tenant_id, more);
      alter table draft_stay add constraint own check (more <> '')`);
    const lines = (await draft()).trim().split('\n').sort();
    expect(lines).toEqual(
      [
        'alter table draft_stay alter column "order" drop not null;',
        'alter table draft_stay alter column opens type time without time zone using opens::time without time zone;',
        'alter table draft_stay add column total_currency char(3) not null;',
        'alter table draft_stay add column at timestamptz;',
        'alter table draft_night add column stay_id uuid not null;',
        'create unique index draft_stay_reference_key on draft_stay (tenant_id, reference);',
        'alter table draft_stay add constraint draft_stay_total_check check (total_amount >= 0);',
        'alter table draft_night add constraint draft_night_tenant_id_stay_id_fkey foreign key (tenant_id, stay_id) references draft_stay (tenant_id, id);',
      ].sort(),
    );
  });

  it('names missing tables, and missing columns of tables that exist', async () => {
    const missing = async () => [...(await missingColumns(database.url, tables)).values()].flat();
    expect(await missing()).toEqual(['draft_stay', 'draft_night']);
    await client.query(await draft());
    expect(await missing()).toEqual([]);
    await client.query('alter table draft_stay drop column total_currency, drop column deleted_at');
    expect(await missing()).toEqual(['draft_stay.deleted_at', 'draft_stay.total_currency']);
  });

  it('refuses a key over a name that is no field', async () => {
    const wrong = table('wrong', { a: f.int() }, { uniques: [{ fields: ['b'] }] }) as unknown as AnyTable;
    definePlugin({ name: 'draft-wrong', tables: [wrong], locales: { ro: {}, en: {} } });
    await expect(draftMigration(database.url, [wrong])).rejects.toThrow('a key names b, which is no field');
  });
});
