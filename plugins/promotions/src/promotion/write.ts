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
import { type Draft, draftFaults, draftOf, type PromotionInput } from './check.ts';
import { writeCodes } from './code.ts';
import { referenceOf, valuesOf } from './conditions.ts';
import { type PromotionRow, promotion, promotionBody } from './promotion.ts';

type Body = CreateOf<typeof promotionBody>;

export async function createPromotion(ctx: Ctx, { codes, ...input }: Body): Promise<string> {
  const draft = draftOf(input);
  await check(ctx, draft, { ...input, codes });
  const coded = draft.code !== null || codes !== null;
  const row = await ctx.rows(promotion).insert({ ...draft, coded, enabledAt: draft.enabled ? ctx.clock.now() : null });
  if (coded) await writeCodes(ctx, row, codes);
  await changed(ctx, row);
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
  const draft = draftOf({ ...inputOf(before, patch), ...patch });
  if (frozen.some((member) => !isDeepStrictEqual(draft[member], before[member])) && (await isUsed(ctx, id)))
    throw problem('promotion_in_use', { detail: 'The promotion has been used. Archive it and create a new one.' });
  await check(ctx, draft, { ...patch, codes });
  const ownCodes = codes === undefined ? before.coded && (before.code === null || (await hasOwnCodes(ctx, id))) : codes !== null;
  const row = await ctx.rows(promotion).update(id, {
    ...draft,
    coded: draft.code !== null || ownCodes,
    enabledAt: draft.enabled && !before.enabled ? ctx.clock.now() : before.enabledAt,
  });
  await writeCodes(ctx, row, codes);
  await recount(ctx, id);
  await changed(ctx, row, before);
}

/** What orders have agreed to can't become something else. */
const frozen = ['type', 'target', 'value', 'stage'] as const;

export async function removePromotion(ctx: Ctx, id: string, ifMatch: number | undefined): Promise<void> {
  const row = await ctx.rows(promotion).require(id, { lock: true });
  checkVersion(ifMatch, row);
  if (await isUsed(ctx, id)) throw problem('promotion_in_use', { detail: 'The promotion has been used. Archive it instead.' });
  await checkNotInUse(ctx, 'promotions.promotion', id);
  await ctx.rows(promotion).remove(id);
  await changed(ctx, row);
}

/** The row as a request would say it. What followed from a type, stage or target that now changes is left open again. */
function inputOf(row: PromotionRow, patch: PatchOf<typeof promotionBody>): PromotionInput {
  const { id: _, createdAt: __, updatedAt: ___, version: ____, coded: _____, enabledAt: ______, ...input } = row;
  const other = (patch.type !== undefined && patch.type !== row.type) || (patch.stage !== undefined && patch.stage !== row.stage);
  const elsewhere = patch.target !== undefined && patch.target !== row.target;
  return {
    ...input,
    ...(other ? { basis: null, target: null, allocation: null } : {}),
    ...(elsewhere ? { allocation: null } : {}),
  };
}

/** 422 with every fault, 404 for things that aren't there; `said` is what the request names. */
async function check(ctx: Ctx, draft: Draft, said: PatchOf<typeof promotionBody>): Promise<void> {
  const faults = draftFaults(draft);
  if (draft.stage === 'catalog' && said.codes)
    faults.push({ pointer: '/codes', code: 'invalid', message: 'is not allowed in the catalogue stage' });
  if (faults.length > 0) {
    const money = faults.every(({ code }) => code === 'money_invalid');
    throw new Problem(money ? 'money_invalid' : 'validation_failed', {
      detail: faults
        .slice(0, 5)
        .map(({ pointer, message }) => `${pointer}: ${message}`)
        .join('; '),
      errors: faults,
    });
  }
  await checkReferences(ctx, promotionBody, said);
  if (said.conditions === undefined) return;
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

/** What limits are compared with is only kept while there are some, so it is counted when they may be new. The row is locked. */
async function recount(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.run(sql`
    update promotions_promotion t set used_count = u.count, used_amount = u.amount from (
      select count(*)::int as count, coalesce(sum(u.discount_amount) filter (where u.discount_currency = p.budget_currency), 0) as amount
      from promotions_promotion p left join promotions_usage u on u.tenant_id = p.tenant_id and u.promotion_id = p.id and u.reverted_at is null
      where p.tenant_id = ${ctx.tenant.id} and p.id = ${id} group by p.id) u
    where t.tenant_id = ${ctx.tenant.id} and t.id = ${id} and t.limited`);
}

/** Prices on the shelf change with promotions of the catalogue stage: now, and when they begin and end. */
async function changed(ctx: Ctx, row: PromotionRow, before?: PromotionRow): Promise<void> {
  if (row.stage !== 'catalog' && before?.stage !== 'catalog') return;
  ctx.dropCache('catalog');
  const now = ctx.clock.now();
  for (const at of [row.startsAt, row.endsAt])
    if (at !== null && at > now) await ctx.enqueue(queued.shelfDue, {}, { startAfter: at, key: `${row.id} ${at}` });
}
