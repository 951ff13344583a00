import {
  type Ctx,
  checkSameCurrency,
  codeField,
  f,
  invalid,
  type RowOf,
  referenceNotFound,
  resource,
  sql,
} from '@storeloom/plugin-sdk';
import { carrierRow, isConfigured } from '../carrier/carrier.ts';
import { carrierNames } from '../carrier/names.ts';

const methodTypes = ['flat', 'per_item', 'weight', 'price', 'carrier', 'pickup'] as const;
export type MethodType = (typeof methodTypes)[number];

const valueBases = ['before_discounts', 'after_discounts'] as const;
export type ValueBasis = (typeof valueBases)[number];

const fields = {
  code: codeField(),
  name: f.i18n({ max: 120 }).search(),
  /** The basis of the price: fixed, number of items, grams, total of the items, the carrier's quote; or pickup by the buyer. */
  type: f.oneOf(methodTypes).filter(),
  zoneIds: f.list(f.ref('shipping.zone'), { min: 1, max: 200 }).filter(),
  carrier: f.oneOf(carrierNames).optional().filter(),
  serviceCode: f.text({ max: 60 }).optional(),
  taxCategoryId: f.ref('taxes.category').optional(),
  /** Working days before the parcel leaves. */
  handlingDays: f.int({ min: 0, max: 365 }).optional(),
  /** Transit days, without handling. */
  etaMinDays: f.int({ min: 0, max: 365 }).optional(),
  etaMaxDays: f.int({ min: 0, max: 365 }).optional(),
  enabled: f.bool().default(true).filter(),
  position: f.int({ min: 0 }).default(0).sort(),
  /** Per shipment, or per item for `per_item`. Rates of a zone have precedence. */
  price: f.money({ min: 0 }).optional(),
  /** Shipping is free from this total of the items. */
  freeOver: f.money({ min: 0 }).optional(),
  /**
   * Whether `freeOver` and the bounds of price rates compare the total of the items before or after promotion codes and other
   * discounts of the cart. Before: a code never makes shipping more expensive.
   */
  valueBasis: f.oneOf(valueBases).default('before_discounts'),
  /** Surcharge for cash on delivery. */
  codFee: f.money({ min: 0 }).optional(),
};

type Values = Omit<RowOf<typeof fields>, 'name'>;

function checkValues(method: Values): void {
  if (method.type === 'flat' && !method.price) throw invalid('/price', 'required', 'is required for a flat method');
  if (method.type === 'carrier' && !method.carrier) throw invalid('/carrier', 'required', 'is required for a carrier method');
  if (method.etaMinDays !== null && method.etaMaxDays !== null && method.etaMinDays > method.etaMaxDays)
    throw invalid('/etaMaxDays', 'too_small', 'must not be less than etaMinDays');
  checkSameCurrency({ price: method.price, freeOver: method.freeOver, codFee: method.codFee });
}

async function checkCarrier(ctx: Ctx, carrier: string | null): Promise<void> {
  if (carrier === null) return;
  const row = await carrierRow(ctx, carrier);
  if (!row || !isConfigured(ctx, row))
    throw invalid('/carrier', 'carrier_not_configured', `${carrier} is not configured: set up its account first`);
}

/** Locks the zones against deletion until the method is stored. Throws 404 with the pointer of an unknown zone. */
async function lockZones(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const found = await ctx.db.rows<{ id: string }>(
    sql`select id from shipping_zone where tenant_id = ${ctx.tenant.id} and id = any(${[...ids]}::uuid[]) order by id for share`,
  );
  const known = new Set(found.map((row) => row.id));
  ids.forEach((id, i) => {
    if (!known.has(id)) throw referenceNotFound(`/zoneIds/${i}`);
  });
}

/** Soft-deleted, because orders refer to it. */
export const method = resource('method', {
  path: 'shipping/methods',
  verbs: ['list', 'create', 'update', 'remove'],
  fields,
  indexes: [{ name: 'shipping_method_position_idx', fields: ['position', 'id'] }],
  sqlOnly: { shipping_method_code_key: 'expression: the code is compared without regard to case' },
  defaultSort: 'position',
  deletes: 'soft',
  before: {
    async create(ctx, input) {
      checkValues(input);
      await checkCarrier(ctx, input.carrier);
      const zoneIds = [...new Set(input.zoneIds)];
      await lockZones(ctx, zoneIds);
      return { zoneIds };
    },
    async update(ctx, row, patch) {
      const next = { ...row, ...patch };
      checkValues(next);
      if (patch.carrier !== undefined || (patch.type !== undefined && patch.type !== row.type))
        await checkCarrier(ctx, next.carrier);
      if (patch.zoneIds === undefined) return {};
      const zoneIds = [...new Set(patch.zoneIds)];
      await lockZones(ctx, zoneIds);
      return { zoneIds };
    },
  },
});
