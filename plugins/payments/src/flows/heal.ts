import { type OrderView, orders } from '@storeloom/commerce';
import { type Ctx, type Job, sql } from '@storeloom/plugin-sdk';
import { repaired } from '../events.ts';
import { hasEnded } from '../payment/apply.ts';
import { lockPayment, orderType, type PaymentRow, payment, paymentsOf, thingOf } from '../payment/payment.ts';
import { release } from '../payment/release.ts';
import { startProvider } from '../payment/start-provider.ts';
import { syncRow } from '../payment/sync.ts';
import { ProviderError } from '../provider/adapter.ts';
import { queued } from '../queued.ts';
import { giveBack, type Misplaced, misplaced, repairUnfillable } from './late.ts';

/** Rows of one pass; the next minute brings the next ones. */
const batch = 50;

const ago = (ctx: Ctx, seconds: number): string => new Date(ctx.clock.ms() - seconds * 1000).toISOString();

function idsOf(ctx: Ctx, statement: (ctx: Ctx) => Promise<{ id: string }[]>): Promise<string[]> {
  return ctx.transaction(async (ctx) => (await statement(ctx)).map(({ id }) => id), { readOnly: true });
}

/** One thing that can't be repaired now must not keep the others from it. */
async function each(ctx: Ctx, ids: readonly string[], what: string, repair: (id: string) => Promise<unknown>): Promise<void> {
  for (const id of ids) {
    if (ctx.signal.aborted) return;
    try {
      await repair(id);
    } catch (error) {
      const fields = error instanceof ProviderError ? { id, code: error.code } : { id, err: error };
      ctx.log.warn(fields, `a payment could not be repaired: ${what}`);
    }
  }
}

/** The process that was to call the provider is gone: an order's payment (it has an end) is opened by us. */
async function openLeft(ctx: Ctx): Promise<void> {
  const ids = await idsOf(ctx, ({ db, tenant }) =>
    db.rows(sql`select id from payments_payment where tenant_id = ${tenant.id} and status = 'created' and provider_ref is null
      and provider in ('payment-a', 'payment-b', 'payment-c') and expires_at > ${ctx.clock.now()}
      and created_at < ${ago(ctx, 60)} and (claimed_at is null or claimed_at < ${ago(ctx, 60)}) order by created_at limit ${batch}`),
  );
  await each(ctx, ids, 'left unopened', async (id) => {
    const view = await startProvider(ctx, id);
    await ctx.transaction(async (ctx) => repaired(ctx, (await lockPayment(ctx, view.id)).row, 'opened'));
  });
}

/** Asks the provider. One that can't be asked now has had its turn too: the others come first then. */
async function ask(ctx: Ctx, id: string): ReturnType<typeof syncRow> {
  try {
    return await syncRow(ctx, id, 'self_healing');
  } catch (error) {
    await ctx.transaction(({ db, tenant, clock }) =>
      db.run(sql`update payments_payment set checked_at = ${clock.now()} where tenant_id = ${tenant.id} and id = ${id}`),
    );
    throw error;
  }
}

/** Nobody told us for a while: we ask, the older a payment the less often. */
async function askSilent(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now();
  const ids = await idsOf(ctx, ({ db, tenant }) =>
    db.rows(sql`select id from payments_payment where tenant_id = ${tenant.id} and provider_ref is not null
      and status in ('requires_action', 'authorized', 'partially_captured') and error is distinct from 'payment_mismatch'
      and coalesce(checked_at, created_at) < ${now}::timestamptz - least(interval '1 hour', greatest(
        case when status = 'requires_action' then interval '1 minute' else interval '1 hour' end, (${now}::timestamptz - created_at) / 5))
      order by checked_at nulls first limit ${batch}`),
  );
  await each(ctx, ids, 'provider not asked', async (id) => {
    const { before, after } = await ask(ctx, id);
    if (after.status !== before.status)
      await ctx.transaction(async (ctx) => repaired(ctx, (await lockPayment(ctx, id)).row, `found_${after.status}`));
  });
}

/** Things of other plugins whose time is over. Orders are cancelled by checkout, which lets their payments go. */
async function endOverdue(ctx: Ctx): Promise<void> {
  const ids = await idsOf(ctx, ({ db, tenant }) =>
    db.rows(sql`select id from payments_payment where tenant_id = ${tenant.id} and status in ('created', 'requires_action')
      and for_type <> ${orderType} and expires_at < ${ctx.clock.now()} order by checked_at nulls first, created_at limit ${batch}`),
  );
  await each(ctx, ids, 'overdue', async (id) => {
    // Money may have come in the last minute.
    const { after } = await ask(ctx, id);
    if (after.status !== 'created' && after.status !== 'requires_action') return;
    await ctx.transaction((ctx) => release(ctx, thingOf(after), { refund: true, reason: 'payment_timeout' }));
  });
}

/** Jobs that were lost or used up their tries. Each waits once. */
async function queueAgain(ctx: Ctx): Promise<void> {
  const before = ago(ctx, 300);
  await ctx.transaction(async (ctx) => {
    const rows = (statement: Parameters<Ctx['db']['rows']>[0]): Promise<{ id: string }[]> => ctx.db.rows(statement);
    const t = ctx.tenant.id;
    for (const { id } of await rows(
      sql`select id from payments_refund where tenant_id = ${t} and status = 'pending' and updated_at < ${before} order by created_at limit ${batch}`,
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
 * Money of the last two days that has no place: its order is cancelled, or two payments brought it. Whoever was looked at longest ago comes
 * first, and the older the money the less often; a payment is locked only where the look found something.
 */
async function placeMoney(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now();
  const ids = await idsOf(ctx, ({ db, tenant }) =>
    db.rows(sql`select p.id from payments_payment p where p.tenant_id = ${tenant.id} and p.captured_at > ${ago(ctx, 2 * 86_400)}
      and p.for_type = ${orderType} and not p.given_back and p.released is null and p.error is distinct from 'late_payment'
      and (p.placed_checked_at is null
        or p.placed_checked_at <= ${now}::timestamptz - least(interval '15 minutes', (${now}::timestamptz - p.captured_at) / 10))
      and p.captured_amount > (select coalesce(sum(r.amount_amount), 0) from payments_refund r
        where r.tenant_id = p.tenant_id and r.payment_id = p.id and r.status in ('pending', 'succeeded'))
      order by p.placed_checked_at nulls first, p.captured_at, p.id limit ${batch * 4}`),
  );
  const seen: string[] = [];
  await each(ctx, ids, 'misplaced money', async (id) => {
    seen.push(id);
    if (await ctx.transaction((ctx) => needsPlace(ctx, id), { readOnly: true }))
      await ctx.transaction((ctx) => placeOne(ctx, id));
  });
  if (seen.length === 0) return;
  await ctx.transaction(({ db, tenant }) =>
    db.run(
      // One that somebody holds right now is looked at again.
      sql`update payments_payment set placed_checked_at = ${now} where tenant_id = ${tenant.id} and id in (
        select id from payments_payment where tenant_id = ${tenant.id} and id = any(${seen}::uuid[]) for update skip locked)`,
    ),
  );
}

/** Why the money of `row` has no place beside that of the payments before it: of two the later one has none. */
function whyMisplaced(
  ctx: Ctx,
  row: PaymentRow,
  payments: readonly PaymentRow[],
  order: OrderView,
): Promise<Misplaced | undefined> {
  const earlier = payments.filter((other) => other.id !== row.id && isBefore(other, row));
  return misplaced(ctx, row, earlier, order, { ended: hasEnded(row) });
}

/** A look without locks. */
async function needsPlace(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.rows(payment).require(id);
  const order = await ctx.use(orders)?.get(row.forId);
  if (!order) return false;
  if (order.holdReason === 'late_payment') return true;
  return (await whyMisplaced(ctx, row, await paymentsOf(ctx, thingOf(row)), order)) !== undefined;
}

async function placeOne(ctx: Ctx, id: string): Promise<void> {
  const { row, payments, order } = await lockPayment(ctx, id);
  if (!order || row.givenBack || row.released !== null) return;
  const why = await whyMisplaced(ctx, row, payments, order);
  if (why !== undefined) await giveBack(ctx, row, why, order);
  else await repairUnfillable(ctx, row, order.id);
}
const isBefore = (one: PaymentRow, other: PaymentRow): boolean =>
  (one.capturedAt ?? one.authorizedAt ?? '9') < (other.capturedAt ?? '9');

/** Every minute, in every shop; running it twice changes nothing more. */
export const healJob: Job = {
  cron: '* * * * *',
  perTenant: true,
  transaction: 'none',
  retryLimit: 0,
  async run(ctx) {
    await openLeft(ctx);
    await askSilent(ctx);
    await endOverdue(ctx);
    await queueAgain(ctx);
    await placeMoney(ctx);
  },
};
