import type { HookInput } from '@storeloom/plugin-sdk';
import { type Ctx, type Person, type peopleErase, sql } from '@storeloom/plugin-sdk';
import { emailHash } from './placing/usage.ts';

function emailHashes(ctx: Ctx, { emails }: Person): string[] {
  return emails.map((email) => emailHash(ctx, email));
}

/** Exports a person's uses of promotions and the codes issued to them. */
export async function exportPerson(ctx: Ctx, person: Person): Promise<{ resource: string; rows: Record<string, unknown>[] }[]> {
  const customerId = person.customerId ?? null;
  const usages = await ctx.db.rows<Record<string, unknown>>(sql`
    select p.name as promotion, u.order_id as "orderId", u.reference, u.code, u.created_at as "createdAt", u.reverted_at as "revertedAt",
      json_build_object('amount', u.discount_amount, 'currency', u.discount_currency) as discount
    from promotions_usage u join promotions_promotion p on p.tenant_id = u.tenant_id and p.id = u.promotion_id
    where u.tenant_id = ${ctx.tenant.id} and (u.customer_id = ${customerId}::uuid or u.email_hash = any(${emailHashes(ctx, person)}::text[]))
    order by u.created_at, u.id`);
  const codes = await ctx.db.rows<Record<string, unknown>>(sql`
    select p.name as promotion, c.code, c.created_at as "createdAt", c.used_at as "usedAt"
    from promotions_code c join promotions_promotion p on p.tenant_id = c.tenant_id and p.id = c.promotion_id
    where c.tenant_id = ${ctx.tenant.id} and c.customer_id = ${customerId}::uuid order by c.created_at, c.id`);
  return [
    { resource: 'promotions.usage', rows: usages },
    { resource: 'promotions.code', rows: codes },
  ];
}

/** Anonymises uses, which limits and statistics need. Deletes unused personal codes. */
export async function erasePerson(ctx: Ctx, person: HookInput<typeof peopleErase>): Promise<void> {
  const customerId = person.customerId ?? null;
  const now = ctx.clock.now();
  const usages = await ctx.db.run(sql`
    update promotions_usage set customer_id = null, email_hash = null, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and (customer_id = ${customerId}::uuid or email_hash = any(${emailHashes(ctx, person)}::text[]))`);
  person.report({ resource: 'promotions.usage', erased: usages });
  const unused = await ctx.db.run(
    sql`delete from promotions_code where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}::uuid and used_at is null`,
  );
  const used = await ctx.db.run(sql`
    update promotions_code set customer_id = null, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}::uuid`);
  person.report({ resource: 'promotions.code', erased: unused + used });
}
