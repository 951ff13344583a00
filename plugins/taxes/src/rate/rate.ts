import { type Ctx, f, invalid, type PatchOf, problem, type RowOf, resource, sql } from '@storeloom/plugin-sdk';
import { rateEvents } from '../events.ts';
import { dateIn, isCountry } from './countries.ts';
import { isUsed } from './use.ts';

const fields = {
  /** ISO 3166-1 alpha-2; `XI` is Northern Ireland. */
  country: f
    .text({ max: 2, pattern: /^[A-Z]{2}$/ })
    .filter()
    .sort(),
  categoryId: f.ref('taxes.category').filter(),
  ratePpm: f.ppm().filter(),
  /** Name on documents. Default: the percentage. */
  name: f.text({ max: 100 }).optional(),
  region: f.text({ max: 100 }).optional().filter(),
  /** Prefix of the postal codes that it applies to. */
  postalCode: f.text({ max: 20 }).optional(),
  /** Rates of different priority apply together, in this order. */
  priority: f.int({ min: 0, max: 100 }).default(0),
  /** Applied to the amount including earlier taxes. */
  compound: f.bool().default(false),
  /** Civil dates at the place, both inclusive. */
  validFrom: f.date().filter().sort(),
  validTo: f.date().optional().filter(),
};
type Values = RowOf<typeof fields>;

export function percentText(ratePpm: number): string {
  return `${String(ratePpm / 10_000)} %`;
}

function validate(values: Values): void {
  if (!isCountry(values.country)) throw invalid('/country', 'invalid', 'is not an ISO 3166-1 country code');
  if (values.validTo !== null && values.validTo < values.validFrom)
    throw invalid('/validTo', 'too_small', 'must not be before validFrom');
}

/** Serialises writers of a category's rates, so that overlaps get a clear error. The exclusion constraint is the final guard. */
async function checkOverlap(ctx: Ctx, id: string | null, values: Values): Promise<void> {
  await ctx.db.run(sql`select 1 from taxes_category where tenant_id = ${ctx.tenant.id} and id = ${values.categoryId} for update`);
  const found = await ctx.db.first<{ id: string }>(sql`
    select id from taxes_rate where tenant_id = ${ctx.tenant.id} and country = ${values.country} and category_id = ${values.categoryId}
      and coalesce(region, '') = ${values.region ?? ''} and coalesce(postal_code, '') = ${values.postalCode ?? ''} and priority = ${values.priority}
      and daterange(valid_from, valid_to, '[]') && daterange(${values.validFrom}::date, ${values.validTo}::date, '[]')
      and id is distinct from ${id}::uuid limit 1`);
  if (found)
    throw problem('rate_overlap', {
      detail: 'Another rate with the same place, category and priority overlaps in time. End it first.',
      rateId: found.id,
    });
}

async function publishScheduled(ctx: Ctx, row: Values & { id: string }): Promise<void> {
  const today = dateIn(row.country, ctx.clock.now(), ctx.tenant.timezone);
  if (row.validFrom <= today) return;
  const { id, country, categoryId, ratePpm, validFrom } = row;
  await ctx.emit(rateEvents.scheduled, { id, data: { id, country, categoryId, ratePpm, validFrom } });
}

/** A rate used by an order can only end. */
async function checkUnused(ctx: Ctx, id: string): Promise<void> {
  if (await isUsed(ctx, id))
    throw problem('in_use', {
      detail: 'Orders use this rate. End it with validTo and create a new one.',
      counts: { orders: 1 },
    });
}

export const rate = resource('rate', {
  path: 'taxes/rates',
  verbs: ['list', 'create', 'update', 'remove'],
  defaultSort: 'country,-validFrom',
  fields,
  indexes: [
    { name: 'taxes_rate_category_idx', fields: ['categoryId'] },
    { name: 'taxes_rate_country_idx', fields: ['country', 'validFrom', 'id'] },
  ],
  sqlOnly: {
    taxes_rate_validity_excl: 'exclusion constraint: rates of the same place, category and priority have disjoint periods',
  },
  problems: ['rate_overlap', 'in_use'],
  before: {
    async create(ctx, input) {
      validate(input);
      await checkOverlap(ctx, null, input);
      return { name: input.name ?? percentText(input.ratePpm) };
    },
    async update(ctx, row, patch) {
      const next: Values = { ...row, ...patch };
      validate(next);
      if (changesMoreThanEnd(row, patch)) await checkUnused(ctx, row.id);
      await checkOverlap(ctx, row.id, next);
      return { name: next.name ?? percentText(next.ratePpm) };
    },
    remove: (ctx, row) => checkUnused(ctx, row.id),
  },
  after: {
    create: publishScheduled,
    async update(ctx, row, patch, previous) {
      if (patch.validFrom !== undefined && row.validFrom !== previous.validFrom) await publishScheduled(ctx, row);
    },
  },
});

/** Whether the patch changes more than `validTo`. */
function changesMoreThanEnd(row: Values, patch: PatchOf<typeof fields>): boolean {
  return Object.entries(patch).some(([name, value]) => name !== 'validTo' && value !== row[name as keyof Values]);
}
