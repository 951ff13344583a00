import { type Ctx, type Inbound, type InboundRequest, inbound, type PlatformCtx, sql, uuidPattern } from '@storeloom/plugin-sdk';
import { applyEvents } from '../awb/event.ts';
import type { WebhookProof } from './adapter.ts';
import { adapterOf, notConfigured } from './call.ts';
import { type CarrierName, carrierNames } from './names.ts';

interface Account extends WebhookProof {
  tenantId: string;
}
type Reader = Pick<PlatformCtx, 'db' | 'unseal' | 'clock'>;

/** Accounts of all tenants, or of one, with both secrets during a rotation. Disabled accounts still receive events of their parcels. */
async function accounts(ctx: Reader, provider: CarrierName, tenantId?: string): Promise<Account[]> {
  const rows = await ctx.db.rows<{
    tenantId: string;
    verification: WebhookProof['verification'];
    allowedIps: string[];
    secret: string | null;
    previous: string | null;
    until: string | null;
  }>(sql`select tenant_id as "tenantId", verification, allowed_ips as "allowedIps", webhook_secret as secret,
      previous_webhook_secret as previous, previous_webhook_secret_until as until
    from shipping_carrier where provider = ${provider} ${tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`} order by tenant_id`);
  return rows.map(({ tenantId: owner, verification, allowedIps, secret, previous, until }) => {
    const previousSecrets = previous !== null && until !== null && Date.parse(until) > ctx.clock.ms() ? [previous] : [];
    const secrets = [...(secret === null ? [] : [secret]), ...previousSecrets].map((sealed) => ctx.unseal(sealed));
    return { tenantId: owner, verification, allowedIps, secrets };
  });
}

/** Among several tenants that verify a notification, the one with its parcels. */
async function ownerOf(ctx: Reader, provider: CarrierName, raw: Buffer, tenants: readonly string[]): Promise<string | undefined> {
  let numbers: string[];
  try {
    numbers = adapterOf(provider)
      .normalise(raw.toString('utf8'))
      .map(({ awbNumber }) => awbNumber);
  } catch {
    // Without a parsable body the tenant is unknown.
    return undefined;
  }
  const rows = await ctx.db.rows<{ tenantId: string }>(
    sql`select distinct tenant_id as "tenantId" from shipping_awb
      where provider = ${provider} and tenant_id = any(${[...tenants]}::uuid[]) and awb_number = any(${numbers}::text[])`,
  );
  return rows.length === 1 ? rows[0]?.tenantId : undefined;
}

/**
 * All tenants share one URL: the account that verifies the notification determines the tenant. `?tenant=` in the registered URL selects it
 * explicitly, which tenants with the same allowed addresses need for parcels that aren't stored yet.
 */
async function tenantOf(ctx: PlatformCtx, provider: CarrierName, req: InboundRequest): Promise<string | undefined> {
  const { tenant } = req.query;
  if (tenant !== undefined && !uuidPattern.test(tenant)) return undefined;
  const all = await accounts(ctx, provider, tenant);
  if (all.length === 0) {
    if (tenant !== undefined && (await accounts(ctx, provider)).length > 0) return undefined;
    throw notConfigured(provider);
  }
  const verified = all.filter((account) => adapterOf(provider).verifyWebhook(req, account)).map(({ tenantId }) => tenantId);
  return verified.length > 1 ? ownerOf(ctx, provider, req.raw, verified) : verified[0];
}

async function handle(ctx: Ctx, provider: CarrierName, raw: string): Promise<void> {
  const events = adapterOf(provider).normalise(raw);
  for (const awbNumber of new Set(events.map((event) => event.awbNumber)))
    await ctx.transaction((ctx) =>
      applyEvents(
        ctx,
        provider,
        awbNumber,
        events.filter((event) => event.awbNumber === awbNumber),
      ),
    );
}

function receiver(provider: CarrierName): Inbound {
  return inbound({
    provider,
    tenant: (ctx, req) => tenantOf(ctx, provider, req),
    async verify(ctx, req) {
      const candidates = await ctx.transaction((ctx) => accounts(ctx, provider, ctx.tenant.id), { readOnly: true });
      return candidates.some((account) => adapterOf(provider).verifyWebhook(req, account));
    },
    eventId: (_, req) => adapterOf(provider).eventId(req.raw),
    handle: (ctx, { raw }) => handle(ctx, provider, raw),
  });
}

export const webhooks: Readonly<Record<string, Inbound>> = Object.fromEntries(
  carrierNames.map((provider) => [provider, receiver(provider)]),
);
