import { type Ctx, checkVersion, f, parseBody, problem, type SettingEntry, sql } from '@storeloom/plugin-sdk';

/** Settings `views.<resource>`: how staff like to see a list of the administration. */
const stem = 'views.';
const shape = {
  value: f.list(
    f.object({
      name: f.text({ max: 80 }),
      /** Query of the list, as its route takes it. */
      query: f.text({ min: 0, max: 2000 }).optional(),
      columns: f.list(f.text({ max: 80 }), { max: 60 }).optional(),
      isDefault: f.bool().default(false),
    }),
    { max: 50 },
  ),
};
const schema = {
  type: 'array',
  maxItems: 50,
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 80 },
      query: { type: ['string', 'null'], maxLength: 2000 },
      columns: { type: ['array', 'null'], items: { type: 'string', maxLength: 80 }, maxItems: 60 },
      isDefault: { type: 'boolean', default: false },
    },
    required: ['name'],
    additionalProperties: false,
  },
} as const;

/** The resource that a key names; undefined for one that isn't there, or whose plugin is off. */
export function viewOf(ctx: Ctx, key: string): string | undefined {
  const resource = key.startsWith(stem) ? key.slice(stem.length) : '';
  return resource !== '' && ctx.entities.find(resource)?.on ? resource : undefined;
}

const entry = (resource: string, value: unknown, version: number): SettingEntry => ({
  key: `${stem}${resource}`,
  value,
  schema,
  version,
  store: false,
});

/** Those that were saved. */
export async function savedViews(ctx: Ctx): Promise<SettingEntry[]> {
  const rows = await ctx.db.rows<{ resource: string; value: unknown; version: number }>(
    sql`select resource, value, version from workspace_view where tenant_id = ${ctx.tenant.id} order by resource`,
  );
  return rows.filter(({ resource }) => ctx.entities.find(resource)?.on).map((row) => entry(row.resource, row.value, row.version));
}

export async function readView(ctx: Ctx, resource: string): Promise<SettingEntry> {
  const row = await ctx.db.first<{ value: unknown; version: number }>(
    sql`select value, version from workspace_view where tenant_id = ${ctx.tenant.id} and resource = ${resource}`,
  );
  return entry(resource, row?.value ?? [], row?.version ?? 0);
}

export async function writeView(ctx: Ctx, resource: string, value: unknown, ifMatch: number | undefined): Promise<SettingEntry> {
  const before = await readView(ctx, resource);
  checkVersion(ifMatch, before);
  const { value: parsed } = (await parseBody(shape, { value: value ?? [] }, { partial: false, tenant: ctx.tenant })) as {
    value: object[];
  };
  // Of two that saw the same version the second changes nothing.
  const changed = await ctx.db.run(sql`insert into workspace_view as v (tenant_id, resource, value, updated_at)
    values (${ctx.tenant.id}, ${resource}, ${JSON.stringify(parsed)}::jsonb, ${ctx.clock.now()})
    on conflict (tenant_id, resource) do update set value = excluded.value, updated_at = excluded.updated_at, version = v.version + 1
    where v.version = ${before.version}`);
  if (changed === 0) throw problem('version_conflict');
  const after = await readView(ctx, resource);
  await ctx.audit({
    entity: 'core.setting',
    entityId: `${stem}${resource}`,
    before: { value: before.value },
    after: { value: after.value },
  });
  return after;
}
