import { type lateMoney, type Payments, payments } from '@storeloom/commerce';
import {
  type Ctx,
  type DomainEvent,
  type HookInput,
  type HookResult,
  type MoneyValue,
  problem,
  sql,
} from '@storeloom/plugin-sdk';
import { holdUntil } from '@storeloom/plugin-sdk/reserve';
import { appointment, endTogether } from './appointment.ts';
import { type Appointment, hasEnded } from './appointment-fields.ts';
import { settings } from './settings.ts';

/** What payments call the thing that is paid: a basket, or an appointment alone. */
const paidType = 'booking.appointment';
const thingOf = ({ id, basketId }: Appointment) => ({ type: paidType, id: basketId ?? id });

/** Before anything is kept: money that nobody can take would keep times in vain. @throws 501 `provider_not_configured` */
export async function requireOnline(ctx: Ctx, total: MoneyValue): Promise<void> {
  const methods = await ctx.require(payments).methods({ total });
  if (!methods.some(({ online }) => online))
    throw problem('provider_not_configured', { provider: 'payments', detail: 'No online payment method is enabled for this.' });
}

export function depositOf(ctx: Ctx, rows: readonly Pick<Appointment, 'deposit' | 'seats'>[]): MoneyValue {
  return {
    amount: rows.reduce((sum, { deposit, seats }) => sum + (deposit?.amount ?? 0) * seats, 0),
    currency: ctx.tenant.currency,
  };
}

/** Sends the customer to pay. Where that fails the times are free again. Outside any transaction. */
export async function startPayment(ctx: Ctx, rows: readonly Appointment[], returnUrl: string | null): Promise<string | null> {
  const [first] = rows as [Appointment];
  try {
    const request: Parameters<Payments['start']>[0] = {
      for: thingOf(first),
      amount: depositOf(ctx, rows),
      email: first.customer?.email ?? '',
      description: first.reference,
      ...(first.holdExpiresAt === null ? {} : { expiresAt: first.holdExpiresAt }),
      ...(first.customerId === null ? {} : { customerId: first.customerId }),
      ...(returnUrl === null ? {} : { returnUrl }),
    };
    const { status, url } = await ctx.require(payments).start(request);
    if (status === 'failed') throw problem('unavailable', { detail: 'The payment could not be begun; no time is kept.' });
    return url;
  } catch (error) {
    await ctx.transaction(async (inner) => {
      const kept = await appointmentsOf(inner, thingOf(first));
      await endTogether(
        inner,
        kept.filter(({ status }) => status === 'pending'),
        'expire',
      );
    });
    throw error;
  }
}

/** The appointments of a payment, locked. */
async function appointmentsOf(ctx: Ctx, { type, id }: { type: string; id: string }): Promise<Appointment[]> {
  if (type !== paidType) return [];
  const ids = await ctx.db.rows<{ id: string }>(sql`
    select id from booking_appointment where tenant_id = ${ctx.tenant.id} and (id = ${id} or basket_id = ${id}) order by id for update`);
  return ids.length === 0
    ? []
    : ((await ctx.rows(appointment).find({ id: ids.map((row) => row.id) }, { orderBy: ['id'] })) as Appointment[]);
}

/**
 * The deposit is there: what waited for it is confirmed, or waits for staff. A hold that nobody has ended yet still has its time, lapsed or
 * not. True where the money has a place.
 */
async function settle(ctx: Ctx, rows: readonly Appointment[]): Promise<boolean> {
  // Told again: what has ended since took its part of the money along.
  if (rows.some(({ depositPaid, status }) => depositPaid && !hasEnded(status))) return true;
  if (rows.some(({ status }) => hasEnded(status))) return false;
  const services = await ctx.db.rows<{ n: number }>(sql`
    select 1 as n from booking_service where tenant_id = ${ctx.tenant.id} and requires_confirmation
      and id = any(${rows.map(({ serviceId }) => serviceId)}::uuid[])`);
  const first = rows.map(({ startsAt }) => startsAt).sort()[0] as string;
  for (const { id, status } of rows) {
    // Staff may have confirmed it before the money came.
    if (status !== 'pending') await ctx.rows(appointment).update(id, { depositPaid: true });
    else if (services.length > 0) {
      const holdExpiresAt = holdUntil(ctx, ctx.settings(settings).approvalHoldHours * 60, first);
      await ctx.rows(appointment).update(id, { depositPaid: true, holdExpiresAt });
      await ctx.emit('booking.appointment.created', { id, data: { id } });
    } else {
      await ctx.rows(appointment).update(id, { depositPaid: true });
      await appointment.move(ctx, id, 'pay');
    }
  }
  return true;
}

/** payments.payment.captured */
export async function paid(ctx: Ctx, { data }: DomainEvent): Promise<void> {
  const thing = data.for as { type: string; id: string };
  const rows = await appointmentsOf(ctx, thing);
  if (rows.length > 0 && !(await settle(ctx, rows))) await ctx.enqueue('giveBack', { id: thing.id });
}

/** payments:late-money */
export async function lateMoneyWish(
  ctx: Ctx,
  { for: thing }: HookInput<typeof lateMoney>,
): Promise<HookResult<typeof lateMoney>> {
  const rows = await appointmentsOf(ctx, thing);
  if (rows.length === 0) return undefined;
  return (await settle(ctx, rows)) ? 'hold' : 'refund';
}

/** Job `giveBack`, which holds no lock of ours: payments take their own rows first and ask us then. */
export async function giveBack(ctx: Ctx, data: Record<string, unknown>): Promise<void> {
  await ctx.use(payments)?.release({ type: paidType, id: data.id as string }, { refund: true, reason: 'booking_ended' });
}

/** booking.appointment.cancelled, declined, expired: the deposit goes back; a part of a basket takes its part along. */
export async function depositBack(ctx: Ctx, { data }: DomainEvent): Promise<void> {
  const row = (await ctx.rows(appointment).get(data.id as string)) as Appointment | undefined;
  const service = ctx.use(payments);
  if (!service || !row?.deposit) return;
  const thing = thingOf(row);
  const all = (row.basketId ? await ctx.rows(appointment).find({ basketId: row.basketId }) : [row]) as Appointment[];
  if (all.every(({ status }) => hasEnded(status))) await service.release(thing, { refund: true, reason: 'booking_ended' });
  else if (row.depositPaid) {
    const found = (await service.of(thing)).find(({ capturedAmount }) => capturedAmount > 0);
    if (found)
      await service.refund({
        paymentId: found.id,
        amount: depositOf(ctx, [row]),
        reason: 'booking_ended',
        key: `booking ${row.id}`,
      });
  }
}
