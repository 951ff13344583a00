import {
  type Ctx,
  type Person,
  type peopleErase,
  type peopleExport,
  type RawBuilder,
  sql,
  type TapFn,
} from '@storeloom/plugin-sdk';

const personCondition = ({ customerId, emails }: Person, byEmail: boolean): RawBuilder<unknown> =>
  sql`(customer_id = ${customerId ?? null}${byEmail ? sql` or email = any(${emails}::text[])` : sql``})`;

/** Exports payments and saved instruments of the person, without the provider's tokens. */
export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person) => {
  const t = ctx.tenant.id;
  const payments = await ctx.db.rows<Record<string, unknown>>(
    sql`select id, for_type as "forType", for_id as "forId", method_code as "methodCode", status, amount_amount as amount,
      amount_currency as currency, captured_amount as "capturedAmount", refunded_amount as "refundedAmount", email, description, created_at as "createdAt"
    from payments_payment where tenant_id = ${t} and ${personCondition(person, true)} order by id`,
  );
  const instruments = await ctx.db.rows<Record<string, unknown>>(
    sql`select id, provider, brand, last4, expiry, used_at as "usedAt", created_at as "createdAt"
    from payments_instrument where tenant_id = ${t} and ${personCondition(person, false)} order by id`,
  );
  return [
    ...(payments.length > 0 ? [{ resource: 'payments.payment', rows: payments }] : []),
    ...(instruments.length > 0 ? [{ resource: 'payments.instrument', rows: instruments }] : []),
  ];
};

/** Deletes instruments. Payments are kept for accounting, without address, secrets or URLs. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const t = ctx.tenant.id;
  const instruments = await ctx.db.run(
    sql`delete from payments_instrument where tenant_id = ${t} and ${personCondition(person, false)}`,
  );
  const payments = await ctx.db.run(
    sql`update payments_payment set email = null, client_secret = null, redirect_url = null, return_url = null, reference = null,
      save_instrument = false, version = version + 1, updated_at = ${ctx.clock.now()}
    where tenant_id = ${t} and ${personCondition(person, true)} and (email is not null or client_secret is not null or redirect_url is not null or return_url is not null or reference is not null)`,
  );
  person.report({ resource: 'payments.instrument', erased: instruments });
  person.report({ resource: 'payments.payment', erased: payments });
};
