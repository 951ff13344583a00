import { type PaymentSubject, payable, type settlePayable } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, LockMode, type MoneyValue, op, sql, type TapFn } from '@storeloom/plugin-sdk';
import { holdUntil } from '@storeloom/plugin-sdk/reserve';
import { AppointmentEntity, appointment, endTogether } from './appointment.ts';
import { type Appointment, hasEnded } from './appointment-fields.ts';
import { appointmentEvents } from './events.ts';
import { settings } from './settings.ts';

/** Subject of payments: a basket, or an appointment alone. */
const paidType = 'booking.appointment';
const subjectOf = ({ id, basketId }: Appointment) => ({ type: paidType, id: basketId ?? id });

export function depositOf(ctx: Ctx, rows: readonly Pick<Appointment, 'deposit' | 'seats'>[]): MoneyValue {
  return {
    amount: rows.reduce((sum, { deposit, seats }) => sum + (deposit?.amount ?? 0) * seats, 0),
    currency: ctx.tenant.currency,
  };
}

/** Starts the payment of the deposits and returns the address of its page; on failure the times are free again. Outside any transaction. */
export function startPayment(ctx: Ctx, rows: readonly Appointment[], returnUrl: string | null): Promise<string | null> {
  const [first] = rows as [Appointment];
  const { customer, customerId, reference: description, holdExpiresAt: expiresAt } = first;
  const request = { for: subjectOf(first), amount: depositOf(ctx, rows), email: customer?.email ?? '', description };
  return ctx.require(payable).start({ ...request, expiresAt, customerId, returnUrl }, () =>
    ctx.transaction(async (inner) => {
      const held = (await appointmentsOf(inner, subjectOf(first))).filter(({ status }) => status === 'pending');
      await endTogether(inner, held, 'expire');
    }),
  );
}

/** The appointments of a payment, locked. */
async function appointmentsOf(ctx: Ctx, { type, id }: PaymentSubject) {
  if (type !== paidType) return [];
  const filter = op.or({ id }, { basketId: id });
  return ctx.em.find(AppointmentEntity, filter, { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE });
}

/**
 * payments:payable.settle: the deposit confirms the appointments, or they wait for approval by staff. A hold that hasn't been expired yet
 * still has its time, lapsed or not.
 */
export const settleDeposit: TapFn<typeof settlePayable> = async (ctx, { for: subject }) => {
  const rows = await appointmentsOf(ctx, subject);
  if (rows.length === 0) return undefined;
  // A repeated call. Items of a basket that have ended since have had their share refunded.
  if (rows.some(({ depositPaid, status }) => depositPaid && !hasEnded(status))) return 'accepted';
  if (rows.some(({ status }) => hasEnded(status))) return 'refused';
  const services = await ctx.db.rows<{ n: number }>(sql`
    select 1 as n from booking_service where tenant_id = ${ctx.tenant.id} and requires_confirmation
      and id = any(${rows.map(({ serviceId }) => serviceId)}::uuid[])`);
  const first = rows.map(({ startsAt }) => startsAt).sort()[0] as string;
  for (const row of rows) {
    const { id } = row;
    row.depositPaid = true;
    // Staff may have confirmed it before the money came.
    if (row.status !== 'pending') continue;
    if (services.length > 0) {
      row.holdExpiresAt = holdUntil(ctx, ctx.settings(settings).approvalHoldHours * 60, first);
      await ctx.emit(appointmentEvents.created, { id, data: { id } });
    } else await appointment.move(ctx, id, 'pay');
  }
  return 'accepted';
};

/** booking.appointment.cancelled, declined, expired: gives the deposit back; an item of a basket takes its share along. */
export async function depositBack(ctx: Ctx, { data }: DomainEvent<{ id: string }>): Promise<void> {
  const row = await ctx.rows(appointment).get(data.id);
  const service = ctx.use(payable);
  if (!service || !row?.deposit) return;
  const all = row.basketId ? await ctx.rows(appointment).find({ basketId: row.basketId }) : [row];
  if (all.every(({ status }) => hasEnded(status))) await service.giveBack(subjectOf(row), 'booking_ended');
  else if (row.depositPaid)
    await service.giveBackPart(subjectOf(row), {
      amount: depositOf(ctx, [row]),
      reason: 'booking_ended',
      key: `booking ${row.id}`,
    });
}
