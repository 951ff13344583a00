import { customers } from '@storeloom/commerce';
import { type Ctx, invalid, problem, sql } from '@storeloom/plugin-sdk';
import { splitName } from '@storeloom/plugin-sdk/people';
import { withKeyLocks } from '@storeloom/plugin-sdk/reserve';
import { type Interval, instant } from '@storeloom/plugin-sdk/time';
import type { CustomerData } from './appointment-fields.ts';
import { settings } from './settings.ts';

export interface Who {
  customer: CustomerData;
  customerId: string | null;
}

/** The customer of a booking by staff: as given, or from the customer's record. @throws 422 without either */
export async function resolveCustomer(ctx: Ctx, customer: CustomerData | null, customerId: string | null): Promise<Who> {
  if (customer) return { customer: { ...customer }, customerId };
  const known = customerId === null ? undefined : await ctx.use(customers)?.get(customerId);
  if (!known) throw invalid('/customer', 'required', 'is required, or customerId');
  const name = [known.firstName, known.lastName].filter((part) => part).join(' ') || known.email;
  return { customer: { name, email: known.email, phone: known.phone }, customerId };
}

/** Id of the signed-in customer, else of one found or created by e-mail. For use behind the lock of the staff. */
export async function customerOf(ctx: Ctx, { name, email, phone }: CustomerData): Promise<string | null> {
  if (ctx.actor.type === 'customer') return ctx.actor.customerId;
  const service = ctx.use(customers);
  if (!service || email === null) return null;
  const { id } = await service.upsert({ email, phone, ...splitName(name) });
  return id;
}

/** Enforces `refuseCustomerOverlap`. @throws 409 `customer_busy` */
export async function refuseOverlap(
  ctx: Ctx,
  { customer, customerId }: Who,
  spans: readonly Interval[],
  except: readonly string[] = [],
): Promise<void> {
  if (!ctx.settings(settings).refuseCustomerOverlap) return;
  const names = [customerId, customer.email, customer.phone].filter((name) => name !== null);
  const from = instant(Math.min(...spans.map(({ start }) => start)));
  const until = instant(Math.max(...spans.map(({ end }) => end)));
  await withKeyLocks(
    ctx,
    names.map((name) => `customer ${name}`),
    async () => {
      const found = await ctx.db.first(sql`
      select 1 from booking_appointment where tenant_id = ${ctx.tenant.id} and starts_at < ${until}::timestamptz and ends_at > ${from}::timestamptz
        and (status in ('confirmed', 'checked_in') or (status = 'pending' and (hold_expires_at is null or hold_expires_at > ${ctx.clock.now()}::timestamptz)))
        and (customer_id = ${customerId}::uuid or customer ->> 'email' = ${customer.email} or customer ->> 'phone' = ${customer.phone})
        and id <> all(${[...except]}::uuid[]) limit 1`);
      if (found) throw problem('customer_busy', { detail: 'The customer has another appointment at this time.' });
    },
  );
}
