import {
  type CreateOf,
  type Ctx,
  databaseProblem,
  f,
  invalid,
  isRetryable,
  Problem,
  parseBody,
  problem,
  route,
  type Shape,
  withPointers,
} from '@storeloom/plugin-sdk';
import { settle } from '../browsing/listing.ts';
import { type Adjustment, adjustedPrice } from '../pricing/price-adjust.ts';
import { type VariantChange, variant } from '../variant/variant.ts';
import { type ProductPatch, productPatch } from './product.ts';
import { changeProduct, lockProduct, removeProduct } from './write.ts';

const most = 500;

const body = {
  op: f.oneOf(['update', 'archive', 'delete', 'price_adjust']),
  ids: f.list(f.id(), { min: 1, max: 100_000 }),
  /** `update`: members of a product without its variants. `price_adjust`: `{field, percentBp? or amount?, rounding?}`. */
  patch: f.json({ max: 262_144 }).optional(),
} satisfies Shape;

const { variants: _, ...patchShape } = productPatch;
const adjustShape = {
  field: f.oneOf(['price', 'compareAtPrice']),
  percentBp: f.int({ min: -10_000, max: 100_000 }).optional(),
  amount: f.money({ own: true }).optional(),
  rounding: f.oneOf(['none', '99', '00']).default('none'),
} satisfies Shape;
type Adjust = CreateOf<typeof adjustShape>;

type Step = (id: string) => Promise<void>;

/** Returns the operation for each product. Validates the request first, before any product changes. */
async function stepOf(ctx: Ctx, { op, patch }: CreateOf<typeof body>): Promise<Step> {
  if (op === 'archive' || op === 'delete') {
    if (patch !== null) throw invalid('/patch', 'invalid', `is not allowed for ${op}`);
    return async (id) => {
      if (op === 'delete') await removeProduct(ctx, id);
      else await change(ctx, id, { status: 'archived' });
    };
  }
  if (patch === null) throw invalid('/patch', 'required', `is required for ${op}`);
  if (op === 'update') {
    const values = (await withPointers('/patch', () =>
      parseBody(patchShape, patch, { partial: true, tenant: ctx.tenant }),
    )) as ProductPatch;
    return (id) => change(ctx, id, values);
  }
  const values = (await withPointers('/patch', () =>
    parseBody(adjustShape, patch, { partial: false, tenant: ctx.tenant }),
  )) as Adjust;
  if ((values.percentBp === null) === (values.amount === null))
    throw invalid('/patch', 'invalid', 'must contain exactly one of percentBp and amount');
  return (id) => adjust(ctx, id, values);
}

async function change(ctx: Ctx, id: string, patch: ProductPatch): Promise<void> {
  await changeProduct(ctx, await lockProduct(ctx, id), patch, undefined, true);
}

async function adjust(ctx: Ctx, id: string, { field, percentBp, amount, rounding }: Adjust): Promise<void> {
  const row = await lockProduct(ctx, id);
  const by: Adjustment = amount === null ? { percentBp: percentBp ?? 0 } : { amount: amount.amount };
  const changes: VariantChange[] = [];
  for (const one of await ctx.rows(variant).find({ productId: id }, { orderBy: ['id'] })) {
    const old = one[field];
    if (!old) continue;
    if (amount !== null && amount.currency !== old.currency)
      throw problem('currency_mismatch', {
        detail: `The price of ${one.sku} is in ${old.currency}, another currency than the adjustment.`,
      });
    const next = adjustedPrice(old.amount, old.currency, by, rounding);
    if (next < 0) throw problem('money_invalid', { detail: `The price of ${one.sku} would be negative.` });
    if (next !== old.amount) changes.push({ id: one.id, [field]: { amount: next, currency: old.currency } });
  }
  if (changes.length > 0) await changeProduct(ctx, row, {}, changes, true);
}

export const bulkRoute = route(
  'POST',
  '/products/bulk',
  {
    permission: 'catalog.product.bulk',
    body,
    response: {
      results: f.list(
        f.object({ id: f.id(), ok: f.bool(), error: f.object({ code: f.text(), detail: f.text({ max: 2000 }) }).optional() }),
      ),
      succeeded: f.int(),
      failed: f.int(),
    },
    problems: ['too_many', 'money_invalid', 'currency_mismatch'],
    summary: 'Run one operation on up to 500 products; one that fails leaves the others unaffected',
  },
  async (ctx, req) => {
    const ids = [...new Set(req.body.ids)];
    if (ids.length > most)
      throw problem('too_many', { detail: `The request has ${ids.length} products; the maximum is ${most}.` });
    const step = await stepOf(ctx, req.body);
    const done = new Map<string, { id: string; ok: boolean; error: { code: string; detail: string } | null }>();
    // In id order, so that two bulk requests can't deadlock.
    for (const id of [...ids].sort()) done.set(id, { id, ...(await attempt(ctx, () => step(id))) });
    const results = ids.map((id) => done.get(id)!);
    await settle(
      ctx,
      results.filter(({ ok }) => ok).map(({ id }) => id),
    );
    const succeeded = results.filter(({ ok }) => ok).length;
    await ctx.audit({ entity: 'catalog.product', entityId: null, extra: { op: req.body.op, patch: req.body.patch, results } });
    return { results, succeeded, failed: results.length - succeeded };
  },
);

async function attempt(
  ctx: Ctx,
  step: () => Promise<void>,
): Promise<{ ok: boolean; error: { code: string; detail: string } | null }> {
  try {
    await ctx.savepoint(step);
    return { ok: true, error: null };
  } catch (error) {
    // A deadlock retries the whole request. Internal errors fail it, instead of becoming a result.
    if (isRetryable(error)) throw error;
    const known = error instanceof Problem ? error : databaseProblem(error);
    if (!known || known.code === 'unavailable') throw error;
    return { ok: false, error: { code: known.code, detail: known.extra.detail ?? known.code } };
  }
}
