import {
  type Ctx,
  checkReferences,
  checkSameCurrency,
  checkVersion,
  constraintOf,
  created,
  f,
  invalid,
  isEmptyPatch,
  type ListQuery,
  list,
  noContent,
  problem,
  type RowOf,
  route,
  sql,
  type TableRow,
  table,
  type Warning,
} from '@storeloom/plugin-sdk';
import { zone } from '../zone/zone.ts';
import { method } from './method.ts';
import { gapsOf } from './rate-gaps.ts';

const bound = () => f.int({ min: 0, max: 1_000_000_000_000 });
const fields = {
  zoneId: f.ref('shipping.zone').readonly(),
  methodId: f.ref('shipping.method').filter(),
  min: bound().sort(),
  /** Exclusive; null for no upper bound. */
  max: bound().optional(),
  price: f.money({ min: 0 }),
  freeOver: f.money({ min: 0 }).optional(),
};
/** A price of a method in a zone for a half-open range of grams, items or minor units. */
export const rate = table('rate', fields, {
  indexes: [
    { name: 'shipping_rate_method_idx', fields: ['methodId'] },
    { name: 'shipping_rate_zone_idx', fields: ['zoneId', 'methodId', 'min', 'id'] },
  ],
  sqlOnly: { shipping_rate_range_excl: 'exclusion constraint: rates of a method in a zone have disjoint ranges' },
});
export type RateRow = TableRow<typeof rate>;

const { zoneId: _zone, ...body } = fields;
const answer = {
  id: f.id(),
  createdAt: f.instant(),
  updatedAt: f.instant(),
  version: f.int(),
  ...fields,
};
const warned = { ...answer, warnings: f.warnings() };

const rates = list({
  defaultSort: 'min',
  filters: { id: { field: f.id(), operators: ['eq', 'in'] }, methodId: { field: f.id() } },
  sorts: { min: { column: 't.min', type: 'int8' }, createdAt: { column: 't.created_at', type: 'timestamptz' } },
});

async function warningsOf(ctx: Ctx, zoneId: string): Promise<Warning[]> {
  return gapsOf(await ctx.rows(rate).find({ zoneId }, { orderBy: ['methodId', 'min'] }));
}

/** The method must serve the zone. It is locked, so that a concurrent update can't remove the zone from it. */
async function checkRate(
  ctx: Ctx,
  values: Pick<RowOf<typeof fields>, 'zoneId' | 'methodId' | 'min' | 'max' | 'price' | 'freeOver'>,
): Promise<void> {
  if (values.max !== null && values.max <= values.min) throw invalid('/max', 'too_small', 'must be greater than min');
  checkSameCurrency({ price: values.price, freeOver: values.freeOver });
  const owner = await ctx.rows(method).require(values.methodId, { lock: true });
  if (!owner.zoneIds.includes(values.zoneId)) throw invalid('/methodId', 'invalid', 'this method does not serve the zone');
}

async function withOverlapProblem<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (constraintOf(error)?.constraint === 'shipping_rate_range_excl')
      throw problem('rate_overlap', {
        detail: 'The range overlaps with another rate of this method. Ranges include min and exclude max.',
      });
    throw error;
  }
}

export const listRates = route(
  'GET',
  '/shipping-zones/zones/{id}/rates',
  {
    permission: 'shipping.rate.read',
    summary: 'List the rates of a zone, with the gaps between them',
    query: rates,
    response: answer,
    list: true,
  },
  async (ctx, req) => {
    const { id } = await ctx.rows(zone).require(req.params.id as string);
    const page = await rates.run<RateRow>(ctx, req.query as ListQuery, {
      select: sql`t.id, t.created_at as "createdAt", t.updated_at as "updatedAt", t.version, t.zone_id as "zoneId", t.method_id as "methodId", t.min, t.max,
        jsonb_build_object('amount', t.price_amount, 'currency', t.price_currency) as price,
        case when t.free_over_amount is not null then jsonb_build_object('amount', t.free_over_amount, 'currency', t.free_over_currency) end as "freeOver"`,
      from: sql`shipping_rate t`,
      where: sql`t.tenant_id = ${ctx.tenant.id} and t.zone_id = ${id}`,
    });
    return { ...page, warnings: await warningsOf(ctx, id) };
  },
);

export const createRate = route(
  'POST',
  '/shipping-zones/zones/{id}/rates',
  {
    permission: 'shipping.rate.create',
    summary: 'Add a rate to a zone',
    body,
    response: warned,
    status: 201,
    problems: ['rate_overlap'],
  },
  async (ctx, req) => {
    const { id: zoneId } = await ctx.rows(zone).require(req.params.id as string, { lock: true });
    const values = { ...req.body, zoneId };
    await checkReferences(ctx, { methodId: fields.methodId }, values);
    await checkRate(ctx, values);
    const row = await withOverlapProblem(() => ctx.rows(rate).insert(values));
    await ctx.audit({ entity: 'shipping.rate', entityId: row.id, before: null, after: row });
    return created(`/shipping-zones/rates/${row.id}`, { ...row, warnings: await warningsOf(ctx, zoneId) });
  },
);

const idOf = (params: Record<string, string>): string => params.rateId as string;

export const updateRate = route(
  'PATCH',
  '/shipping-zones/rates/{rateId}',
  { permission: 'shipping.rate.update', summary: 'Change a rate', body, response: warned, problems: ['rate_overlap'] },
  async (ctx, req) => {
    const rows = ctx.rows(rate);
    const before = await rows.require(idOf(req.params), { lock: true });
    checkVersion(req.ifMatch, before);
    const patch = req.body as Partial<typeof req.body>;
    if (isEmptyPatch(patch)) return { ...before, warnings: await warningsOf(ctx, before.zoneId) };
    await checkReferences(ctx, { methodId: fields.methodId }, patch);
    await checkRate(ctx, { ...before, ...patch });
    const after = await withOverlapProblem(() => rows.update(before.id, patch));
    await ctx.audit({ entity: 'shipping.rate', entityId: after.id, before, after });
    return { ...after, warnings: await warningsOf(ctx, after.zoneId) };
  },
);

export const removeRate = route(
  'DELETE',
  '/shipping-zones/rates/{rateId}',
  { permission: 'shipping.rate.delete', summary: 'Remove a rate', status: 204 },
  async (ctx, req) => {
    const before = await ctx.rows(rate).require(idOf(req.params), { lock: true });
    checkVersion(req.ifMatch, before);
    await ctx.rows(rate).remove(before.id);
    await ctx.audit({ entity: 'shipping.rate', entityId: before.id, before, after: null });
    return noContent();
  },
);
