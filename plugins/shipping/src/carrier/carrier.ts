import {
  type Ctx,
  checkVersion,
  f,
  isMask,
  listOf,
  maskSecret,
  noContent,
  notFound,
  problem,
  type RowOf,
  route,
  sql,
  type TableRow,
  table,
} from '@storeloom/plugin-sdk';
import { addressFields } from '@storeloom/plugin-sdk/people';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { type Credentials, checkCredentials, maskCredentials, mergeCredentials, unsealCredentials } from './credentials.ts';
import { requestLifeMs, rotationMs } from './lifetimes.ts';
import { type CarrierName, carrierNames, isCarrierName } from './names.ts';

const accountFields = {
  enabled: f.bool().default(true),
  /** `baseUrl`, and `apiKey` or `username` with `password`. Other properties are stored but not used. */
  credentials: f.json().default({}).describe('By the carrier; secrets are masked.'),
  sender: f.object(addressFields()).optional(),
  /** Codes of the offered services. Empty for all. */
  services: f.list(f.text({ max: 60 }), { max: 100 }).default([]),
  /** The shared secret, `user:password` for `basic`, or the key for `hmac`. */
  webhookSecret: f.secret().optional(),
  mode: f.oneOf(['test', 'live']).default('test'),
  verification: f.oneOf(['secret', 'basic', 'hmac', 'ip_list']).default('hmac'),
  /** Addresses and networks (CIDR) allowed to send notifications, for `ip_list`. */
  allowedIps: f.list(f.text({ max: 50 }), { max: 200 }).default([]),
};
/** The tenant's account at a carrier. */
export const carrier = table(
  'carrier',
  {
    provider: f.oneOf(carrierNames),
    ...accountFields,
    previousWebhookSecret: f.secret().optional(),
    previousWebhookSecretUntil: f.instant().optional(),
    healthy: f.bool().optional(),
    lastError: f.text({ max: 500 }).optional(),
  },
  { uniques: [{ fields: ['provider'] }] },
);
export type CarrierRow = TableRow<typeof carrier>;
export type Sender = NonNullable<RowOf<typeof accountFields>['sender']>;

const accountResponse = {
  provider: f.oneOf(carrierNames),
  ...accountFields,
  configured: f.bool(),
  healthy: f.bool().optional(),
  lastError: f.text({ max: 500 }).optional(),
  version: f.int(),
};

export async function carrierRow(
  ctx: Pick<Ctx, 'rows'>,
  provider: string,
  options?: { lock?: boolean },
): Promise<CarrierRow | undefined> {
  return isCarrierName(provider) ? ctx.rows(carrier).first({ provider }, options) : undefined;
}

/** Whether the base URL, the authentication and the sender are set. */
export function isConfigured(ctx: Pick<Ctx, 'unseal'>, row: CarrierRow): boolean {
  const { baseUrl, apiKey, username, password } = unsealCredentials(ctx, row.credentials as Credentials);
  return Boolean(baseUrl && (apiKey || (username && password)) && row.sender);
}

function view(ctx: Ctx, provider: CarrierName, row: CarrierRow | undefined): RowOf<typeof accountResponse> {
  return {
    provider,
    enabled: row?.enabled ?? false,
    credentials: row ? maskCredentials(ctx, row.credentials as Credentials) : {},
    sender: row?.sender ?? null,
    services: row?.services ?? [],
    webhookSecret: row?.webhookSecret ? maskSecret(ctx.unseal(row.webhookSecret)) : null,
    mode: row?.mode ?? 'test',
    verification: row?.verification ?? 'hmac',
    allowedIps: row?.allowedIps ?? [],
    configured: row ? isConfigured(ctx, row) : false,
    healthy: row?.healthy ?? null,
    lastError: row?.lastError ?? null,
    version: row?.version ?? 0,
  };
}

function carrierNameOf(params: Record<string, string>): CarrierName {
  const provider = params.provider as string;
  if (!isCarrierName(provider)) throw notFound();
  return provider;
}
const params = { provider: f.text({ max: 60 }) };

export const listCarriers = route(
  'GET',
  '/shipping-carriers/',
  {
    permission: 'shipping.carrier.read',
    summary: 'List the carriers and whether they are configured',
    response: accountResponse,
    list: true,
  },
  async (ctx) => {
    const rows = await ctx.rows(carrier).find({});
    return listOf(
      carrierNames.map((provider) =>
        view(
          ctx,
          provider,
          rows.find((row) => row.provider === provider),
        ),
      ),
    );
  },
);

export const getCarrier = route(
  'GET',
  '/shipping-carriers/{provider}',
  {
    permission: 'shipping.carrier.read',
    summary: 'Get the account at a carrier, with masked secrets',
    params,
    response: accountResponse,
  },
  async (ctx, req) => {
    const provider = carrierNameOf(req.params);
    return view(ctx, provider, await carrierRow(ctx, provider));
  },
);

/** The previous secret stays valid for a day, so that no notification is lost while the carrier is reconfigured. */
function rotateSecret(ctx: Ctx, row: CarrierRow | undefined, secret: string | null): Partial<CarrierRow> {
  const previous = row?.webhookSecret ? ctx.unseal(row.webhookSecret) : null;
  if (isMask(secret) || secret === previous) return {};
  // A removed secret may be compromised, so it ends immediately.
  if (previous === null || secret === null)
    return { webhookSecret: secret, previousWebhookSecret: null, previousWebhookSecretUntil: null };
  return {
    webhookSecret: secret,
    previousWebhookSecret: previous,
    previousWebhookSecretUntil: new Date(ctx.clock.ms() + rotationMs).toISOString(),
  };
}

export const putCarrier = route(
  'PUT',
  '/shipping-carriers/{provider}',
  {
    permission: 'shipping.carrier.update',
    summary: 'Set the account at a carrier',
    params,
    body: accountFields,
    response: accountResponse,
  },
  async (ctx, req) => {
    const provider = carrierNameOf(req.params);
    await lockKeys(ctx, `carrier ${provider}`);
    const row = await carrierRow(ctx, provider, { lock: true });
    checkVersion(req.ifMatch, row ?? { version: 0 });
    checkCredentials(req.body);
    const { webhookSecret, ...values } = req.body;
    const secret = rotateSecret(ctx, row, webhookSecret);
    const credentials = mergeCredentials(ctx, values.credentials, (row?.credentials ?? {}) as Credentials);
    const before = view(ctx, provider, row);
    const change = { ...values, ...secret, credentials, healthy: null, lastError: null };
    const saved = row ? await ctx.rows(carrier).update(row.id, change) : await ctx.rows(carrier).insert({ ...change, provider });
    const after = view(ctx, provider, saved);
    await ctx.audit({ entity: 'shipping.carrier', entityId: saved.id, before, after });
    return after;
  },
);

export const removeCarrier = route(
  'DELETE',
  '/shipping-carriers/{provider}',
  {
    permission: 'shipping.carrier.delete',
    summary: 'Delete the account at a carrier',
    params,
    status: 204,
    problems: ['in_use'],
  },
  async (ctx, req) => {
    const provider = carrierNameOf(req.params);
    const row = await carrierRow(ctx, provider, { lock: true });
    if (!row) throw notFound();
    checkVersion(req.ifMatch, row);
    const active = await ctx.db.first<{ n: number }>(sql`select (
        (select count(*) from shipping_awb where tenant_id = ${ctx.tenant.id} and provider = ${provider} and status not in ('delivered', 'returned', 'cancelled'))
        + (select count(*) from shipping_awb_request where tenant_id = ${ctx.tenant.id} and provider = ${provider} and created_at > ${new Date(ctx.clock.ms() - requestLifeMs).toISOString()}))::int8 as n`);
    if (active && active.n > 0)
      throw problem('in_use', { detail: 'The carrier has parcels in transit.', counts: { awbs: active.n } });
    await ctx.rows(carrier).remove(row.id);
    await ctx.audit({ entity: 'shipping.carrier', entityId: row.id, before: view(ctx, provider, row), after: null });
    return noContent();
  },
);
