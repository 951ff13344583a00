import {
  type CreateOf,
  type Ctx,
  checkReferences,
  checkVersion,
  created,
  domainError,
  f,
  invalid,
  listOf,
  noContent,
  problem,
  referenceNotFound,
  responseShape,
  route,
  type Shape,
  type TableRow,
  table,
} from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { scheduleChanges } from '../browsing/listing.ts';
import { product } from '../product/product.ts';
import { variant } from '../variant/variant.ts';
import { loadSellables } from './sellable.ts';
import { increasingStep, tierCurrency, tiersFor } from './tiers.ts';
import { generalPrice, tierContext } from './unit-price.ts';

const volumeFields = {
  /** Null: applies to every variant of the product. */
  variantId: f.id().optional(),
  minQuantity: f.int({ min: 2, max: 1_000_000 }),
  price: f.money({ min: 0 }).optional(),
  percentBp: f.bp({ min: 1 }).optional(),
  fixedOff: f.money({ min: 1 }).optional(),
  mode: f.oneOf(['all_units', 'graduated']).default('all_units'),
  aggregate: f.oneOf(['variant', 'product']).default('variant'),
  customerGroupId: f.ref('customers.group').optional(),
  startsAt: f.instant().optional(),
  endsAt: f.instant().optional(),
  allowIncreasing: f.bool().default(false),
} satisfies Shape;
type Body = CreateOf<typeof volumeFields>;

export const volumePrice = table(
  'volume-price',
  { productId: f.id(), ...volumeFields },
  {
    indexes: [{ name: 'catalog_volume_price_variant_idx', fields: ['variantId'], where: 'variant_id is not null' }],
    sqlOnly: {
      catalog_volume_price_min_quantity_key:
        'expression: the currency is that of the price or of the discount; nulls are not distinct',
    },
  },
);
type VolumePriceRow = TableRow<typeof volumePrice>;

async function checkTier(ctx: Ctx, productId: string, body: Body): Promise<void> {
  await checkReferences(ctx, volumeFields, body);
  if (body.variantId !== null && !(await ctx.rows(variant).first({ id: body.variantId, productId })))
    throw referenceNotFound('/variantId');
  const given = [body.price, body.percentBp, body.fixedOff].filter((value) => value !== null);
  if (given.length !== 1) throw invalid('', 'invalid', 'must contain exactly one of price, percentBp and fixedOff');
  if (body.startsAt !== null && body.endsAt !== null && body.startsAt >= body.endsAt)
    throw invalid('/endsAt', 'too_small', 'must be later than startsAt');
}

/**
 * Rejects a tier that makes the unit price increase with the quantity. Checks each variant the tier applies to, for the tier's customer
 * group and currency, at every start date of a tier. Without a general price in that currency, compares the tiers only.
 *
 * @throws 422 `tier_increases`
 */
async function checkLadders(ctx: Ctx, productId: string, step: VolumePriceRow): Promise<void> {
  const variants = await ctx.rows(variant).find({ productId, ...(step.variantId === null ? {} : { id: step.variantId }) });
  for (const { source } of (
    await loadSellables(
      ctx,
      variants.map(({ id }) => id),
    )
  ).values()) {
    const currency = (step.price ?? step.fixedOff)?.currency ?? source.base.currency;
    const isPriced =
      currency === source.base.currency || source.prices.some((one) => one.priceListCode === null && one.currency === currency);
    const tiers = source.tiers.filter((tier) => (tierCurrency(tier) ?? (isPriced ? currency : null)) === currency);
    const buyer = { ...generalBuyer, at: ctx.clock.now(), currency };
    const context = tierContext(source, buyer, isPriced ? generalPrice(source, buyer) : maxAmount);
    const starts = ['', ...tiers.flatMap(({ startsAt }) => startsAt ?? [])];
    const increasing = starts
      .map((at) => increasingStep(tiersFor(tiers, step.customerGroupId, at, context), context))
      .find(Boolean);
    if (increasing)
      throw domainError(
        '/minQuantity',
        'tier_increases',
        `increases the unit price from ${increasing.minQuantity} units on; set allowIncreasing to allow this`,
      );
  }
}
const generalBuyer = { companyList: null, groupList: null, groupIds: [], groupDiscountBp: null, convert: () => maxAmount };

const volumePriceShape = responseShape({ productId: f.id(), ...volumeFields });
const byProduct = { productId: f.id() };

export const volumePriceRoutes = [
  route(
    'GET',
    '/volume-prices/{productId}',
    { permission: 'catalog.volume-price.read', params: byProduct, response: volumePriceShape, list: true },
    async (ctx, req) => {
      await ctx.rows(product).require(req.params.productId);
      return listOf(await ctx.rows(volumePrice).find({ productId: req.params.productId }, { orderBy: ['minQuantity', 'id'] }));
    },
  ),
  route(
    'POST',
    '/volume-prices/{productId}',
    {
      permission: 'catalog.volume-price.create',
      params: byProduct,
      body: volumeFields,
      response: volumePriceShape,
      status: 201,
      problems: ['duplicate', 'tier_increases'],
    },
    async (ctx, req) => {
      // Without the lock, two concurrent inserts could each pass `checkLadders` and together make prices increase.
      const { id: productId } = await ctx.rows(product).require(req.params.productId, { lock: true });
      await checkTier(ctx, productId, req.body);
      const row = await ctx.rows(volumePrice).insert({ productId, ...req.body });
      await checkLadders(ctx, productId, row);
      await recordChange(ctx, productId, null, row);
      return created(`/volume-prices/${row.id}`, row);
    },
  ),
  route(
    'DELETE',
    '/volume-prices/{id}',
    { permission: 'catalog.volume-price.delete', params: { id: f.id() }, status: 204 },
    async (ctx, req) => {
      const row = await ctx.rows(volumePrice).require(req.params.id);
      checkVersion(req.ifMatch, row);
      if (!(await ctx.rows(volumePrice).remove(row.id))) throw problem('not_found');
      await recordChange(ctx, row.productId, row, null);
      return noContent();
    },
  ),
];

async function recordChange(
  ctx: Ctx,
  productId: string,
  before: VolumePriceRow | null,
  after: VolumePriceRow | null,
): Promise<void> {
  await ctx.audit({ entity: 'catalog.volume-price', entityId: (before ?? after)!.id, before, after });
  await scheduleChanges(ctx, [productId]);
  ctx.dropCache('catalog');
}
