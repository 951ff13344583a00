import { randomInt } from 'node:crypto';
import { type Ctx, f, invalid, problem, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import type { PromotionRow } from './promotion.ts';

/** A code of a promotion: a shared one, or a single-use one. */
export const promotionCode = table(
  'code',
  {
    promotionId: f.id(),
    code: f.text({ max: 60 }),
    codeKey: f.text({ max: 180 }),
    shared: f.bool(),
    issued: f.bool(),
    customerId: f.ref('customers.customer').optional(),
    usedAt: f.instant().optional(),
    archived: f.bool(),
  },
  {
    uniques: [{ name: 'promotions_code_code_key', fields: ['codeKey'], where: 'not archived' }],
    indexes: [
      { name: 'promotions_code_customer_idx', fields: ['customerId'], where: 'customer_id is not null' },
      { name: 'promotions_code_promotion_idx', fields: ['promotionId'] },
    ],
  },
);

/** Codes are compared without case and surrounding spaces. */
export function codeKey(code: string): string {
  return code.normalize('NFC').trim().toUpperCase();
}

// No look-alike characters, and no vowels, so that codes don't form words.
const alphabet = '23456789BCDFGHJKMNPQRSTVWXZ';
/** 57 random bits in groups that are easy to read out: `K7FD-2QXM-9TBR`. */
function newCode(): string {
  const group = (): string => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${group()}-${group()}-${group()}`;
}

/** Replaces the codes of a promotion by the row's shared code and the list. Without a list its single-use codes stay. */
export async function writeCodes(ctx: Ctx, row: PromotionRow, codes: readonly string[] | null | undefined): Promise<void> {
  if (codes) checkDuplicates(codes);
  const given = [...(row.code === null ? [] : [row.code]), ...(codes ?? [])];
  if (!row.archived) await checkAvailable(ctx, row.id, given, codes ?? []);
  const ofRow = sql`tenant_id = ${ctx.tenant.id} and promotion_id = ${row.id}`;
  const now = ctx.clock.now();
  await ctx.db.run(
    sql`delete from promotions_code where ${ofRow} and shared and code_key is distinct from ${row.code === null ? null : codeKey(row.code)}`,
  );
  if (codes !== undefined)
    await ctx.db.run(
      sql`delete from promotions_code where ${ofRow} and not shared and not issued and used_at is null and code_key <> all(${(codes ?? []).map(codeKey)}::text[])`,
    );
  await ctx.db.run(
    sql`update promotions_code set archived = ${row.archived}, updated_at = ${now}, version = version + 1 where ${ofRow} and archived <> ${row.archived}`,
  );
  await insertCodes(ctx, row, row.code === null ? [] : [row.code], true);
  await insertCodes(ctx, row, codes ?? [], false);
}

/** Codes that the promotion has already are kept. */
async function insertCodes(ctx: Ctx, row: PromotionRow, codes: readonly string[], shared: boolean): Promise<void> {
  if (codes.length === 0) return;
  const now = ctx.clock.now();
  const ids = codes.map(() => uuidv7(ctx.clock.ms()));
  await ctx.db.run(sql`
    insert into promotions_code (tenant_id, id, promotion_id, code, code_key, shared, issued, archived, created_at, updated_at)
    select ${ctx.tenant.id}, x.id, ${row.id}, x.code, x.key, ${shared}, false, ${row.archived}, ${now}, ${now}
    from unnest(${ids}::uuid[], ${codes}::text[], ${codes.map(codeKey)}::text[]) as x (id, code, key)
    where not exists (select from promotions_code c where c.tenant_id = ${ctx.tenant.id} and c.promotion_id = ${row.id} and c.code_key = x.key)`);
}

function checkDuplicates(codes: readonly string[]): void {
  const seen = new Set<string>();
  for (const [i, code] of codes.entries()) {
    if (seen.has(codeKey(code))) throw invalid(`/codes/${i}`, 'repeated', 'is duplicated');
    seen.add(codeKey(code));
  }
}

/** 409 `duplicate {field}`: a promotion that isn't archived has the code, or this one has it as shared and as single-use. */
async function checkAvailable(ctx: Ctx, id: string, given: readonly string[], codes: readonly string[]): Promise<void> {
  if (given.length === 0) return;
  const single = new Set(codes.map(codeKey));
  const keys = given.map(codeKey);
  const hasDuplicates = keys.length > new Set(keys).size;
  const taken = await ctx.db.first<{ key: string }>(sql`
    select code_key as key from promotions_code where tenant_id = ${ctx.tenant.id} and code_key = any(${keys}::text[]) and not archived
      and (promotion_id <> ${id} or shared = (code_key = any(${[...single]}::text[]))) limit 1`);
  if (!taken && !hasDuplicates) return;
  const field = hasDuplicates || single.has(taken!.key) ? 'codes' : 'code';
  throw problem('duplicate', { field, detail: 'Another promotion uses this code. Choose another one.' });
}

/** Issues a single-use code of a promotion, for one customer or for any buyer. */
export async function issueCode(ctx: Ctx, promotionId: string, customerId: string | null): Promise<{ code: string }> {
  const found = await ctx.db.first<{ stage: string; archived: boolean }>(
    sql`select stage, archived from promotions_promotion where tenant_id = ${ctx.tenant.id} and id = ${promotionId} for share`,
  );
  if (!found || found.archived) throw problem('not_found', { detail: "The promotion doesn't exist." });
  if (found.stage === 'catalog') throw problem('coupon_not_eligible', { detail: "Catalogue promotions can't have codes." });
  const code = newCode();
  await ctx
    .rows(promotionCode)
    .insert({ promotionId, code, codeKey: codeKey(code), shared: false, issued: true, customerId, archived: false });
  return { code };
}
