import { type Ctx, http, problem, sql } from '@storeloom/plugin-sdk';
import { settings } from '../settings.ts';
import { type CarrierAdapter, type CarrierCall, CarrierError } from './adapter.ts';
import { type CarrierRow, carrierRow, isConfigured, type Sender } from './carrier.ts';
import { type Credentials, unsealCredentials } from './credentials.ts';
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

/** The connection of an account; undefined if the account is disabled or incomplete. */
export function callWith(
  ctx: Pick<Ctx, 'require' | 'unseal'>,
  row: Account | undefined,
  timeoutMs: number,
): CarrierCall | undefined {
  if (!row?.enabled || !isConfigured(ctx, row as CarrierRow)) return undefined;
  const credentials = unsealCredentials(ctx, row.credentials as Credentials);
  return { http: ctx.require(http), credentials, mode: row.mode, sender: row.sender as Sender, timeoutMs };
}

/** The connection to a carrier. @throws 501 `provider_not_configured` */
export async function requireCall(ctx: Ctx, provider: string): Promise<CarrierCall> {
  const call = callWith(ctx, await carrierRow(ctx, provider), ctx.settings(settings).carrierTimeoutMs);
  if (!call) throw notConfigured(provider);
  return call;
}

/** Calls the carrier outside a transaction and records its health. A refusal is a response, so the carrier is healthy. */
export async function callCarrier<T>(ctx: Ctx, provider: string, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    await recordHealth(ctx, provider, true, null);
    return result;
  } catch (error) {
    if (error instanceof CarrierError) await recordHealth(ctx, provider, error.kind === 'refused', error.message);
    throw error;
  }
}

/** Doesn't raise the version, which guards changes by staff only. */
async function recordHealth(ctx: Ctx, provider: string, healthy: boolean, lastError: string | null): Promise<void> {
  await ctx.transaction((ctx) =>
    ctx.db.run(sql`update shipping_carrier set healthy = ${healthy}, last_error = ${lastError}
      where tenant_id = ${ctx.tenant.id} and provider = ${provider} and (healthy is distinct from ${healthy} or last_error is distinct from ${lastError})`),
  );
}

/** Maps a carrier error to a problem: 503 without a response, 409 for a refusal. */
export function carrierProblem(error: unknown): unknown {
  if (!(error instanceof CarrierError)) return error;
  return error.kind === 'refused'
    ? problem('carrier_rejected', { detail: error.message, message: error.message })
    : problem('unavailable', { detail: `The carrier gave no valid response: ${error.message}`, retryAfter: 30 });
}
