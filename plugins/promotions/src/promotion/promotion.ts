import { type BaseRow, f, type RowOf, responseShape, type Shape, type TableRow, table } from '@storeloom/plugin-sdk';

export const stages = ['catalog', 'cart'] as const;
export const types = [
  'percentage',
  'fixed_amount',
  'fixed_price',
  'free_shipping',
  'buy_x_get_y',
  'gift_item',
  'tiered',
] as const;
export const targets = ['order', 'items', 'shipping'] as const;
export const statuses = ['draft', 'scheduled', 'active', 'paused', 'expired', 'archived'] as const;
const conditionTypes = [
  'min_subtotal',
  'min_quantity',
  'product',
  'category',
  'brand',
  'customer_group',
  'first_order',
  'nth_order',
  'country',
  'channel',
  'payment_method',
  'weekday',
] as const;
const operators = ['eq', 'ne', 'in', 'not_in', 'gte', 'lte'] as const;

export type Target = (typeof targets)[number];
export type PromotionType = (typeof types)[number];
export type ConditionType = (typeof conditionTypes)[number];
export type ConditionOperator = (typeof operators)[number];

const tierFields = {
  /** Minor units of the tier's currency, or units of goods, by `basis`. */
  min: f.int({ min: 0 }),
  percentBp: f.bp({ min: 1 }).optional(),
  amount: f.money({ min: 1 }).optional(),
} satisfies Shape;

const unitFields = {
  productIds: f.list(f.ref('catalog.product'), { max: 500 }).default([]),
  categoryIds: f.list(f.ref('catalog.category'), { max: 100 }).default([]),
} satisfies Shape;

const shared = {
  name: f.text().search().sort(),
  code: f
    .text({ max: 60 })
    .optional()
    .search()
    .describe('Shared code. Null: applies automatically, unless it has single-use codes.'),
  stage: f.oneOf(stages).default('cart').example('cart').filter(),
  type: f.oneOf(types).filter(),
  value: f
    .object({
      percentBp: f.bp({ min: 1 }).optional(),
      amounts: f.list(f.money({ min: 0 }), { min: 1, max: 200 }).optional(),
      tiers: f.list(f.object(tierFields), { min: 1, max: 50 }).optional(),
    })
    .default({ percentBp: null, amounts: null, tiers: null })
    .example({ percentBp: 1000, amounts: null, tiers: null }),
  basis: f.oneOf(['amount', 'quantity']).optional().example(null).describe('What the tiers count. Tiered only; default amount.'),
  excludedProductIds: f.list(f.ref('catalog.product'), { max: 1000 }).default([]),
  excludeSaleItems: f.bool().default(false),
  buy: f
    .object({ ...unitFields, quantity: f.int({ min: 1, max: 10_000 }) })
    .optional()
    .example(null)
    .describe('Units to buy; without products and categories all units that the conditions allow.'),
  get: f
    .object({
      ...unitFields,
      /** Gifts by variant; a product means its first variant. */
      variantIds: f.list(f.ref('catalog.variant'), { max: 20 }).default([]),
      quantity: f.int({ min: 1, max: 10_000 }).default(1),
      percentBp: f.bp({ min: 1 }).default(10_000),
    })
    .optional()
    .example(null)
    .describe('Discounted units (buy_x_get_y), or gifts (gift_item).'),
  maxApplicationsPerOrder: f.int({ min: 1 }).optional(),
  maxUnits: f.int({ min: 1 }).optional().example(null),
  maxDiscount: f.money({ min: 1 }).optional(),
  usageLimit: f.int({ min: 1 }).optional(),
  usageLimitPerCustomer: f.int({ min: 1 }).optional(),
  budget: f.money({ min: 1 }).optional(),
  startsAt: f.instant().optional().example('2030-01-01T00:00:00.000Z').sort(),
  endsAt: f.instant().optional().example('2030-01-31T00:00:00.000Z').sort(),
  priority: f.int({ min: -1_000_000, max: 1_000_000 }).default(0).filter().sort(),
  exclusive: f.bool().default(false),
  combineWith: f.list(f.oneOf(targets), { max: 3 }).default([...targets]),
  stopFurther: f.bool().default(false),
  enabled: f.bool().default(true).filter(),
  archived: f.bool().default(false).filter(),
  reusableAfterCancel: f.bool().default(true),
  showToPublic: f.bool().default(false),
  metadata: f.json().optional().describe('Arbitrary data of the shop.'),
} satisfies Shape;

const condition = {
  type: f.oneOf(conditionTypes),
  op: f.oneOf(operators),
  value: f.anyJson().describe('Depends on the type: an amount, a number, a text, or a list of ids.'),
} satisfies Shape;

export const promotion = table(
  'promotion',
  {
    ...shared,
    target: f.oneOf(targets).filter(),
    allocation: f.oneOf(['each', 'across']),
    conditions: f.list(f.object(condition), { max: 20 }),
    coded: f.bool(),
    enabledAt: f.instant().optional(),
  },
  {
    indexes: [
      { name: 'promotions_promotion_automatic_idx', fields: [], where: 'enabled and not archived and not coded' },
      { name: 'promotions_promotion_created_idx', fields: ['createdAt', 'id'] },
    ],
  },
);
export type PromotionRow = TableRow<typeof promotion>;
export type Condition = PromotionRow['conditions'][number];

/** Request body: `target`, `allocation` and the conditions' `op` have defaults that depend on other fields. */
export const promotionBody = {
  ...shared,
  codes: f
    .list(f.text({ max: 60 }), { max: 10_000 })
    .optional()
    .describe('Single-use codes. A PATCH replaces the list: unused codes that are not in it are removed.'),
  target: f.oneOf(targets).optional().example(null),
  allocation: f.oneOf(['each', 'across']).optional().example(null),
  conditions: f
    .list(f.object({ ...condition, op: f.oneOf(operators).optional() }), { max: 20 })
    .default([])
    .example([]),
} satisfies Shape;

const responseFields = {
  ...shared,
  codes: f
    .list(f.text({ max: 60 }))
    .optional()
    .describe('Single-use codes set by staff. Lists contain them only with a filter by id; otherwise null.'),
  target: f.oneOf(targets),
  allocation: f.oneOf(['each', 'across']),
  conditions: f.list(f.object(condition)),
  status: f.oneOf(statuses).readonly(),
  usageCount: f.int().readonly(),
  spent: f.money().readonly(),
  codesTotal: f.int().readonly(),
  codesUsed: f.int().readonly(),
} satisfies Shape;
export const promotionResponse = responseShape(responseFields);
export type PromotionView = RowOf<typeof responseFields> & BaseRow;
