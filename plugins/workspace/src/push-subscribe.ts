import { ECDH } from 'node:crypto';
import {
  type Audience,
  authenticator,
  type Ctx,
  f,
  invalid,
  noContent,
  type PlatformCtx,
  platformRoute,
  problem,
  type Req,
  reply,
} from '@storeloom/plugin-sdk';
import { personalRows } from '@storeloom/plugin-sdk/people';
import { pushSubscription } from './push-table.ts';

interface Owner {
  tenantId: string;
  userId: string | null;
  customerId: string | null;
}

/** The member of the staff or the customer who calls: by bearer, or by cookie with its CSRF token. */
async function ownerOf(ctx: PlatformCtx, req: Pick<Req<unknown, unknown, unknown>, 'headers' | 'cookies'>): Promise<Owner> {
  const service = ctx.require(authenticator);
  const [, bearer] = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(req.headers.authorization ?? '') ?? [];
  const csrf = req.headers['x-csrf-token'];
  for (const audience of ['admin', 'storefront'] satisfies Audience[]) {
    const carried = bearer ?? service.tokenOfCookie?.(req.cookies, audience);
    const found = carried === undefined ? undefined : await service.authenticate(carried, audience);
    if (!found || found.tenantId === null) continue;
    if (bearer === undefined && !service.checkCsrf(req.cookies, typeof csrf === 'string' ? csrf : undefined))
      throw problem('csrf_failed');
    const { actor, tenantId } = found;
    if (actor.type === 'staff') return { tenantId, userId: actor.userId, customerId: null };
    // A customer's token is valid in their shop only.
    if (actor.type === 'customer' && tenantId === ctx.hostTenant?.id)
      return { tenantId, userId: null, customerId: actor.customerId };
  }
  throw problem('unauthenticated', { detail: 'Sign in first.' });
}

/** Checks the endpoint without a DNS query; each message passes the guard of outgoing requests. */
function checkEndpoint(endpoint: string): void {
  const url = new URL(endpoint);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw invalid('/endpoint', 'invalid', 'must be an https URL without user name');
}
function checkKey(pointer: string, text: string, bytes: number, first?: number): void {
  const key = Buffer.from(text, 'base64url');
  if (!/^[\w+/-]+={0,2}$/.test(text) || key.length !== bytes || (first !== undefined && key[0] !== first))
    throw invalid(pointer, 'invalid', 'is not a key of a push subscription');
}
/** RFC 8291: an uncompressed point of P-256. One beside the curve would fail each message to that browser. */
function checkPoint(pointer: string, text: string): void {
  checkKey(pointer, text, 65, 4);
  try {
    ECDH.convertKey(Buffer.from(text, 'base64url'), 'prime256v1');
  } catch {
    throw invalid(pointer, 'invalid', 'is not a point of the curve P-256');
  }
}

const limit = { points: 30, seconds: 60 } as const;
const subscription = { id: f.id(), endpoint: f.text() };

export const subscribe = platformRoute(
  'POST',
  '/api/push/subscribe',
  {
    summary:
      "Take push messages in this browser, for staff or a customer who is signed in; the body is the browser's own subscription",
    body: {
      endpoint: f.url(),
      keys: f.object({ p256dh: f.text({ max: 200 }), auth: f.text({ max: 100 }) }),
      expirationTime: f.anyJson().optional(),
    },
    response: subscription,
    status: 201,
    otherResponses: { 200: subscription },
    rateLimit: limit,
    idempotent: false,
    problems: ['unauthenticated', 'csrf_failed'],
  },
  async (ctx, req) => {
    const { tenantId, ...owner } = await ownerOf(ctx, req);
    const { endpoint, keys } = req.body;
    checkEndpoint(endpoint);
    checkPoint('/keys/p256dh', keys.p256dh);
    checkKey('/keys/auth', keys.auth, 16);
    const { row, isNew } = await ctx.withTenant(tenantId, (tenant) => keep(tenant, { endpoint, ...keys, ...owner }));
    return reply(isNew ? 201 : 200, { id: row.id, endpoint: row.endpoint });
  },
);

/** Stores one row for each endpoint: if another user signs in to the browser, it belongs to that user. */
async function keep(
  ctx: Ctx,
  values: { endpoint: string; p256dh: string; auth: string; userId: string | null; customerId: string | null },
) {
  const rows = ctx.rows(pushSubscription);
  const known = await rows.first({ endpoint: values.endpoint }, { lock: true });
  if (known) return { row: await rows.update(known.id, values), isNew: false };
  try {
    return { row: await ctx.savepoint(() => rows.insert(values)), isNew: true };
  } catch (error) {
    // Another request was faster.
    const made = await rows.first({ endpoint: values.endpoint }, { lock: true });
    if (!made) throw error;
    return { row: await rows.update(made.id, values), isNew: false };
  }
}

export const unsubscribe = platformRoute(
  'DELETE',
  '/api/push/unsubscribe',
  {
    summary: 'Take no push messages in this browser any more',
    body: { endpoint: f.url() },
    status: 204,
    rateLimit: limit,
    problems: ['unauthenticated', 'csrf_failed'],
  },
  async (ctx, req) => {
    const { tenantId, userId, customerId } = await ownerOf(ctx, req);
    const endpoint = (req.body as { endpoint?: string } | undefined)?.endpoint;
    if (endpoint === undefined) throw invalid('/endpoint', 'required', 'is missing');
    await ctx.withTenant(tenantId, (tenant) => tenant.rows(pushSubscription).removeWhere({ endpoint, userId, customerId }));
    return noContent();
  },
);

export const personalSubscriptions = personalRows({
  table: pushSubscription,
  exports: ['endpoint', 'createdAt'],
  erased: 'removed',
});
