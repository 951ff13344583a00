import { type OrderView, orders } from '@storeloom/commerce';
import { type Ctx, type Job, sql } from '@storeloom/plugin-sdk';
import { recordRepair } from '../events.ts';
import { isFinal } from '../payment/apply.ts';
import { lockPayment, orderType, type PaymentRow, payment, paymentsOf, subjectOf } from '../payment/payment.ts';
import { release } from '../payment/release.ts';
import { secondsAgo, startProvider } from '../payment/start-provider.ts';
import { syncRow } from '../payment/sync.ts';
import { ProviderError } from '../provider/adapter.ts';
import { queued } from '../queued.ts';
import { type MisplacedReason, misplacedReason, resolveUnfillable, returnMoney } from './misplaced.ts';

/** Maximum number of rows a run; the next run takes the next ones. */
const batch = 50;

function readIds(ctx: Ctx, statement: (ctx: Ctx) => Promise<{ id: string }[]>): Promise<string[]> {
  return ctx.transaction(async (ctx) => (await statement(ctx)).map(({ id }) => id), { readOnly: true });
}

/** Repairs each payment separately, so that a failure doesn't stop the others. */
async function repairEach(
  ctx: Ctx,
  ids: readonly string[],
  problemName: string,
  repair: (id: string) => Promise<unknown>,
): Promise<void> {
  for (const id of ids) {
    if (ctx.signal.aborted) return;
    try {
      await repair(id);
    } catch (error) {
      const fields = error instanceof ProviderError ? { id, code: error.code } : { id, err: error };
      ctx.log.warn(fields, `Payment could not be reconciled: ${problemName}`);
    }
  }
}

/** Opens order payments whose process ended before it called the provider. */
async function openUnstarted(ctx: Ctx): Promise<void> {
  const ids = await readIds(ctx, ({ db, tenant }) =>
    db.rows(sql`select id from payments_payment where tenant_id = ${tenant.id} and status = 'created' and provider_ref is null
      and provider in ('payment-a', 'payment-b', 'payment-c') and expires_at > ${ctx.clock.now()}
      and created_at < ${secondsAgo(ctx, 60)} and (claimed_at is null or claimed_at < ${secondsAgo(ctx, 60)}) order by created_at limit ${batch}`),
  );
  await repairEach(ctx, ids, 'not started', async (id) => {
    const view = await startProvider(ctx, id);
    await ctx.transaction(async (ctx) => recordRepair(ctx, (await lockPayment(ctx, view.id)).row, 'opened'));
  });
}

/** Synchronises with the provider. After a failure the payment still counts as checked, so that the others come first. */
async function syncAndMarkChecked(ctx: Ctx, id: string): ReturnType<typeof syncRow> {
  try {
    return await syncRow(ctx, id, 'self_healing');
  } catch (error) {
    await ctx.transaction(({ db, tenant, clock }) =>
      db.run(sql`update payments_payment set checked_at = ${clock.now()} where tenant_id = ${tenant.id} and id = ${id}`),
    );
    throw error;
  }
}

/** Polls payments without a recent notification, the older a payment the less often. */
async function pollPayments(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now();
  const ids = await readIds(ctx, ({ db, tenant }) =>
    db.rows(sql`select id from payments_payment where tenant_id = ${tenant.id} and provider_ref is not null
      and status in ('requires_action', 'authorized', 'partially_captured') and error is distinct from 'payment_mismatch'
      and coalesce(checked_at, created_at) < ${now}::timestamptz - least(interval '1 hour', greatest(
        case when status = 'requires_action' then interval '1 minute' else interval '1 hour' end, (${now}::timestamptz - created_at) / 5))
      order by checked_at nulls first limit ${batch}`),
  );
  await repairEach(ctx, ids, 'provider state unknown', async (id) => {
    const { before, after } = await syncAndMarkChecked(ctx, id);
    if (after.status !== before.status)
      await ctx.transaction(async (ctx) => recordRepair(ctx, (await lockPayment(ctx, id)).row, `found_${after.status}`));
  });
}

/** Releases expired payments of other plugins. Orders are cancelled by checkout, which releases their payments. */
async function releaseExpired(ctx: Ctx): Promise<void> {
  const ids = await readIds(ctx, ({ db, tenant }) =>
    db.rows(sql`select id from payments_payment where tenant_id = ${tenant.id} and status in ('created', 'requires_action')
      and for_type <> ${orderType} and expires_at < ${ctx.clock.now()} order by checked_at nulls first, created_at limit ${batch}`),
  );
  await repairEach(ctx, ids, 'expired', async (id) => {
    // The payment may have been captured in the last minute.
    const { after } = await syncAndMarkChecked(ctx, id);
    if (after.status !== 'created' && after.status !== 'requires_action') return;
    await ctx.transaction((ctx) => release(ctx, subjectOf(after), { refund: true, reason: 'payment_timeout' }));
  });
}

/** Enqueues lost or exhausted jobs again; the key prevents duplicates. */
async function requeueJobs(ctx: Ctx): Promise<void> {
  const before = secondsAgo(ctx, 300);
  await ctx.transaction(async (ctx) => {
    const rows = (statement: Parameters<Ctx['db']['rows']>[0]): Promise<{ id: string }[]> => ctx.db.rows(statement);
    const t = ctx.tenant.id;
    for (const { id } of await rows(
      sql`select r.id from payments_refund r join payments_payment p on p.tenant_id = r.tenant_id and p.id = r.payment_id
        where r.tenant_id = ${t} and r.status = 'pending' and r.updated_at < ${before} and p.provider_ref is not null
        order by r.created_at limit ${batch}`,
    ))
      await ctx.enqueue(queued.refund, { refundId: id }, { key: id });
    for (const { id } of await rows(
      sql`select distinct payment_id as id from payments_capture where tenant_id = ${t} and status = 'pending' and updated_at < ${before} limit ${batch}`,
    ))
      await ctx.enqueue(queued.capture, { paymentId: id }, { key: id });
    for (const { id } of await rows(
      sql`select id from payments_payment where tenant_id = ${t} and voiding and updated_at < ${before} order by created_at limit ${batch}`,
    ))
      await ctx.enqueue(queued.void, { paymentId: id }, { key: id });
  });
}

/**
 * Returns captured money of the last two days that belongs to no order: the order is cancelled, or another payment has paid it.
 * Payments checked longest ago come first, older ones less often; a payment is locked only when the check finds a problem.
 */
async function returnMisplacedMoney(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now();
  const ids = await readIds(ctx, ({ db, tenant }) =>
    db.rows(sql`select p.id from payments_payment p where p.tenant_id = ${tenant.id} and p.captured_at > ${secondsAgo(ctx, 2 * 86_400)}
      and p.for_type = ${orderType} and not p.given_back and p.released is null and p.error is distinct from 'late_payment'
      and (p.placed_checked_at is null
        or p.placed_checked_at <= ${now}::timestamptz - least(interval '15 minutes', (${now}::timestamptz - p.captured_at) / 10))
      and p.captured_amount > (select coalesce(sum(r.amount_amount), 0) from payments_refund r
        where r.tenant_id = p.tenant_id and r.payment_id = p.id and r.status in ('pending', 'succeeded'))
      order by p.placed_checked_at nulls first, p.captured_at, p.id limit ${batch * 4}`),
  );
  const checked: string[] = [];
  await repairEach(ctx, ids, 'misplaced money', async (id) => {
    checked.push(id);
    if (await ctx.transaction((ctx) => isMisplaced(ctx, id), { readOnly: true }))
      await ctx.transaction((ctx) => resolveMisplaced(ctx, id));
  });
  if (checked.length === 0) return;
  await ctx.transaction(({ db, tenant }) =>
    db.run(
      // A row locked by another transaction is checked again in the next run.
      sql`update payments_payment set placed_checked_at = ${now} where tenant_id = ${tenant.id} and id in (
        select id from payments_payment where tenant_id = ${tenant.id} and id = any(${checked}::uuid[]) for update skip locked)`,
    ),
  );
}

/** The reason why the money of `row` is misplaced, given the payments before it: of two payments the later one is misplaced. */
function misplacedAmongEarlier(
  ctx: Ctx,
  row: PaymentRow,
  payments: readonly PaymentRow[],
  order: OrderView,
): Promise<MisplacedReason | undefined> {
  const earlier = payments.filter((other) => other.id !== row.id && isBefore(other, row));
  return misplacedReason(ctx, row, earlier, order, { ended: isFinal(row) });
}

/** Checks without locks. */
async function isMisplaced(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.rows(payment).require(id);
  const order = await ctx.use(orders)?.get(row.forId);
  if (!order) return false;
  if (order.holdReason === 'late_payment') return true;
  return (await misplacedAmongEarlier(ctx, row, await paymentsOf(ctx, subjectOf(row)), order)) !== undefined;
}

async function resolveMisplaced(ctx: Ctx, id: string): Promise<void> {
  const { row, payments, order } = await lockPayment(ctx, id);
  if (!order || row.givenBack || row.released !== null) return;
  const reason = await misplacedAmongEarlier(ctx, row, payments, order);
  if (reason !== undefined) await returnMoney(ctx, row, reason, order);
  else await resolveUnfillable(ctx, row, order.id);
}
const isBefore = (one: PaymentRow, other: PaymentRow): boolean =>
  (one.capturedAt ?? one.authorizedAt ?? '9') < (other.capturedAt ?? '9');

/** Runs every minute for every tenant. Idempotent. */
export const healJob: Job = {
  cron: '* * * * *',
  perTenant: true,
  transaction: 'none',
  retryLimit: 0,
  async run(ctx) {
    await openUnstarted(ctx);
    await pollPayments(ctx);
    await releaseExpired(ctx);
    await requeueJobs(ctx);
    await returnMisplacedMoney(ctx);
  },
};
