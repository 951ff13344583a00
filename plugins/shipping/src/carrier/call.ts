import { type Ctx, http, problem, sql } from '@storeloom/plugin-sdk';
import { settings } from '../settings.ts';
import { type CarrierAdapter, type CarrierCall, CarrierError } from './adapter.ts';
import { type CarrierRow, carrierRow, isConfigured, type Sender } from './carrier.ts';
import { type Credentials, openCredentials } from './credentials.ts';
import type { CarrierName } from './names.ts';
import { restAdapter } from './rest-adapter.ts';

const adapters: Readonly<Record<CarrierName, CarrierAdapter>> = {
  'carrier-a': restAdapter,
  'carrier-b': restAdapter,
  'carrier-c': restAdapter,
};
export function adapterOf(provider: CarrierName): CarrierAdapter {
  return adapters[provider];
}

export function notConfigured(provider: string): Error {
  return problem('provider_not_configured', { provider, detail: `No account of ${provider} is configured and enabled.` });
}

type Account = Pick<CarrierRow, 'enabled' | 'credentials' | 'sender' | 'mode'>;

/** How to call with an account; undefined where it isn't usable. */
export function callWith(
  ctx: Pick<Ctx, 'require' | 'unseal'>,
  row: Account | undefined,
  timeoutMs: number,
): CarrierCall | undefined {
  if (!row?.enabled || !isConfigured(ctx, row as CarrierRow)) return undefined;
  const credentials = openCredentials(ctx, row.credentials as Credentials);
  return { http: ctx.require(http), credentials, mode: row.mode, sender: row.sender as Sender, timeoutMs };
}

/** For staff and jobs. 501 `provider_not_configured`. */
export async function requireCall(ctx: Ctx, provider: string): Promise<CarrierCall> {
  const call = callWith(ctx, await carrierRow(ctx, provider), ctx.settings(settings).carrierTimeoutMs);
  if (!call) throw notConfigured(provider);
  return call;
}

/** Outside any transaction. How it went is noted at the carrier; a refusal says that it works. */
export async function callCarrier<T>(ctx: Ctx, provider: string, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    await noteHealth(ctx, provider, true, null);
    return result;
  } catch (error) {
    if (error instanceof CarrierError) await noteHealth(ctx, provider, error.kind === 'refused', error.message);
    throw error;
  }
}

/** The version stays: it is of what people write. */
async function noteHealth(ctx: Ctx, provider: string, healthy: boolean, lastError: string | null): Promise<void> {
  await ctx.transaction((ctx) =>
    ctx.db.run(sql`update shipping_carrier set healthy = ${healthy}, last_error = ${lastError}
      where tenant_id = ${ctx.tenant.id} and provider = ${provider} and (healthy is distinct from ${healthy} or last_error is distinct from ${lastError})`),
  );
}

/** For staff who ask for something that changes nothing: 503 where the carrier doesn't answer, 409 where it refuses. */
export function carrierProblem(error: unknown): unknown {
  if (!(error instanceof CarrierError)) return error;
  return error.kind === 'refused'
    ? problem('carrier_rejected', { detail: error.message, message: error.message })
    : problem('unavailable', { detail: `The carrier gave no clear response: ${error.message}`, retryAfter: 30 });
}
