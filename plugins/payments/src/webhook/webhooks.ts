import {
  type Ctx,
  type Inbound,
  type InboundRequest,
  inbound,
  type PlatformCtx,
  problem,
  sql,
  uuidPattern,
} from '@storeloom/plugin-sdk';
import { type PaymentRow, payment } from '../payment/payment.ts';
import { syncRow } from '../payment/sync.ts';
import type { PaymentAdapter } from '../provider/adapter.ts';
import { openConfig, providerKind } from '../provider/providers.ts';
import { keepDeadLetter } from './dead-letter.ts';

/** An account of a tenant at a provider, as one of its payment methods has it. Methods that are off or hidden still get late news. */
interface Account {
  tenantId: string;
  account: string | null;
  secrets: string[];
}

async function accounts(ctx: Pick<PlatformCtx, 'db' | 'unseal'>, provider: string, tenantId?: string): Promise<Account[]> {
  const { adapter } = providerKind(provider);
  const rows = await ctx.db.rows<{ tenantId: string; config: Record<string, unknown> }>(
    sql`select tenant_id as "tenantId", config from payments_payment_method where provider = ${provider}
      ${tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`} order by tenant_id, id`,
  );
  if (!adapter) return [];
  return rows
    .map(({ tenantId: owner, config }) => {
      const open = openConfig(ctx, provider, config);
      const secrets = adapter.webhookSecrets.map((name) => open[name]).filter((secret) => typeof secret === 'string');
      return { tenantId: owner, account: open[adapter.accountMember] ?? null, secrets };
    })
    .filter(({ secrets }) => secrets.length > 0);
}

const notConfigured = (provider: string): Error =>
  problem('provider_not_configured', { provider, detail: `No account of ${provider} is configured.` });

/** The account named in the body must be the tenant's own, and its secret must have made the signature. */
function isSigned(adapter: PaymentAdapter, req: InboundRequest, own: readonly Account[]): boolean {
  const named = adapter.accountOf(req.raw);
  return own.some(({ account, secrets }) => (named === undefined || account === named) && adapter.verifyWebhook(req, secrets));
}

/**
 * Without a tenant in the path, the account named in the body picks the secrets, and the one that made the signature picks the tenant: two
 * shops that name one account can't act for each other. An unknown account answers like a bad signature.
 */
async function tenantOfAccount(ctx: PlatformCtx, provider: string, req: InboundRequest): Promise<string | undefined> {
  const all = await accounts(ctx, provider);
  const { adapter } = providerKind(provider);
  if (all.length === 0 || !adapter) throw notConfigured(provider);
  const named = adapter.accountOf(req.raw);
  if (named === undefined) return undefined;
  return all.find(({ account, secrets }) => account === named && adapter.verifyWebhook(req, secrets))?.tenantId;
}

async function tenantOfPath(ctx: PlatformCtx, provider: string, req: InboundRequest): Promise<string | undefined> {
  const { tenantId } = req.params;
  if (tenantId === undefined || !uuidPattern.test(tenantId)) return undefined;
  const known = await ctx.db.first(sql`select id from core_tenant where id = ${tenantId} and status <> 'terminated'`);
  if (!known) return undefined;
  if ((await accounts(ctx, provider, tenantId)).length === 0) throw notConfigured(provider);
  return tenantId;
}

function find(ctx: Ctx, provider: string, paymentId: string | null, ref: string | null): Promise<PaymentRow | undefined> {
  return ctx.transaction(
    async (ctx) => {
      const rows = ctx.rows(payment);
      const byRef = ref === null ? undefined : await rows.first({ provider, providerRef: ref });
      if (byRef || paymentId === null || !uuidPattern.test(paymentId)) return byRef;
      return rows.first({ id: paymentId, provider });
    },
    { readOnly: true },
  );
}

/** Nothing in a notification is believed but whom it is about: the provider is asked how things stand now. */
async function handle(ctx: Ctx, provider: string, event: { eventId: string; raw: string }): Promise<void> {
  const { adapter } = providerKind(provider);
  if (!adapter) throw notConfigured(provider);
  const news = adapter.normalise(event.raw);
  if (!news) return;
  const row = await find(ctx, provider, news.paymentId, news.paymentRef);
  if (!row) {
    const { type: eventType, paymentRef: providerRef } = news;
    await keepDeadLetter(ctx, { provider, eventId: event.eventId, eventType, providerRef, reason: 'unknown_payment' });
    return;
  }
  // The call that opens the payment is under way: its answer says the same, and is tried again until it has come.
  if (row.providerRef === null && row.status === 'created') throw new Error(`the payment ${row.id} is being opened`);
  await syncRow(ctx, row.id, news.type);
}

function receiver(provider: string, tenant: typeof tenantOfPath): Inbound {
  const { adapter } = providerKind(provider);
  return inbound({
    provider,
    tenant: (ctx, req) => tenant(ctx, provider, req),
    async verify(ctx, req) {
      if (!adapter) throw notConfigured(provider);
      const own = await ctx.transaction((ctx) => accounts(ctx, provider, ctx.tenant.id), { readOnly: true });
      if (own.length === 0) throw notConfigured(provider);
      return isSigned(adapter, req, own);
    },
    eventId(_, req) {
      if (!adapter) throw notConfigured(provider);
      return adapter.eventId(req.raw);
    },
    handle: (ctx, event) => handle(ctx, provider, event),
    ...(adapter ? { ack: () => adapter.acknowledge() } : {}),
  });
}

/** Under `/api/webhooks`. */
export const webhooks: Readonly<Record<string, Inbound>> = {
  'payment-a': receiver('payment-a', tenantOfAccount),
  'payment-a/{tenantId}': receiver('payment-a', tenantOfPath),
  'payment-b': receiver('payment-b', tenantOfAccount),
  'payment-c': receiver('payment-c', tenantOfAccount),
};
