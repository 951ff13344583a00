import { orders, type PaymentView, type paymentStart } from '@storeloom/commerce';
import { type Ctx, constraintOf, notFound, sql, type TapFn } from '@storeloom/plugin-sdk';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import { announce } from '../events.ts';
import { methodById } from '../method/method.ts';
import { ProviderError, type ProviderPayment } from '../provider/adapter.ts';
import { isOnline, providerCall } from '../provider/providers.ts';
import { queued } from '../queued.ts';
import { apply } from './apply.ts';
import { type InstrumentRow, instrument } from './instrument.ts';
import { assertOutside, lockPayment, move, type PaymentRow, payment, viewOf } from './payment.ts';

/** Seconds after which a claim is taken to be a dead process's. The provider's key makes the second call harmless. */
const claimSeconds = 30;
/** How long a racing caller waits for the first one's result. */
const waitMs = 8000;

const ago = (ctx: Ctx, seconds: number): string => new Date(ctx.clock.ms() - seconds * 1000).toISOString();

/** One caller among all processes gets it. */
async function claim(ctx: Ctx, id: string): Promise<boolean> {
  const claimed = await ctx.transaction((ctx) =>
    ctx.db.run(sql`update payments_payment set claimed_at = ${ctx.clock.now()}, updated_at = ${ctx.clock.now()}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and id = ${id} and status = 'created' and provider_ref is null
        and (claimed_at is null or claimed_at < ${ago(ctx, claimSeconds)})`),
  );
  return claimed === 1;
}

const read = (ctx: Ctx, id: string): Promise<PaymentRow | undefined> =>
  ctx.transaction((ctx) => ctx.rows(payment).get(id), { readOnly: true });

async function settledBy(ctx: Ctx, id: string): Promise<PaymentRow> {
  const until = performance.now() + waitMs;
  for (;;) {
    const row = await read(ctx, id);
    if (!row) throw notFound();
    if (row.status !== 'created' || row.providerRef !== null || performance.now() > until) return row;
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
}

/** Asks the provider for the payment, under the payment's own id as key: however often this is called, there is one intent. */
export async function askForIntent(ctx: Ctx, row: PaymentRow): Promise<ProviderPayment> {
  const { method, kept } = await ctx.transaction(
    async (ctx) => ({
      method: await methodById(ctx, row.methodId),
      kept: row.instrumentId === null ? undefined : await ctx.rows(instrument).get(row.instrumentId),
    }),
    { readOnly: true },
  );
  if (row.instrumentId !== null && !kept)
    throw new ProviderError('refused', 'instrument_gone', 'the kept instrument was removed');
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
    instrument: tokenOf(ctx, kept),
    key: row.id,
  });
}
const tokenOf = (ctx: Ctx, kept: InstrumentRow | undefined): string | null => (kept ? ctx.unseal(kept.token) : null);

async function fail(ctx: Ctx, id: string, code: string): Promise<PaymentRow> {
  return ctx.transaction(async (ctx) => {
    const { row, order } = await lockPayment(ctx, id);
    if (row.status !== 'created') return row;
    const failed = await move(ctx, row, 'failed', { error: code }, code);
    await announce(ctx, 'failed', failed);
    if (order) await ctx.require(orders).refreshPayment(order.id);
    // Something may have been made on the other side all the same.
    if (code === 'provider_unavailable') await ctx.enqueue(queued.recover, { paymentId: id }, { key: id, startAfter: 30 });
    return failed;
  });
}

/** Contract `startProvider`. A provider that refuses or doesn't answer leaves the payment `failed`: the next attempt is a new payment. */
export async function startProvider(ctx: Ctx, id: string): Promise<PaymentView> {
  assertOutside(ctx, 'startProvider');
  const row = await read(ctx, id);
  if (!row) throw notFound();
  if (!isOnline(row.provider)) return viewOf(ctx, row);
  if (!(await claim(ctx, id))) return viewOf(ctx, await settledBy(ctx, id));
  let truth: ProviderPayment;
  try {
    truth = await askForIntent(ctx, row);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    ctx.log.warn({ payment: id, provider: row.provider, code: error.code }, 'a payment could not be started');
    return viewOf(ctx, await fail(ctx, id, error.code));
  }
  try {
    return viewOf(ctx, await ctx.transaction((ctx) => apply(ctx, id, truth, 'payment_started')));
  } catch (error) {
    if (constraintOf(error)?.constraint !== 'payments_payment_provider_provider_ref_key') throw error;
    // The provider gave an intent that is another payment's: never two payments on one.
    return viewOf(ctx, await fail(ctx, id, 'duplicate_reference'));
  }
}

/** checkout:payment.start. */
export const startOrderPayment: TapFn<typeof paymentStart> = async (ctx, { paymentId }) => {
  const view = await startProvider(ctx, paymentId);
  return {
    status: view.status,
    ...(view.providerRef === null ? {} : { providerRef: view.providerRef }),
    ...(view.clientSecret === null ? {} : { clientSecret: view.clientSecret }),
    ...(view.redirectUrl === null ? {} : { redirectUrl: view.redirectUrl }),
  };
};
