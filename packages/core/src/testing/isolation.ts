import { uuidv7 } from '@storeloom/plugin-sdk';
import type { CompiledRoute } from '../http/routes.ts';
import type { TestShop } from './shop.ts';

const idParameter = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);

/** Ids of a tenant's rows, by table. */
async function idsOf(shop: TestShop, tenantId: string, plugin: string, each: number): Promise<string[]> {
  const prefix = plugin.replace(/-/g, '_');
  const tables = await shop.rows<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.columns t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'id' and c.data_type = 'uuid' and t.column_name = 'tenant_id' and c.table_name like $1`,
    [`${prefix}\\_%`],
  );
  const ids: string[] = [];
  for (const { name } of tables)
    ids.push(
      ...(
        await shop.rows<{ id: string }>(`select id from "${name}" where tenant_id = $1 order by id limit $2`, [tenantId, each])
      ).map((row) => row.id),
    );
  return ids;
}

/** A checksum of everything that a tenant owns. */
export async function fingerprint(shop: TestShop, tenantId: string): Promise<Map<string, string>> {
  const tables = await shop.rows<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'
       and table_name not in ('core_audit', 'core_audit_head', 'core_idempotency', 'identity_session', 'core_switch') order by 1`,
  );
  const sums = new Map<string, string>();
  for (const { name } of tables) {
    const [row] = await shop.rows<{ sum: string | null }>(
      `select md5(string_agg(t::text, '|' order by t::text)) as sum from "${name}" t where tenant_id = $1`,
      [tenantId],
    );
    sums.set(name, row?.sum ?? '');
  }
  return sums;
}

export interface IsolationReport {
  probes: number;
  /** Answers that differ from those to an unknown id, or that a caller should not have had. */
  faults: string[];
}

/**
 * Every mounted route of a plugin with id parameters × ids of the other tenant's rows: the answer must be the one that an unknown id gets,
 * and nothing of the other tenant may change. Generated from the route table, so that it covers plugins not yet written.
 * `each`: ids of every table.
 */
export async function isolationFaults(
  shop: TestShop,
  plugin: string,
  { each = 5 }: { each?: number } = {},
): Promise<IsolationReport> {
  const { a, b, kernel } = shop;
  const foreign = await idsOf(shop, b.id, plugin, each);
  const before = await fingerprint(shop, b.id);
  const customer = await a.customer();
  const report: IsolationReport = { probes: 0, faults: [] };
  const routes = (kernel.routes as readonly CompiledRoute[]).filter(
    (route) =>
      route.plugin === plugin &&
      (route.family === 'admin' || route.family === 'storefront') &&
      idParameter(route.path).length > 0 &&
      !route.path.startsWith('/api/v1'),
  );
  for (const route of routes) {
    const callers = route.family === 'admin' ? [a.admin] : [a.guest, customer];
    for (const caller of callers) {
      const ask = async (id: string): Promise<{ status: number; code: unknown; text: string }> => {
        const path = route.path.replace(/\{(\w+)\}/g, () => id);
        const body = route.route.method === 'GET' || route.route.method === 'DELETE' ? {} : { body: {} };
        const response = await caller.call(route.route.method, path, body);
        report.probes++;
        return { status: response.status, code: (response.body as { code?: unknown }).code, text: response.text };
      };
      const unknown = await ask(uuidv7());
      if (unknown.status >= 500 && unknown.status !== 501)
        report.faults.push(`${route.route.method} ${route.path}: ${unknown.status} for an unknown id`);
      for (const id of foreign) {
        const answer = await ask(id);
        if (answer.status !== unknown.status || answer.code !== unknown.code)
          report.faults.push(
            `${route.route.method} ${route.path}: ${answer.status} ${String(answer.code)} for another tenant's id, ${unknown.status} ${String(unknown.code)} for an unknown one`,
          );
        if (answer.status < 300 && route.route.method !== 'GET')
          report.faults.push(`${route.route.method} ${route.path}: ${answer.status} for another tenant's id`);
      }
    }
  }
  const after = await fingerprint(shop, b.id);
  for (const [table, sum] of after) if (before.get(table) !== sum) report.faults.push(`${table} of the other tenant changed`);
  return report;
}
