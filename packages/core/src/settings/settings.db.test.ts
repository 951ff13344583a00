import type { Tx } from '@storeloom/data';
import { type Actor, type AuditEntry, type Ctx, f, Problem, type Shape, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CoreDatabase, coreDatabase } from '../../test/core-database.ts';
import type { LoadedPlugin } from '../plugins/registry.ts';
import { createSettings, type SettingsService } from './settings.ts';

const shape = {
  autoApprove: f.bool().default(false).store(),
  days: f.int({ min: 1, max: 60 }).default(14),
  title: f.text({ max: 40 }).translatable().optional(),
  key: f.secret().optional(),
  limit: f.money().optional(),
  accounts: f.list(f.object({ user: f.text(), secret: f.secret() }), { max: 5 }).default([]),
  customerId: f.ref('people.person').optional(),
  syncedAt: f.instant().optional().readonly(),
  cursor: f.text().optional().hidden().readonly(),
  margin: f.int().default(3).sensitive('shop.margin.read'),
} satisfies Shape;

const tagged = {
  codes: f
    .list(f.text())
    .check((codes) => (new Set(codes).size < codes.length ? [{ code: 'duplicate', message: 'is duplicated' }] : []))
    .default([]),
} satisfies Shape;

const loaded = (name: string, settings: Shape | undefined): LoadedPlugin =>
  ({ manifest: { name }, plugin: settings ? { settings } : {} }) as unknown as LoadedPlugin;
const registry = {
  loaded: [
    loaded('shop', shape),
    loaded('gift-cards', { days: f.int().default(365).store() }),
    loaded('bare', undefined),
    loaded('tagged', tagged),
    loaded('workspace', { allowedOrigins: f.list(f.url()).default([]) }),
  ],
};

let core: CoreDatabase;
let settings: SettingsService;
let tenant: string;
const warned: unknown[] = [];
const changed: string[] = [];
const off = new Set<string>();
const make = (unseal = (sealed: string): string => open(sealed)): SettingsService =>
  createSettings({
    registry,
    seal: (text) => `sealed:${Buffer.from(text).toString('base64')}`,
    unseal,
    onChange: (id) => changed.push(id),
    warn: (fields) => warned.push(fields),
  });
function open(sealed: string): string {
  if (!sealed.startsWith('sealed:')) throw new Error('not sealed by us');
  return Buffer.from(sealed.slice(7), 'base64').toString();
}

beforeAll(async () => {
  core = await coreDatabase();
});
afterAll(() => core.close());
beforeEach(async () => {
  settings = make();
  tenant = await core.tenant(`t-${uuidv7()}`);
  warned.length = changed.length = 0;
  off.clear();
});

interface Unit {
  ctx: Ctx;
  audits: AuditEntry[];
}
const locales = { defaultLocale: 'ro', locales: ['ro', 'en'] };
function unit(tx: Tx, id: string, permissions: readonly string[] = []): Unit {
  const audits: AuditEntry[] = [];
  const actor: Actor = { type: 'staff', userId: uuidv7(), can: (permission) => permissions.includes(permission) };
  const ctx = {
    tenant: { id, ...locales },
    actor,
    db: tx.db,
    clock: { now: () => new Date().toISOString(), ms: () => Date.now() },
    isOn: (plugin: string) => !off.has(plugin),
    can: (permission: string) => permissions.includes(permission),
    audit: async (entry: AuditEntry) => void audits.push(entry),
    onCommit: (fn: () => void) => void tx.onCommit.push(fn),
    entities: { find: () => undefined, referrers: () => [] },
  } as unknown as Ctx;
  return { ctx, audits };
}
const work = <T>(fn: (unit: Unit, tx: Tx) => Promise<T>, { id = tenant, permissions = [] as string[] } = {}): Promise<T> =>
  core.database.withTenant(id, (tx) => fn(unit(tx, id, permissions), tx));
const load = (service = settings, id = tenant): Promise<void> =>
  core.database.withTenant(id, (tx) => service.load(tx.db, id), { readOnly: true });
const save = (values: Record<string, unknown>, service = settings): Promise<AuditEntry[]> =>
  work(async ({ ctx, audits }) => {
    await service.save(ctx, 'shop', values);
    return audits;
  });
async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Problem)) throw error ?? new Error('nothing was thrown');
  return error;
}
const row = (): Promise<{ values: Record<string, unknown>; version: number } | undefined> =>
  core.database.withTenant(tenant, (tx) => tx.db.first(sql`select "values", version from core_setting where plugin = 'shop'`));

test('defaults before anything is stored; merged values afterwards; frozen', async () => {
  await load();
  expect(settings.of(tenant, 'shop', shape)).toEqual({
    autoApprove: false,
    days: 14,
    title: null,
    key: null,
    limit: null,
    accounts: [],
    customerId: null,
    syncedAt: null,
    cursor: null,
    margin: 3,
  });
  await save({ days: 30, title: 'Magazin' });
  await save({ limit: { amount: 5, currency: 'RON' } });
  await load();
  const now = settings.of(tenant, 'shop', shape);
  expect(now).toMatchObject({ days: 30, title: { ro: 'Magazin' }, limit: { amount: 5, currency: 'RON' }, autoApprove: false });
  expect(Object.isFrozen(now) && Object.isFrozen(now.limit) && Object.isFrozen(now.accounts)).toBe(true);
  expect(settings.of(tenant, 'shop', shape)).toBe(now);
  expect(changed).toEqual([tenant, tenant]);
});

test('secrets are sealed at rest, in clear for the plugin, and masked for everybody else', async () => {
  await save({ key: 'live-key-0123456789', accounts: [{ user: 'ana', secret: 'first-secret-1111' }] });
  const stored = JSON.stringify(await row());
  expect(stored).not.toContain('live-key');
  expect(stored).not.toContain('first-secret');
  await load();
  expect(settings.of(tenant, 'shop', shape)).toMatchObject({
    key: 'live-key-0123456789',
    accounts: [{ user: 'ana', secret: 'first-secret-1111' }],
  });
  const shown = await work(({ ctx }) => settings.registry.ofPlugin(ctx, 'shop'));
  expect(shown?.settings).toMatchObject({ key: '••••6789', accounts: [{ user: 'ana', secret: '••••1111' }] });
  expect(JSON.stringify(await work(({ ctx }) => settings.registry.all(ctx)))).not.toMatch(/live-key|first-secret/);
});

test('a mask sent back changes nothing, a new secret replaces, null clears, a strange mask is refused', async () => {
  await save({ key: 'live-key-0123456789', accounts: [{ user: 'ana', secret: 'first-secret-1111' }] });
  const put = (values: Record<string, unknown>): Promise<void> =>
    work(({ ctx }) => settings.registry.putPlugin(ctx, 'shop', values));
  await put({ key: '••••6789' });
  expect((await row())?.version).toBe(1);
  await put({ key: '••••6789', accounts: [{ user: 'eva', secret: '••••1111' }] });
  await load();
  expect(settings.of(tenant, 'shop', shape)).toMatchObject({
    key: 'live-key-0123456789',
    accounts: [{ user: 'eva', secret: 'first-secret-1111' }],
  });
  const strange = await problemOf(put({ accounts: [{ user: 'eva', secret: '••••9999' }] }));
  expect(strange.code).toBe('validation_failed');
  expect(strange.extra.errors?.[0]?.pointer).toBe('/settings/accounts/0/secret');
  await put({ key: 'other-key-9876543210' });
  await put({ accounts: [] });
  await load();
  expect(settings.of(tenant, 'shop', shape)).toMatchObject({ key: 'other-key-9876543210', accounts: [] });
  await put({ key: null });
  await load();
  expect(settings.of(tenant, 'shop', shape).key).toBeNull();
});

test('a change is audited once, by changed members, without a character of a secret', async () => {
  expect(await save({ days: 20, key: 'live-key-0123456789' })).toEqual([
    { entity: 'core.setting', entityId: 'shop', before: { days: 14, key: null }, after: { days: 20, key: '[secret]' } },
  ]);
  expect(await save({ days: 20, key: 'other-key-9876543210' })).toEqual([
    { entity: 'core.setting', entityId: 'shop', before: { key: '[secret]' }, after: { key: '[changed secret]' } },
  ]);
  expect(await save({ days: 20 })).toEqual([]);
  expect((await row())?.version).toBe(2);
});

test('what a job of the plugin keeps there is not audited', async () => {
  const audits = await work(async ({ ctx, audits }) => {
    await settings.save({ ...ctx, actor: { type: 'system', reason: 'job' } } as Ctx, 'shop', { cursor: 'c2' });
    return audits;
  });
  expect(audits).toEqual([]);
  expect((await row())?.values).toEqual({ cursor: 'c2' });
});

test('by key: value, schema, version; faults point at /value', async () => {
  const { get, put, all } = settings.registry;
  expect(await work(({ ctx }) => get(ctx, 'shop.days'))).toEqual({
    key: 'shop.days',
    value: 14,
    schema: { type: 'integer', minimum: 1, maximum: 60, default: 14 },
    version: 0,
    store: false,
  });
  expect(await work(({ ctx }) => put(ctx, 'shop.days', 21, 0))).toMatchObject({ value: 21, version: 1 });
  expect((await problemOf(work(({ ctx }) => put(ctx, 'shop.days', 22, 0)))).code).toBe('version_conflict');
  const fault = await problemOf(work(({ ctx }) => put(ctx, 'shop.days', 99)));
  expect(fault.code).toBe('validation_failed');
  expect(fault.extra.errors).toMatchObject([{ pointer: '/value', code: 'too_big' }]);
  expect((await problemOf(work(({ ctx }) => put(ctx, 'shop.days', null)))).code).toBe('validation_failed');
  expect((await problemOf(work(({ ctx }) => put(ctx, 'shop.limit', { amount: 1.5, currency: 'RON' })))).code).toBe(
    'money_invalid',
  );
  expect((await problemOf(work(({ ctx }) => put(ctx, 'shop.syncedAt', '2026-11-27T20:12:00Z')))).extra.errors).toMatchObject([
    { pointer: '/value' },
  ]);
  expect((await problemOf(work(({ ctx }) => put(ctx, 'shop.customerId', uuidv7())))).extra).toMatchObject({
    errors: [{ pointer: '/value', code: 'not_found' }],
  });
  expect((await problemOf(work(({ ctx }) => put(ctx, 'shop.title', { en: 'Shop' })))).extra.errors).toMatchObject([
    { pointer: '/value/ro' },
  ]);
  for (const key of ['shop.nothing', 'nobody.days', 'days', 'shop.cursor', 'shop.__proto__', 'bare.x']) {
    expect(await work(({ ctx }) => get(ctx, key)), key).toBeUndefined();
    expect((await problemOf(work(({ ctx }) => put(ctx, key, 1)))).code, key).toBe('not_found');
  }
  expect((await row())?.values).toEqual({ days: 21 });
  const keys = (await work(({ ctx }) => all(ctx))).map((entry) => entry.key);
  expect(keys).toEqual([
    'shop.autoApprove',
    'shop.days',
    'shop.title',
    'shop.key',
    'shop.limit',
    'shop.accounts',
    'shop.customerId',
    'shop.syncedAt',
    'shop.margin',
    'gift-cards.days',
    'tagged.codes',
    'workspace.allowedOrigins',
  ]);
});

test('a plugin that is off has no keys, yet its settings can be prepared', async () => {
  off.add('shop');
  expect(await work(({ ctx }) => settings.registry.get(ctx, 'shop.days'))).toBeUndefined();
  expect((await work(({ ctx }) => settings.registry.all(ctx))).some((entry) => entry.key.startsWith('shop.'))).toBe(false);
  await work(({ ctx }) => settings.registry.putPlugin(ctx, 'shop', { days: 5 }));
  const shown = await work(({ ctx }) => settings.registry.ofPlugin(ctx, 'shop'));
  expect(shown).toMatchObject({
    version: 1,
    settings: { days: 5 },
    schema: {
      properties: { days: { maximum: 60 }, key: { anyOf: [{ format: 'password' }, { type: 'null' }] } },
      additionalProperties: false,
    },
  });
  expect(await work(({ ctx }) => settings.registry.ofPlugin(ctx, 'bare'))).toEqual({
    settings: {},
    schema: expect.objectContaining({ properties: {} }),
    version: 0,
  });
  expect(await work(({ ctx }) => settings.registry.ofPlugin(ctx, 'nobody'))).toBeUndefined();
  expect(settings.registry.storeFields()).toEqual([
    { plugin: 'shop', name: 'autoApprove' },
    { plugin: 'gift-cards', name: 'days' },
  ]);
});

test('all or nothing: one bad member, an unknown one, or one that only the plugin sets', async () => {
  for (const [values, pointer] of [
    [{ days: 5, autoApprove: 'yes' }, '/settings/autoApprove'],
    [{ days: 5, more: 1 }, '/settings/more'],
    [{ days: 5, syncedAt: '2026-11-27T20:12:00Z' }, '/settings/syncedAt'],
  ] as const) {
    const fault = await problemOf(work(({ ctx }) => settings.registry.putPlugin(ctx, 'shop', values)));
    expect(fault.extra.errors).toMatchObject([{ pointer }]);
  }
  expect(await row()).toBeUndefined();
  await save({ syncedAt: '2026-11-27T22:12:00+02:00', cursor: 'c1' });
  await load();
  expect(settings.of(tenant, 'shop', shape)).toMatchObject({ syncedAt: '2026-11-27T20:12:00.000Z', cursor: 'c1' });
});

test('a sensitive setting is null without the permission, and may not be written', async () => {
  const margin = (permissions: string[]): Promise<unknown> =>
    work(async ({ ctx }) => (await settings.registry.get(ctx, 'shop.margin'))?.value, { permissions });
  expect(await margin([])).toBeNull();
  expect(await margin(['shop.margin.read'])).toBe(3);
  expect((await problemOf(work(({ ctx }) => settings.registry.put(ctx, 'shop.margin', 9)))).extra).toMatchObject({
    permission: 'shop.margin.read',
  });
  expect((await problemOf(work(({ ctx }) => settings.registry.putPlugin(ctx, 'shop', { margin: 9 })))).code).toBe('forbidden');
});

test('a transaction sees what it saved, others after the commit, and none after a rollback', async () => {
  await load();
  await work(async ({ ctx }, tx) => {
    await settings.save(ctx, 'shop', { days: 41 });
    expect(settings.of(tenant, 'shop', shape, tx.db).days).toBe(41);
    expect(settings.of(tenant, 'shop', shape).days).toBe(14);
  });
  await load();
  expect(settings.of(tenant, 'shop', shape).days).toBe(41);
  await expect(
    work(async ({ ctx }) => {
      await settings.save(ctx, 'shop', { days: 42 });
      throw new Error('too late');
    }),
  ).rejects.toThrow('too late');
  await load();
  expect(settings.of(tenant, 'shop', shape).days).toBe(41);
  expect(changed).toEqual([tenant]);
});

test('another process is notified on commit, and uses the old values until it has read the new ones', async () => {
  const other = make();
  await load(other);
  const listener = await core.database.pool.connect();
  const heard = new Promise<string | undefined>((resolve) => listener.once('notification', ({ payload }) => resolve(payload)));
  await listener.query('listen storeloom_tenant');
  await save({ days: 33 });
  expect(await heard).toBe(tenant);
  await listener.query('unlisten *');
  listener.release();
  await load(other);
  expect(other.of(tenant, 'shop', shape).days).toBe(14);
  other.invalidate(tenant);
  expect(other.of(tenant, 'shop', shape).days).toBe(14);
  await load(other);
  expect(other.of(tenant, 'shop', shape).days).toBe(33);
});

test('a read that a change overtakes is not taken for fresh', async () => {
  let reads = 0;
  await core.database.withTenant(tenant, async (tx) => {
    const db = {
      ...tx.db,
      rows: async <R>(statement: never): Promise<R[]> => {
        const rows = await tx.db.rows<R>(statement);
        if (++reads === 1) {
          await core.database.pool.query('select 1');
          settings.invalidate(tenant);
        }
        return rows;
      },
    } as unknown as Tx['db'];
    await settings.load(db, tenant);
    await settings.load(db, tenant);
  });
  expect(reads).toBe(2);
});

test('parallel writers of different members lose nothing, of one version exactly one wins', async () => {
  await Promise.all([save({ days: 2 }), save({ autoApprove: true }), save({ key: 'live-key-0123456789' }), save({ title: 'T' })]);
  await load();
  expect(settings.of(tenant, 'shop', shape)).toMatchObject({
    days: 2,
    autoApprove: true,
    key: 'live-key-0123456789',
    title: { ro: 'T' },
  });
  expect((await row())?.version).toBe(4);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) => work(({ ctx }) => settings.registry.put(ctx, 'shop.days', 40 + i, 4))),
  );
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'version_conflict' });
});

test('tenants are apart', async () => {
  const other = await core.tenant(`o-${uuidv7()}`);
  await save({ days: 50 });
  await load(settings, other);
  expect(settings.of(other, 'shop', shape).days).toBe(14);
  await expect(
    work(({ ctx }) => settings.save({ ...ctx, tenant: { ...ctx.tenant, id: other } } as Ctx, 'shop', { days: 1 })),
  ).rejects.toMatchObject({ code: '42501' });
  expect(() => make().of(tenant, 'shop', shape)).toThrow('were not loaded');
});

test('a stored value that no longer fits, or whose key is gone, gives way to the default and is reported', async () => {
  await save({ days: 50, key: 'live-key-0123456789', autoApprove: true });
  await core.database.withTenant(tenant, (tx) =>
    tx.db.run(sql`update core_setting set "values" = jsonb_set("values", '{days}', '"many"') || '{"gone": 1}'`),
  );
  const blind = make(() => {
    throw new Error('no such key');
  });
  await load(blind);
  expect(blind.of(tenant, 'shop', shape)).toMatchObject({ days: 14, key: null, autoApprove: true });
  expect(warned).toEqual([
    expect.objectContaining({ setting: 'shop.key', why: 'unreadable_secret' }),
    expect.objectContaining({ setting: 'shop.days', why: 'breaks_the_schema' }),
  ]);
  expect(JSON.stringify(warned)).not.toContain('many');
});

test('what a field checks is asked when it is written: a release that checks more takes nothing away', async () => {
  const saveCodes = (codes: string[]) => work(({ ctx }) => settings.save(ctx, 'tagged', { codes }));
  await saveCodes(['a', 'b']);
  await expect(saveCodes(['a', 'a'])).rejects.toMatchObject({ code: 'validation_failed' });
  await core.database.withTenant(tenant, (tx) =>
    tx.db.run(sql`update core_setting set "values" = jsonb_set("values", '{codes}', '["a", "b", "a"]')`),
  );
  const again = make();
  await load(again);
  expect(again.of(tenant, 'tagged', tagged).codes).toEqual(['a', 'b', 'a']);
  expect(warned).toEqual([]);
});

test('origins for CORS come from the plugin that declares them', async () => {
  await load();
  expect(settings.allowedOrigins(tenant)).toEqual([]);
  await work(({ ctx }) => settings.registry.put(ctx, 'workspace.allowedOrigins', ['https://shop.example.com']));
  await load();
  expect(settings.allowedOrigins(tenant)).toEqual(['https://shop.example.com']);
});
