import { orders, type PaymentView, type paymentStart } from '@storeloom/commerce';
import { type Ctx, constraintOf, notFound, sql, type TapFn } from '@storeloom/plugin-sdk';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import { publishPayment } from '../events.ts';
import { methodById } from '../method/method.ts';
import { ProviderError, type ProviderPayment } from '../provider/adapter.ts';
import { isOnline, providerCall } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { apply } from './apply.ts';
import { type InstrumentRow, instrument } from './instrument.ts';
import { assertNoTransaction, lockPayment, type PaymentRow, payment, transition, viewOf } from './payment.ts';

/** Seconds after which a claim counts as abandoned. The idempotency key makes a second call harmless. */
const claimSeconds = 30;
/** How long a concurrent caller waits for the result of the first one. */
const waitMs = 8000;

export const secondsAgo = (ctx: Ctx, seconds: number): string => new Date(ctx.clock.ms() - seconds * 1000).toISOString();

/** Claims the provider call; succeeds for one caller among all processes. */
async function claimStart(ctx: Ctx, id: string): Promise<boolean> {
  const claimed = await ctx.transaction((ctx) =>
    ctx.db.run(sql`update payments_payment set claimed_at = ${ctx.clock.now()}, updated_at = ${ctx.clock.now()}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and id = ${id} and status = 'created' and provider_ref is null
        and (claimed_at is null or claimed_at < ${secondsAgo(ctx, claimSeconds)})`),
  );
  return claimed === 1;
}

const readPayment = (ctx: Ctx, id: string): Promise<PaymentRow | undefined> =>
  ctx.transaction((ctx) => ctx.rows(payment).get(id), { readOnly: true });

async function waitForResult(ctx: Ctx, id: string): Promise<PaymentRow> {
  const until = performance.now() + waitMs;
  for (;;) {
    const row = await readPayment(ctx, id);
    if (!row) throw notFound();
    if (row.status !== 'created' || row.providerRef !== null || performance.now() > until) return row;
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
}

/** Requests the intent from the provider with the payment's id as idempotency key, so that repeated calls create one intent. */
export async function requestIntent(ctx: Ctx, row: PaymentRow): Promise<ProviderPayment> {
  const { method, saved } = await ctx.transaction(
    async (ctx) => ({
      method: await methodById(ctx, row.methodId),
      saved: row.instrumentId === null ? undefined : await ctx.rows(instrument).get(row.instrumentId),
    }),
    { readOnly: true },
  );
  if (row.instrumentId !== null && !saved)
    throw new ProviderError('refused', 'instrument_gone', 'The saved instrument was removed');
  const { adapter, call } = providerCall(ctx, method.provider, method.config);
  return adapter.createIntent(call, {
    paymentId: row.id,
    tenantId: ctx.tenant.id,
    amount: row.intentAmount,
    currency: row.amount.currency,
    capture: row.capture,
    email: row.email,
    description: row.description,
    returnUrl: row.returnUrl ?? storefrontUrl(ctx, '/'),
    expiresAt: row.expiresAt,
    locale: row.locale,
    saveInstrument: row.saveInstrument,
    instrument: tokenOf(ctx, saved),
    key: row.id,
  });
}
const tokenOf = (ctx: Ctx, saved: InstrumentRow | undefined): string | null => (saved ? ctx.unseal(saved.token) : null);

async function failPayment(ctx: Ctx, id: string, code: string): Promise<PaymentRow> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, id);
    if (row.status !== 'created') return row;
    const failed = await transition(ctx, row, 'failed', { error: code }, code);
    await publishPayment(ctx, 'failed', failed);
    if (order) await ctx.require(orders).refreshPayment(order.id);
    // The provider may have created the intent nevertheless.
    if (code === 'provider_unavailable') await ctx.enqueue(queued.recover, { paymentId: id }, { key: id, startAfter: 30 });
    return failed;
  });
}

/**
 * Contract `startProvider`. If the provider refuses or doesn't respond, the payment fails, and the next attempt is a new payment.
 */
export async function startProvider(ctx: Ctx, id: string): Promise<PaymentView> {
  assertNoTransaction(ctx, 'startProvider');
  const row = await readPayment(ctx, id);
  if (!row) throw notFound();
  if (!isOnline(row.provider)) return viewOf(ctx, row);
  if (!(await claimStart(ctx, id))) return viewOf(ctx, await waitForResult(ctx, id));
  let reported: ProviderPayment;
  try {
    reported = await requestIntent(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ payment: id, provider: row.provider, code: error.code }, 'Payment could not be started');
    return viewOf(ctx, await failPayment(ctx, id, error.code));
  }
  try {
    return viewOf(ctx, await ctx.transaction((ctx) => apply(ctx, id, reported, 'payment_started')));
  } catch (error) {
    if (constraintOf(error)?.constraint !== 'payments_payment_provider_provider_ref_key') throw error;
    // The provider returned the intent of another payment: one intent never belongs to two payments.
    return viewOf(ctx, await failPayment(ctx, id, 'duplicate_reference'));
  }
}

export const startOrderPayment: TapFn<typeof paymentStart> = async (ctx, { paymentId }) => {
  const view = await startProvider(ctx, paymentId);
  return {
    status: view.status,
    ...(view.providerRef === null ? {} : { providerRef: view.providerRef }),
    ...(view.clientSecret === null ? {} : { clientSecret: view.clientSecret }),
    ...(view.redirectUrl === null ? {} : { redirectUrl: view.redirectUrl }),
  };
};
