import { type Ctx, claimTable, f, invalid, Problem, problem, type RowOf, resource, sql } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { readPattern, type ZonePlaces, zonesOverlap } from './match.ts';

const fields = {
  name: f.text({ max: 120 }).search().sort(),
  /** ISO 3166-1 alpha-2. May be empty only for the rest of the world. */
  countries: f
    .list(f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ }), { max: 250 })
    .default([])
    .filter(),
  /** Names or ISO 3166-2 codes; they narrow the countries. */
  regions: f.list(f.text({ max: 80 }), { max: 500 }).default([]),
  /** `10*`, `010000-019999` or a whole code; they narrow the countries, and the regions where there are some. */
  postalCodePatterns: f.list(f.text({ max: 40 }), { max: 2000 }).default([]),
  /** Among zones of the same level, the highest priority applies. */
  priority: f.int({ min: 0, max: 100_000 }).default(0).sort(),
  /** Serves every address that no other zone matches. */
  restOfWorld: f.bool().default(false).filter(),
};

function checkPlaces(zone: RowOf<typeof fields>): void {
  if (zone.countries.length === 0 && !zone.restOfWorld)
    throw invalid('/countries', 'required', 'must contain at least one country unless restOfWorld is set');
  if (zone.countries.length === 0 && (zone.regions.length > 0 || zone.postalCodePatterns.length > 0))
    throw invalid('/countries', 'required', 'is required with regions or postal codes');
  zone.postalCodePatterns.forEach((pattern, i) => {
    if (!readPattern(pattern))
      throw invalid(`/postalCodePatterns/${i}`, 'invalid', 'is not a pattern such as 10*, 010000-019999 or a full code');
  });
}

/** Throws 409 `zone_overlap`. The lock serializes writers, so that two concurrent zones can't overlap. */
async function checkOverlap(ctx: Ctx, zone: ZonePlaces, id?: string): Promise<void> {
  await lockKeys(ctx, 'zones');
  const others = await ctx.db.rows<ZonePlaces & { id: string; name: string }>(
    sql`select id, name, countries, regions, postal_code_patterns as "postalCodePatterns", priority, rest_of_world as "restOfWorld"
      from shipping_zone where tenant_id = ${ctx.tenant.id} and priority = ${zone.priority} order by id`,
  );
  for (const other of others) {
    if (other.id !== id && zonesOverlap(zone, other))
      throw problem('zone_overlap', {
        detail: `The zone overlaps with ${other.name}. Give them different priorities.`,
        zoneId: other.id,
      });
  }
}

async function checkUnused(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int8 as n from shipping_method where tenant_id = ${ctx.tenant.id} and deleted_at is null and zone_ids @> ${JSON.stringify([id])}::jsonb`,
  );
  if (row && row.n > 0)
    throw new Problem('in_use', {
      detail: 'Shipping methods use this zone. Remove it from them first.',
      counts: { 'shipping/methods': row.n },
    });
}

const common = {
  fields,
  sqlOnly: { shipping_zone_created_idx: 'descending: newest first' },
  permission: 'shipping.zone',
  deletes: 'free',
  problems: ['zone_overlap'],
  before: {
    async create(ctx, input) {
      checkPlaces(input);
      await checkOverlap(ctx, input);
    },
    async update(ctx, row, patch) {
      const next = { ...row, ...patch };
      checkPlaces(next);
      await checkOverlap(ctx, next, row.id);
    },
    remove: (ctx, row) => checkUnused(ctx, row.id),
  },
} satisfies Omit<Parameters<typeof resource<typeof fields>>[1], 'path' | 'verbs'>;

/** `shipping/zones`. Deleting a zone deletes its rates. */
export const zone = resource('zone', {
  ...common,
  path: 'shipping/zones',
  verbs: ['list', 'create', 'update', 'remove'],
});

/** `shipping-zones/zones`: an alias of `shipping/zones`. */
const zonesAlias = resource('zone', {
  ...common,
  path: 'shipping-zones/zones',
  verbs: ['list', 'create', 'update', 'remove'],
});
claimTable('shipping', zonesAlias);
export const aliasZoneRoutes = zonesAlias.routes('shipping');
