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
import { storeDeadLetter } from './dead-letter.ts';

/** A tenant's account at a provider, from one of its payment methods. Disabled and deleted methods still receive notifications. */
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
      return { tenantId: owner, account: open[adapter.accountField] ?? null, secrets };
    })
    .filter(({ secrets }) => secrets.length > 0);
}

const notConfigured = (provider: string): Error =>
  problem('provider_not_configured', { provider, detail: `No account of ${provider} is configured.` });

/** The account in the body must belong to the tenant, and its secret must have signed the request. */
function isSigned(adapter: PaymentAdapter, req: InboundRequest, candidates: readonly Account[]): boolean {
  const accountId = adapter.accountOf(req.raw);
  return candidates.some(
    ({ account, secrets }) => (accountId === undefined || account === accountId) && adapter.verifyWebhook(req, secrets),
  );
}

/**
 * Without a tenant in the path, the account in the body selects the secrets, and the secret that signed selects the tenant: two
 * shops with the same account id can't act for each other. An unknown account responds like an invalid signature.
 */
async function tenantByAccount(ctx: PlatformCtx, provider: string, req: InboundRequest): Promise<string | undefined> {
  const all = await accounts(ctx, provider);
  const { adapter } = providerKind(provider);
  if (all.length === 0 || !adapter) throw notConfigured(provider);
  const accountId = adapter.accountOf(req.raw);
  if (accountId === undefined) return undefined;
  return all.find(({ account, secrets }) => account === accountId && adapter.verifyWebhook(req, secrets))?.tenantId;
}

async function tenantByPath(ctx: PlatformCtx, provider: string, req: InboundRequest): Promise<string | undefined> {
  const { tenantId } = req.params;
  if (tenantId === undefined || !uuidPattern.test(tenantId)) return undefined;
  const known = await ctx.db.first(sql`select id from core_tenant where id = ${tenantId} and status <> 'terminated'`);
  if (!known) return undefined;
  if ((await accounts(ctx, provider, tenantId)).length === 0) throw notConfigured(provider);
  return tenantId;
}

function findPayment(ctx: Ctx, provider: string, paymentId: string | null, ref: string | null): Promise<PaymentRow | undefined> {
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

/** A notification only identifies the payment: its state is read from the provider. */
async function handle(ctx: Ctx, provider: string, event: { eventId: string; raw: string }): Promise<void> {
  const { adapter } = providerKind(provider);
  if (!adapter) throw notConfigured(provider);
  const notification = adapter.normalise(event.raw);
  if (!notification) return;
  const row = await findPayment(ctx, provider, notification.paymentId, notification.paymentRef);
  if (!row) {
    const { type: eventType, paymentRef: providerRef } = notification;
    await storeDeadLetter(ctx, { provider, eventId: event.eventId, eventType, providerRef, reason: 'unknown_payment' });
    return;
  }
  // The call that creates the intent is still running: the delivery is retried until it has finished.
  if (row.providerRef === null && row.status === 'created') throw new Error(`Payment ${row.id} is being started`);
  await syncRow(ctx, row.id, notification.type);
}

function receiver(provider: string, tenant: typeof tenantByPath): Inbound {
  const { adapter } = providerKind(provider);
  return inbound({
    provider,
    tenant: (ctx, req) => tenant(ctx, provider, req),
    async verify(ctx, req) {
      if (!adapter) throw notConfigured(provider);
      const candidates = await ctx.transaction((ctx) => accounts(ctx, provider, ctx.tenant.id), { readOnly: true });
      if (candidates.length === 0) throw notConfigured(provider);
      return isSigned(adapter, req, candidates);
    },
    eventId(_, req) {
      if (!adapter) throw notConfigured(provider);
      return adapter.eventId(req.raw);
    },
    handle: (ctx, event) => handle(ctx, provider, event),
    ...(adapter ? { ack: () => adapter.acknowledge() } : {}),
  });
}

export const webhooks: Readonly<Record<string, Inbound>> = {
  'payment-a': receiver('payment-a', tenantByAccount),
  'payment-a/{tenantId}': receiver('payment-a', tenantByPath),
  'payment-b': receiver('payment-b', tenantByAccount),
  'payment-c': receiver('payment-c', tenantByAccount),
};
