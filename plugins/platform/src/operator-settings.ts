import {
  checkVersion,
  f,
  invalid,
  isEmptyPatch,
  isMask,
  licence,
  licenceIssuer,
  maskSecret,
  type PlatformCtx,
  platformRoute,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { type LicenceSales, licenceSales } from './licence/sales.ts';

/** A maintenance window: shown to operators, without effect on shops. */
interface Maintenance {
  startsAt: string;
  endsAt: string;
  message: string | null;
  acknowledgedAt: string | null;
}
const maintenanceShape = {
  startsAt: f.instant(),
  endsAt: f.instant(),
  message: f.text({ max: 500 }).optional(),
} satisfies Shape;

/** Also written by upgrades of the installation; a missing version is the first. */
const stored = z.object({
  startsAt: z.iso.datetime({ offset: true }),
  endsAt: z.iso.datetime({ offset: true }),
  message: z.string().nullable().default(null),
  acknowledgedAt: z.iso.datetime({ offset: true }).nullable().default(null),
});

const settingsShape = {
  maintenance: f.object({ ...maintenanceShape, acknowledgedAt: f.instant().optional(), active: f.bool() }).optional(),
  licence: f.object({ state: f.text(), plan: f.text().optional(), expiresAt: f.instant().optional(), installation: f.text() }),
  /** What installations that take our licences name in their configuration. */
  issuer: f.object({ id: f.text(), keys: f.list(f.object({ kid: f.text(), x: f.text() })) }),
  licenseSales: f.json().optional().describe('How licences are sold; secrets are masked.'),
  version: f.int(),
};

interface Row<T> {
  value: T;
  version: number;
}
/** Absent rows count as version 0; the settings' version is their sum, so a change of either is seen. */
async function maintenanceRow(ctx: PlatformCtx, lock: boolean): Promise<Row<Maintenance | null>> {
  const row = await ctx.db.first<
    Row<unknown>
  >(sql`select value, coalesce((value ->> 'version')::int, 1) as version from core_installation
    where key = 'maintenance'${lock ? sql` for update` : sql``}`);
  const parsed = stored.safeParse(row?.value);
  return { value: parsed.success ? parsed.data : null, version: row?.version ?? 0 };
}
async function salesRow(ctx: PlatformCtx, lock: boolean): Promise<Row<LicenceSales | null>> {
  const row = await ctx.db.first<Row<unknown>>(
    sql`select value, version from platform_setting where name = 'license-sales'${lock ? sql` for update` : sql``}`,
  );
  const parsed = licenceSales.safeParse(row?.value);
  return { value: parsed.success ? parsed.data : null, version: row?.version ?? 0 };
}

async function view(ctx: PlatformCtx, lock = false) {
  const maintenance = await maintenanceRow(ctx, lock);
  const sales = await salesRow(ctx, lock);
  const { state, plan, expiresAt, installation } = ctx.require(licence).view();
  const issuer = ctx.require(licenceIssuer);
  const now = ctx.clock.ms();
  const window = maintenance.value;
  return {
    maintenance: window && {
      ...window,
      startsAt: new Date(window.startsAt).toISOString(),
      endsAt: new Date(window.endsAt).toISOString(),
      active: Date.parse(window.startsAt) <= now && now < Date.parse(window.endsAt),
    },
    licence: { state, plan, expiresAt, installation },
    issuer: { id: issuer.id, keys: issuer.keys() },
    licenseSales: sales.value && { ...sales.value, secretKey: maskSecret(ctx.unseal(sales.value.secretKey)) },
    version: maintenance.version + sales.version,
  };
}

async function putMaintenance(ctx: PlatformCtx, value: Maintenance | null): Promise<void> {
  const { version } = await maintenanceRow(ctx, true);
  // Null stays a row, so that the version never falls.
  await ctx.db.run(sql`insert into core_installation (key, value) values ('maintenance', ${JSON.stringify({ ...value, version: version + 1 })}::jsonb)
    on conflict (key) do update set value = excluded.value, updated_at = now()`);
}

/** The secret is write-only: its mask, sent back, keeps it. */
async function putSales(ctx: PlatformCtx, wanted: LicenceSales | null): Promise<void> {
  const before = (await salesRow(ctx, true)).value;
  let value: LicenceSales | null = wanted;
  if (wanted) {
    const kept = before && isMask(wanted.secretKey) && maskSecret(ctx.unseal(before.secretKey)) === wanted.secretKey;
    if (isMask(wanted.secretKey) && !kept)
      throw invalid('/licenseSales/secretKey', 'invalid', 'is the mask of an unknown secret');
    value = { ...wanted, secretKey: kept ? before.secretKey : ctx.seal(wanted.secretKey) };
  }
  await ctx.db.run(sql`insert into platform_setting (name, value, updated_at) values ('license-sales', ${JSON.stringify(value)}::jsonb, ${ctx.clock.now()})
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at, version = platform_setting.version + 1`);
}

const body = z.strictObject({
  maintenance: z
    .strictObject({
      startsAt: z.string().max(40),
      endsAt: z.string().max(40),
      message: z.string().trim().max(500).nullable().default(null),
    })
    .nullable()
    .optional(),
  /** True: the window is over for the operators; it stays to be read. */
  maintenanceAcknowledged: z.literal(true).optional(),
  licenseSales: licenceSales.nullable().optional(),
});

function windowOf({ startsAt, endsAt, message }: { startsAt: string; endsAt: string; message: string | null }): Maintenance {
  const instant = (text: string, name: string): string => {
    const parsed = z.iso.datetime({ offset: true }).safeParse(text);
    if (!parsed.success) throw invalid(`/maintenance/${name}`, 'invalid', 'must be an instant with an offset');
    return new Date(text).toISOString();
  };
  const window = { startsAt: instant(startsAt, 'startsAt'), endsAt: instant(endsAt, 'endsAt'), message, acknowledgedAt: null };
  if (window.endsAt <= window.startsAt) throw invalid('/maintenance/endsAt', 'invalid', 'must be after startsAt');
  return window;
}

/** Settings of the operator. Reading is the interface's; writing them is ours. */
export const operatorSettingRoutes = [
  platformRoute(
    'GET',
    '/settings',
    { summary: 'Settings of the operator, with the maintenance window', response: settingsShape },
    (ctx) => view(ctx),
  ),
  platformRoute(
    'PATCH',
    '/settings',
    {
      summary: 'Announce or acknowledge maintenance; set up the sale of licences',
      body,
      response: settingsShape,
      additive: true,
      problems: ['version_conflict'],
    },
    async (ctx, req) => {
      const { maintenance, maintenanceAcknowledged, licenseSales } = req.body;
      const before = await view(ctx, true);
      checkVersion(req.ifMatch, before);
      if (isEmptyPatch(req.body)) return before;
      if (maintenance !== undefined) await putMaintenance(ctx, maintenance && windowOf(maintenance));
      else if (maintenanceAcknowledged) {
        const { value } = await maintenanceRow(ctx, true);
        if (!value) throw invalid('/maintenanceAcknowledged', 'invalid', 'no maintenance is scheduled');
        if (value.acknowledgedAt === null) await putMaintenance(ctx, { ...value, acknowledgedAt: ctx.clock.now() });
      }
      if (licenseSales !== undefined) await putSales(ctx, licenseSales);
      const after = await view(ctx);
      const audited = ({ maintenance: window, licenseSales: sales }: typeof after) => ({
        maintenance: window,
        licenseSales: sales,
      });
      await ctx.audit({
        entity: 'platform.setting',
        entityId: null,
        action: 'platform.setting.update',
        before: audited(before),
        after: audited(after),
      });
      return after;
    },
  ),
];
