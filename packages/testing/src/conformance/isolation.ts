import type { CompiledRoute } from '@storeloom/core/internal';
import { uuidv7 } from '@storeloom/plugin-sdk';
import type { TestShop } from '../shop/shop.ts';

const idParameter = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);

/** Tables that have the columns, without the partitions of others. The views of `information_schema` take a hundred times as long. */
async function tablesWith(shop: TestShop, columns: readonly string[]): Promise<string[]> {
  const tables = await shop.rows<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attname = any($1) and (a.attname <> 'id' or a.atttypid = 'uuid'::regtype)
     group by c.relname having count(*) = $2 order by 1`,
    [columns, columns.length],
  );
  return tables.map(({ name }) => name);
}

/** Ids of a tenant's rows: so many of each of the plugin's tables, and where that makes fewer than `least`, of everybody's. */
async function idsOf(
  shop: TestShop,
  tenantId: string,
  plugin: string,
  { each, least }: { each: number; least: number },
): Promise<string[]> {
  const own = `${plugin.replace(/-/g, '_')}_`;
  const tables = await tablesWith(shop, ['id', 'tenant_id']);
  const ids = new Set<string>();
  const add = async (table: string, limit: number): Promise<void> => {
    const rows = await shop.rows<{ id: string }>(`select id from "${table}" where tenant_id = $1 order by id limit $2`, [
      tenantId,
      limit,
    ]);
    for (const { id } of rows) ids.add(id);
  };
  for (const table of tables) if (table.startsWith(own)) await add(table, each);
  for (const table of tables) if (ids.size < least && !table.startsWith(own)) await add(table, least - ids.size);
  return [...ids];
}

/** Tables that every request writes, and `search_word`, which a delayed job counts again from `search_document`. */
const always = new Set(['core_audit', 'core_audit_head', 'core_idempotency', 'identity_session', 'core_switch', 'search_word']);

/** A checksum of everything that a tenant owns. */
export async function fingerprint(shop: TestShop, tenantId: string): Promise<Map<string, string>> {
  const tables = (await tablesWith(shop, ['tenant_id'])).filter((name) => !always.has(name));
  const sums = await shop.rows<{ name: string; sum: string | null }>(
    tables
      .map(
        (name) =>
          `select '${name}' as name, md5(string_agg(t::text, '|' order by t::text)) as sum from "${name}" t where tenant_id = $1`,
      )
      .join(' union all '),
    [tenantId],
  );
  return new Map(sums.map(({ name, sum }) => [name, sum ?? '']));
}

/** Result of `isolationFaults`. */
export interface IsolationReport {
  /** Number of requests sent. */
  probes: number;
  /** Responses that differ from those to an unknown id, or that the caller must not get. */
  faults: string[];
}

/**
 * Every mounted route of a plugin with id parameters × ids of the other tenant's rows: the answer must be the one that an unknown id gets,
 * and nothing of the other tenant may change. Generated from the route table, so that it covers plugins not yet written.
 * `each`: ids of every table of the plugin; `least`: ids that each route is tried with, others' too.
 */
export async function isolationFaults(
  shop: TestShop,
  plugin: string,
  { each = 5, least = 0 }: { each?: number; least?: number } = {},
): Promise<IsolationReport> {
  const { a, b, kernel } = shop;
  const foreign = await idsOf(shop, b.id, plugin, { each, least });
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
