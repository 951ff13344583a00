import type { Readable } from 'node:stream';
import type { TableCount } from './record.ts';

const newline = 10;
const tab = 9;

/** Column names of a COPY statement's list. */
const columnsOf = (list: string): string[] => [...list.matchAll(/"(?:[^"]|"")*"|[^,\s]+/g)].map(([name]) => name);

/**
 * Counts the rows of a dump by table and tenant, from the SQL that `pg_restore` prints. It decodes all data without a server, but proves
 * neither constraints nor indexes: a restore does.
 */
export async function countDumpedRows(sql: Readable): Promise<TableCount[]> {
  const counts = new Map<string, TableCount>();
  let current: { count: TableCount; tenantAt: number } | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const take = (line: Buffer): void => {
    if (!current) {
      if (!line.subarray(0, 5).equals(copyHead)) return;
      const match = /^COPY (.+?) \((.*)\) FROM stdin;$/.exec(line.toString());
      if (!match) return;
      const [, table = '', list = ''] = match;
      const tenantAt = columnsOf(list).indexOf('tenant_id');
      const count: TableCount = { table, rows: 0, tenants: tenantAt < 0 ? null : {} };
      counts.set(table, count);
      current = { count, tenantAt };
      return;
    }
    if (line.length === 2 && line[0] === 92 && line[1] === 46) {
      current = undefined;
      return;
    }
    const { count, tenantAt } = current;
    count.rows++;
    if (!count.tenants) return;
    let start = 0;
    for (let column = 0; column < tenantAt; column++) start = line.indexOf(tab, start) + 1;
    const end = line.indexOf(tab, start);
    const value = line.toString('latin1', start, end < 0 ? line.length : end);
    const tenant = value === '\\N' ? '' : value;
    count.tenants[tenant] = (count.tenants[tenant] ?? 0) + 1;
  };
  for await (const chunk of sql) {
    const data: Buffer = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
      take(data.subarray(start, end));
      start = end + 1;
    }
    rest = data.subarray(start);
  }
  return [...counts.values()];
}
const copyHead = Buffer.from('COPY ');
