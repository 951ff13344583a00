import { type Ctx, codeField, f, invalid, problem, resource, sql } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { settings } from '../settings.ts';

const categoryKinds = ['goods', 'electronic_service', 'service'] as const;
export type CategoryKind = (typeof categoryKinds)[number];
/** UN/ECE 5305. All codes except S mean a rate of 0. */
const uneceCodes = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O'] as const;
export type UneceCode = (typeof uneceCodes)[number];

/** Serialises writers of categories: exactly one category is the default. */
const lockCategories = (ctx: Ctx): Promise<void> => lockKeys(ctx, 'category');

async function unsetDefault(ctx: Ctx): Promise<void> {
  await ctx.db.run(
    sql`update taxes_category set is_default = false, updated_at = ${ctx.clock.now()}, version = version + 1 where tenant_id = ${ctx.tenant.id} and is_default`,
  );
}

async function countCategories(ctx: Ctx): Promise<{ all: number; defaults: number }> {
  const row = await ctx.db.first<{ all: number; defaults: number }>(
    sql`select count(*)::int as "all", count(*) filter (where is_default)::int as defaults from taxes_category where tenant_id = ${ctx.tenant.id}`,
  );
  return row ?? { all: 0, defaults: 0 };
}

export const category = resource('category', {
  path: 'taxes/categories',
  verbs: ['list', 'create', 'update', 'remove'],
  defaultSort: 'code',
  fields: {
    code: codeField({ max: 40 }),
    name: f.text().sort().search(),
    /**
     * The category of products, lines and charges without one. The first category becomes the default; setting another one replaces
     * it.
     */
    isDefault: f.bool().default(false).filter(),
    kind: f.oneOf(categoryKinds).default('goods').filter(),
    /** The invoice code of a 0 rate; without any rate it makes the category untaxed. */
    uneceCode: f.oneOf(uneceCodes).optional(),
  },
  uniques: [{ name: 'taxes_category_is_default_key', fields: [], where: 'is_default' }],
  sqlOnly: { taxes_category_code_key: 'expression: the code is compared without regard to case' },
  before: {
    async create(ctx, input) {
      await lockCategories(ctx);
      const isDefault = input.isDefault || (await countCategories(ctx)).defaults === 0;
      if (isDefault) await unsetDefault(ctx);
      return { isDefault };
    },
    async update(ctx, row, patch) {
      if (patch.isDefault === undefined || patch.isDefault === row.isDefault) return;
      if (!patch.isDefault) throw invalid('/isDefault', 'invalid', 'must stay true; make another category the default instead');
      await lockCategories(ctx);
      await unsetDefault(ctx);
    },
    async remove(ctx, row) {
      await lockCategories(ctx);
      const counts: Record<string, number> = {};
      if (row.isDefault && (await countCategories(ctx)).all > 1) counts.default = 1;
      if (ctx.settings(settings).shippingTaxCategoryId === row.id) counts.settings = 1;
      if (Object.keys(counts).length > 0)
        throw problem('in_use', {
          detail: 'The category is the default or the shipping category. Select another one first.',
          counts,
        });
    },
  },
});
