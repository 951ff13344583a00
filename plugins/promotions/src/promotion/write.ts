import { isDeepStrictEqual } from 'node:util';
import {
  type CreateOf,
  type Ctx,
  checkNotInUse,
  checkReferences,
  checkVersion,
  f,
  type PatchOf,
  Problem,
  problem,
  sql,
} from '@storeloom/plugin-sdk';
import { queued } from '../queued.ts';
import { draftErrors, type PromotionDraft, type PromotionInput, resolveDefaults } from './check.ts';
import { writeCodes } from './code.ts';
import { referenceOf, valuesOf } from './conditions.ts';
import { type PromotionRow, promotion, promotionBody } from './promotion.ts';

type Body = CreateOf<typeof promotionBody>;

export async function createPromotion(ctx: Ctx, { codes, ...input }: Body): Promise<string> {
  const draft = resolveDefaults(input);
  await validate(ctx, draft, { ...input, codes });
  const coded = draft.code !== null || codes !== null;
  const row = await ctx.rows(promotion).insert({ ...draft, coded, enabledAt: draft.enabled ? ctx.clock.now() : null });
  if (coded) await writeCodes(ctx, row, codes);
  await updateCatalogPrices(ctx, row);
  return row.id;
}

export async function updatePromotion(
  ctx: Ctx,
  id: string,
  { codes, ...patch }: PatchOf<typeof promotionBody>,
  ifMatch: number | undefined,
): Promise<void> {
  const before = await ctx.rows(promotion).require(id, { lock: true });
  checkVersion(ifMatch, before);
  if (Object.keys(patch).length === 0 && codes === undefined) return;
  const draft = resolveDefaults({ ...inputOf(before, patch), ...patch });
  if (immutableOnceUsed.some((field) => !isDeepStrictEqual(draft[field], before[field])) && (await isUsed(ctx, id)))
    throw problem('promotion_in_use', { detail: 'The promotion has been used. Archive it and create a new one.' });
  await validate(ctx, draft, { ...patch, codes });
  const ownCodes = codes === undefined ? before.coded && (before.code === null || (await hasOwnCodes(ctx, id))) : codes !== null;
  const row = await ctx.rows(promotion).update(id, {
    ...draft,
    coded: draft.code !== null || ownCodes,
    enabledAt: draft.enabled && !before.enabled ? ctx.clock.now() : before.enabledAt,
  });
  await writeCodes(ctx, row, codes);
  await recount(ctx, id);
  await updateCatalogPrices(ctx, row, before);
}

/** Orders have been placed with these fields, so they can't change after the first use. */
const immutableOnceUsed = ['type', 'target', 'value', 'stage'] as const;

export async function removePromotion(ctx: Ctx, id: string, ifMatch: number | undefined): Promise<void> {
  const row = await ctx.rows(promotion).require(id, { lock: true });
  checkVersion(ifMatch, row);
  if (await isUsed(ctx, id)) throw problem('promotion_in_use', { detail: 'The promotion has been used. Archive it instead.' });
  await checkNotInUse(ctx, 'promotions.promotion', id);
  await ctx.rows(promotion).remove(id);
  await updateCatalogPrices(ctx, row);
}

/** Converts the row to a request body. Defaults that follow from a changed type, stage or target are left open. */
function inputOf(row: PromotionRow, patch: PatchOf<typeof promotionBody>): PromotionInput {
  const { id: _, createdAt: __, updatedAt: ___, version: ____, coded: _____, enabledAt: ______, ...input } = row;
  const changesType =
    (patch.type !== undefined && patch.type !== row.type) || (patch.stage !== undefined && patch.stage !== row.stage);
  const changesTarget = patch.target !== undefined && patch.target !== row.target;
  return {
    ...input,
    ...(changesType ? { basis: null, target: null, allocation: null } : {}),
    ...(changesTarget ? { allocation: null } : {}),
  };
}

/** Throws 422 with all errors, or 404 for missing references. `input`: the fields of the request. */
async function validate(ctx: Ctx, draft: PromotionDraft, input: PatchOf<typeof promotionBody>): Promise<void> {
  const errors = draftErrors(draft);
  if (draft.stage === 'catalog' && input.codes)
    errors.push({ pointer: '/codes', code: 'invalid', message: 'is not allowed in the catalogue stage' });
  if (errors.length > 0) {
    const money = errors.every(({ code }) => code === 'money_invalid');
    throw new Problem(money ? 'money_invalid' : 'validation_failed', {
      detail: errors
        .slice(0, 5)
        .map(({ pointer, message }) => `${pointer}: ${message}`)
        .join('; '),
      errors,
    });
  }
  await checkReferences(ctx, promotionBody, input);
  if (input.conditions === undefined) return;
  for (const [i, condition] of draft.conditions.entries()) {
    const target = referenceOf[condition.type];
    if (target === undefined) continue;
    const list = Array.isArray(condition.value);
    const field = list ? f.list(f.ref(target)) : f.ref(target);
    await checkReferences(ctx, { value: field }, { value: list ? valuesOf(condition) : condition.value }, `/conditions/${i}`);
  }
}

async function isUsed(ctx: Ctx, id: string): Promise<boolean> {
  return (
    (await ctx.db.first(
      sql`select 1 as x from promotions_usage where tenant_id = ${ctx.tenant.id} and promotion_id = ${id} limit 1`,
    )) !== undefined
  );
}

async function hasOwnCodes(ctx: Ctx, id: string): Promise<boolean> {
  const own = sql`select 1 as x from promotions_code where tenant_id = ${ctx.tenant.id} and promotion_id = ${id} and not shared and not issued limit 1`;
  return (await ctx.db.first(own)) !== undefined;
}

/**
 * Counters are maintained only while limits exist, so they are recomputed when limits may be new. The caller has locked the row.
 */
async function recount(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.run(sql`
    update promotions_promotion t set used_count = u.count, used_amount = u.amount from (
      select count(*)::int as count, coalesce(sum(u.discount_amount) filter (where u.discount_currency = p.budget_currency), 0) as amount
      from promotions_promotion p left join promotions_usage u on u.tenant_id = p.tenant_id and u.promotion_id = p.id and u.reverted_at is null
      where p.tenant_id = ${ctx.tenant.id} and p.id = ${id} group by p.id) u
    where t.tenant_id = ${ctx.tenant.id} and t.id = ${id} and t.limited`);
}

/** A catalogue promotion changes catalogue prices now, and when it starts and ends. */
async function updateCatalogPrices(ctx: Ctx, row: PromotionRow, before?: PromotionRow): Promise<void> {
  if (row.stage !== 'catalog' && before?.stage !== 'catalog') return;
  ctx.dropCache('catalog');
  const now = ctx.clock.now();
  for (const at of [row.startsAt, row.endsAt])
    if (at !== null && at > now) await ctx.enqueue(queued.shelfDue, {}, { startAfter: at, key: `${row.id} ${at}` });
}
