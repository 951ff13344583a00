import type { Payments } from '@storeloom/commerce';
import { type Ctx, f, referenceNotFound, sql, type TableRow, table } from '@storeloom/plugin-sdk';
import type { ProviderPayment } from '../provider/adapter.ts';
import type { PaymentRow } from './payment.ts';

/** A payment instrument that the buyer saved, for one-click payments and renewals. */
export const instrument = table(
  'instrument',
  {
    customerId: f.id(),
    methodId: f.id(),
    provider: f.text({ max: 40 }),
    token: f.secret(),
    tokenHash: f.text({ max: 100 }),
    brand: f.text({ max: 40 }),
    last4: f.text({ max: 4 }),
    /** `2027-04`. */
    expiry: f.text({ max: 7 }).optional(),
    usedAt: f.instant(),
  },
  { uniques: [{ fields: ['customerId', 'tokenHash'] }] },
);
export type InstrumentRow = TableRow<typeof instrument>;

/** Saves the instrument of a payment, or updates the saved one with the same token. */
export async function saveInstrumentOf(
  ctx: Ctx,
  { customerId, methodId, provider }: Pick<PaymentRow, 'customerId' | 'methodId' | 'provider'>,
  given: NonNullable<ProviderPayment['instrument']>,
): Promise<void> {
  if (customerId === null) return;
  const rows = ctx.rows(instrument);
  const tokenHash = ctx.sign('payments.instrument', given.token);
  const { token, brand, last4, expiry } = given;
  const usedAt = ctx.clock.now();
  const known = await rows.first({ customerId, tokenHash }, { lock: true });
  if (known) await rows.update(known.id, { brand, last4, expiry, methodId, usedAt });
  else await rows.insert({ customerId, methodId, provider, token, tokenHash, brand, last4, expiry, usedAt });
}

/** A customer's saved instruments of enabled methods, most recently used first. */
export function instrumentsOf(ctx: Ctx, customerId: string): ReturnType<Payments['instruments']> {
  return ctx.transaction((ctx) =>
    ctx.db.rows(sql`select i.id, m.code as "methodCode", i.brand, i.last4, i.expiry
      from payments_instrument i join payments_payment_method m on m.tenant_id = i.tenant_id and m.id = i.method_id
      where i.tenant_id = ${ctx.tenant.id} and i.customer_id = ${customerId} and m.enabled and m.deleted_at is null
      order by i.used_at desc, i.id desc`),
  );
}

/** Returns the customer's instrument of this method: otherwise 404 with the pointer. */
export async function requireInstrument(
  ctx: Ctx,
  id: string,
  { customerId, methodId }: { customerId: string | null; methodId: string },
): Promise<InstrumentRow> {
  const row = await ctx.rows(instrument).get(id);
  if (!row || customerId === null || row.customerId !== customerId || row.methodId !== methodId)
    throw referenceNotFound('/paymentInstrumentId');
  return row;
}
