import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestShop, testShop } from '@storeloom/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProgram } from '../packages/cli/src/program.ts';

// `storeloom audit verify` on a shop whose log was changed with full database privileges.
let shop: TestShop;
let superuser: pg.Client;
const folder = mkdtempSync(join(tmpdir(), 'storeloom-audit-'));
const rows = 30;
beforeAll(async () => {
  shop = await testShop({ plugins: ['workspace', 'identity'] });
  for (let i = 0; i < rows; i++) await shop.a.admin.put('/api/admin/settings/store', { regNo: `J40/${i}` });
  await shop.b.admin.put('/api/admin/settings/store', { regNo: 'J12/1' });
  await shop.kernel.asPlatform('identity', async (ctx) => {
    const { anchorChains } = await import('../packages/core/src/audit/anchors.ts');
    await ctx.transaction((inner) => anchorChains(inner.db));
  });
  const url = new URL(process.env.TEST_SUPERUSER_URL as string);
  url.pathname = new URL(shop.prepared.ownerUrl).pathname;
  superuser = new pg.Client({ connectionString: url.toString() });
  await superuser.connect();
});
afterAll(async () => {
  await superuser?.end();
  await shop?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Said {
  faults: number;
  tenants: { slug: string; rows: number; anchors: number; faults: { position: number; id: string | null; fault: string }[] }[];
}
/** Runs the command as a shell would; gives what it printed and its exit code. */
async function storeloom(...args: string[]): Promise<{ code: number; out: string }> {
  const { write } = process.stdout;
  let out = '';
  process.stdout.write = ((text: string) => {
    out += text;
    return true;
  }) as typeof process.stdout.write;
  try {
    await createProgram().parseAsync(
      ['node', 'storeloom', ...args, '--data', shop.prepared.dataDir.path, '--database-url', shop.prepared.ownerUrl],
      { from: 'node' },
    );
    return { code: process.exitCode as number, out };
  } finally {
    process.stdout.write = write;
    process.exitCode = 0;
  }
}
const verify = async (...args: string[]): Promise<{ code: number } & Said> => {
  const { code, out } = await storeloom('audit', 'verify', '--json', ...args);
  return { code, ...(JSON.parse(out) as Said) };
};
/** Changes the log as only a superuser can, looks, and puts everything back. */
async function tampered<T>(statement: string, values: unknown[], look: () => Promise<T>): Promise<T> {
  await superuser.query('create table kept as table core_audit');
  try {
    await superuser.query(statement, values);
    return await look();
  } finally {
    await superuser.query('delete from core_audit');
    await superuser.query('insert into core_audit select * from kept');
    await superuser.query('drop table kept');
  }
}
const ofA = (said: Said) => said.tenants.find(({ slug }) => slug === 'a')?.faults;

it('reports all chains of an unmodified shop as intact', async () => {
  const said = await verify();
  expect(said).toMatchObject({ code: 0, faults: 0 });
  expect(said.tenants.find(({ slug }) => slug === 'a')).toMatchObject({ anchors: 1, faults: [] });
  expect(said.tenants.find(({ slug }) => slug === 'a')?.rows).toBeGreaterThanOrEqual(rows);
  expect((await storeloom('audit', 'verify')).out).toMatch(/^whole {2}a: \d+ rows, 1 anchors\n/m);
  expect((await storeloom('audit', 'verify', '--tenant', 'nobody')).code).toBe(1);
});

it('names the row that was changed, deleted or moved', async () => {
  const where = `tenant_id = $1 and position = $2`;
  const cases: [string, string][] = [
    [`update core_audit set changes = '{"before": null, "after": null}' where ${where}`, 'changed'],
    [`update core_audit set actor_id = gen_random_uuid()::text where ${where}`, 'changed'],
    [`update core_audit set at = at + interval '1 microsecond' where ${where}`, 'changed'],
    [`delete from core_audit where ${where}`, 'missing'],
  ];
  let named = 0;
  for (const [statement, fault] of cases)
    for (const position of [1, 7, rows]) {
      const said = await tampered(statement, [shop.a.id, position], () => verify('--tenant', 'a'));
      expect(said.code).toBe(3);
      expect(ofA(said)).toMatchObject([{ position, fault }]);
      named++;
    }
  const moved = await tampered(
    `update core_audit set position = case position when 5 then 6 else 5 end + 1000000 where tenant_id = $1 and position in (5, 6)`,
    [shop.a.id],
    async () => {
      await superuser.query('update core_audit set position = position - 1000000 where position > 1000000');
      return verify('--tenant', 'a');
    },
  );
  expect(ofA(moved)?.map(({ position }) => position)).toEqual([5, 6]);
  process.stderr.write(`audit verify: ${named + 1} of ${named + 1} changes named by row\n`);
});

it('finds a chain that was rewritten as a whole by its anchors, those of a file too', async () => {
  const { out } = await storeloom('audit', 'anchors');
  const file = join(folder, 'anchors.json');
  writeFileSync(file, out);
  const last = (await verify('--tenant', 'a')).tenants[0]?.rows as number;
  // What a forger could do: one row and every hash after it, and the head.
  const { auditHash } = await import('../packages/core/src/audit/audit.ts');
  const forge = async (): Promise<void> => {
    const { rows: chain } = await superuser.query(
      `select *, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as text from core_audit where tenant_id = $1 order by position`,
      [shop.a.id],
    );
    let prevHash = '0'.repeat(64);
    for (const row of chain) {
      if (Number(row.position) === 3) row.action = 'workspace.setting.invented';
      const hash = auditHash(prevHash, {
        tenantId: shop.a.id,
        id: row.id,
        position: Number(row.position),
        actorType: row.actor_type,
        actorId: row.actor_id,
        action: row.action,
        entity: row.entity,
        entityId: row.entity_id,
        changes: row.changes,
        ip: row.ip,
        requestId: row.request_id,
        at: row.text,
      });
      await superuser.query('update core_audit set action = $2, prev_hash = $3, hash = $4 where id = $1', [
        row.id,
        row.action,
        prevHash,
        hash,
      ]);
      prevHash = hash;
    }
    await superuser.query('update core_audit_head set hash = $2 where tenant_id = $1', [shop.a.id, prevHash]);
  };
  const before = await superuser.query('select hash from core_audit_head where tenant_id = $1', [shop.a.id]);
  const said = await tampered('select 1', [], async () => {
    await forge();
    const byTable = await verify('--tenant', 'a');
    await superuser.query('create table kept_anchor as table core_audit_anchor');
    await superuser.query('delete from core_audit_anchor');
    const alone = await verify('--tenant', 'a');
    const byFile = await verify('--tenant', 'a', '--anchors', file);
    await superuser.query('insert into core_audit_anchor select * from kept_anchor');
    await superuser.query('drop table kept_anchor');
    return { byTable, alone, byFile };
  });
  await superuser.query('update core_audit_head set hash = $2 where tenant_id = $1', [shop.a.id, before.rows[0].hash]);
  expect(ofA(said.byTable)).toMatchObject([{ position: last, fault: 'anchor' }]);
  // Without any anchor the forged chain agrees with itself: that is what the copies are for.
  expect(ofA(said.alone)).toEqual([]);
  expect(ofA(said.byFile)).toMatchObject([{ position: last, fault: 'anchor' }]);
  expect(await verify()).toMatchObject({ code: 0, faults: 0 });
  writeFileSync(file, '{"no": "anchors"}');
  expect((await storeloom('audit', 'verify', '--anchors', file)).code).toBe(2);
});
