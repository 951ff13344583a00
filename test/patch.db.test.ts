import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';

interface Operation {
  'x-plugin'?: string;
  requestBody?: { required?: boolean; content: Record<string, { schema: { $ref?: string } }> };
}

let till: Till;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  await fill(till, till.shop.a);
  await till.shop.settled(60);
});
afterAll(() => till?.stop());

/** Ids and names that may stand in a path, of every row that the shop has. */
async function rowsOfShop(): Promise<{ table: string; id: string; version: number | null }[]> {
  const { shop } = till;
  const tables = await shop.rows<{ name: string }>(
    `select c.table_name as name from information_schema.columns c
     join information_schema.columns t using (table_schema, table_name) join information_schema.columns v using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'id' and c.data_type = 'uuid' and t.column_name = 'tenant_id' and v.column_name = 'version'
     order by 1`,
  );
  const found = [];
  for (const { name } of tables)
    for (const row of await shop.rows<{ id: string; version: number }>(
      `select id, version from "${name}" where tenant_id = $1 order by id limit 3`,
      [shop.a.id],
    ))
      found.push({ table: name, ...row });
  for (const name of ['core_plan', 'core_niche_package', 'core_tenant'])
    for (const row of await shop.rows<{ id: string; version: number }>(`select id, version from "${name}" order by id limit 3`))
      found.push({ table: name, ...row });
  return found;
}

describe('a PATCH that names nothing', () => {
  it('changes nothing and answers with the thing as it stands, on every resource', async () => {
    const { shop } = till;
    const document = JSON.parse((await shop.a.guest.get('/openapi.json')).text) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const rows = await rowsOfShop();
    const faults: string[] = [];
    const answered = new Set<string>();
    for (const [path, item] of Object.entries(document.paths)) {
      const operation = item.patch;
      const operators = path.startsWith('/api/super-admin/');
      if (!operation || !(operators || path.startsWith('/api/admin/')) || !path.includes('{')) continue;
      const plugin = operators ? 'core' : (operation['x-plugin'] ?? '').replace(/-/g, '_');
      const caller = operators ? shop.operator : shop.a.admin;
      for (const { table, id } of rows.filter((row) => row.table.startsWith(`${plugin}_`))) {
        const audits = () => shop.rows<{ n: string }>('select count(*) as n from core_audit where entity_id = $1', [id]);
        const versions = () => shop.rows<{ version: number }>(`select version from "${table}" where id = $1`, [id]);
        const before = [await versions(), await audits()];
        const answer = await caller.patch(path.replace(/\{\w+\}/g, id), {});
        if (answer.status === 404) continue;
        // One command a request: its members are needed, and the document says so.
        if (operation.requestBody?.required && answer.status === 422) continue;
        const after = [await versions(), await audits()];
        if (answer.status === 200) answered.add(path);
        if (answer.status !== 200 && answer.status !== 409) faults.push(`${path}: ${answer.status} ${answer.text}`);
        else if (JSON.stringify(after) !== JSON.stringify(before))
          faults.push(`${path}: wrote ${JSON.stringify([before, after])}`);
      }
    }
    expect(faults).toEqual([]);
    expect(answered.size, [...answered].join(' ')).toBeGreaterThan(20);
  });
});
