import type { CreateOf, Ctx } from '@storeloom/plugin-sdk';
import { shapeSchema, sql } from '@storeloom/plugin-sdk';
import { promotionBody } from './promotion/promotion.ts';
import { createPromotion } from './promotion/write.ts';

type Body = CreateOf<typeof promotionBody>;

/**
 * Demo promotions: a welcome code, free shipping from a subtotal, tiers for larger orders, and a draft weekend offer. Does nothing
 * if the shop has promotions.
 */
export async function seedDemo(ctx: Ctx): Promise<void> {
  const found = await ctx.db.first(sql`select 1 as x from promotions_promotion where tenant_id = ${ctx.tenant.id} limit 1`);
  if (found) return;
  const money = (amount: number) => ({ amount, currency: ctx.tenant.currency });
  const ro = ctx.tenant.defaultLocale === 'ro';
  const promotions: Record<string, unknown>[] = [
    {
      name: ro ? 'Bun venit: 10% la prima comandă' : 'Welcome: 10% off the first order',
      code: 'WELCOME10',
      type: 'percentage',
      value: { percentBp: 1000 },
      conditions: [{ type: 'first_order', value: true }],
      usageLimitPerCustomer: 1,
      showToPublic: true,
    },
    {
      name: ro ? 'Livrare gratuită' : 'Free shipping',
      type: 'free_shipping',
      conditions: [{ type: 'min_subtotal', value: money(25_000) }],
      priority: -10,
      showToPublic: true,
    },
    {
      name: ro ? 'Cumperi mai mult, plătești mai puțin' : 'Buy more, pay less',
      type: 'tiered',
      value: {
        tiers: [
          { min: 50_000, percentBp: 500 },
          { min: 100_000, percentBp: 1000 },
        ],
      },
      maxDiscount: money(20_000),
    },
    {
      name: ro ? 'Reducere de weekend' : 'Weekend offer',
      type: 'percentage',
      value: { percentBp: 1500 },
      conditions: [{ type: 'weekday', value: ['saturday', 'sunday'] }],
      enabled: false,
    },
  ];
  const schema = shapeSchema(promotionBody, 'create');
  for (const body of promotions) await createPromotion(ctx, schema.parse(body) as Body);
}
