import { createHash } from 'node:crypto';
import { type Ctx, http, type Job, type JobData, keyring, Problem } from '@storeloom/plugin-sdk';
import { localizedText, shopOrigin } from '@storeloom/plugin-sdk/public';
import type webPush from 'web-push';
import { pushSubscription } from './push-table.ts';
import { type PushMessage, queued } from './queued.ts';
import { settings } from './store-fields.ts';

/** A push service keeps a message this long for a browser that is off. Seconds. */
const timeToLive = 24 * 3600;
const attempts = 5;

/** Queues a message for every browser of the people. One job a browser: one that fails is tried again alone. */
export async function queuePush(
  ctx: Ctx,
  to: { userId: readonly string[] } | { customerId: readonly string[] },
  message: PushMessage,
): Promise<void> {
  const rows = await ctx.rows(pushSubscription).find(to);
  for (const { id } of rows) await ctx.enqueue(queued.push, { subscription: id, message }, { retryLimit: attempts });
}

/** The message in the shop's language; what is too long for a push service (4 KB, encrypted) is cut. */
function payloadOf(ctx: Ctx, { type, title, body, link }: PushMessage): string {
  const text = (value: Record<string, string>, max: number) =>
    (localizedText(value, ctx.tenant.defaultLocale, ctx.tenant.defaultLocale) ?? '').slice(0, max);
  return JSON.stringify({ type, title: text(title, 200), body: text(body, 800), link: link ?? null });
}

/** RFC 8292: whom a push service may write to. */
function contact(ctx: Ctx): string {
  const { emails } = ctx.settings(settings);
  const address = emails?.contact ?? emails?.support;
  return address ? `mailto:${address}` : shopOrigin(ctx).replace(/^http:/, 'https:');
}

/** What a browser needs to subscribe (VAPID). */
export function publicKey(ctx: Ctx): string {
  return ctx.require(keyring).pushKeys().publicKey;
}

export const pushJob: Job<JobData<typeof queued.push>> = {
  transaction: 'none',
  retryLimit: attempts,
  async run(ctx, { subscription, message }) {
    const row = await ctx.transaction((inner) => inner.rows(pushSubscription).get(subscription), { readOnly: true });
    if (!row) return;
    const keys = { p256dh: ctx.unseal(row.p256dh), auth: ctx.unseal(row.auth) };
    const { publicKey, privateKey } = ctx.require(keyring).pushKeys();
    const request = (await library()).generateRequestDetails({ endpoint: row.endpoint, keys }, payloadOf(ctx, message), {
      vapidDetails: { subject: contact(ctx), publicKey, privateKey },
      TTL: timeToLive,
      urgency: 'normal',
      // A newer message of the same thing takes the place of one that waits. At most 32 characters of base64url.
      topic: createHash('sha256')
        .update(`${message.type} ${message.link ?? ''}`)
        .digest('base64url')
        .slice(0, 32),
      contentEncoding: 'aes128gcm',
    });
    const status = await send(ctx, request);
    // The subscription no longer exists.
    if (status === 404 || status === 410 || status === 'refused')
      await ctx.transaction((inner) => inner.rows(pushSubscription).remove(row.id));
    else if (status < 200 || status > 299) throw new Error(`the push service answered ${status}`);
  },
};

/** Loaded where a message goes out: most shops never send one. */
const library = async (): Promise<typeof webPush> => (await import('web-push')).default;

async function send(ctx: Ctx, request: webPush.RequestDetails): Promise<number | 'refused'> {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  try {
    const { status } = await ctx
      .require(http)
      .fetch(request.endpoint, { method: 'POST', headers, body: request.body as Buffer, timeoutMs: 15_000, maxBytes: 100_000 });
    return status;
  } catch (error) {
    // An address that may not be called never becomes one that may.
    if (error instanceof Problem && error.code === 'validation_failed' && error.extra.errors?.[0]?.code !== 'host_refused')
      return 'refused';
    throw error;
  }
}
