import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { orders } from './slices/index.ts';
import { verify, type WebhookVerificationError } from './webhooks.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const now = 1_795_810_332_000;
const body = JSON.stringify({
  type: 'orders.order.placed',
  timestamp: '2026-11-27T20:12:12.000Z',
  data: { aggregateId: '1', sequence: 1, name: 'Lampă' },
});

function sign(of: string, id = 'msg_1', at = now / 1000, text = body): string {
  const key = Buffer.from(of.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64')}`;
}
const headers = (signature: string, at: number | string = now / 1000): Record<string, string> => ({
  'Webhook-Id': 'msg_1',
  'webhook-timestamp': String(at),
  'webhook-signature': signature,
});
const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'accepted',
    (error: WebhookVerificationError) => error.code,
  );

test('a signed delivery is returned as an event, from text, bytes and Headers', async () => {
  const event = await verify<typeof orders>({ secret, headers: headers(sign(secret)), body, now });
  expect(event.type === 'orders.order.placed' && event.data.sequence).toBe(1);
  const again = await verify({ secret, headers: new Headers(headers(sign(secret))), body: new TextEncoder().encode(body), now });
  expect(again).toEqual(JSON.parse(body));
});

test('during a rotation either secret is enough, and either signature', async () => {
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  expect(await code(verify({ secret: [other, secret], headers: headers(sign(secret)), body, now }))).toBe('accepted');
  expect(await code(verify({ secret, headers: headers(`${sign(other)} v2,abc ${sign(secret)}`), body, now }))).toBe('accepted');
});

test('a changed body, id, time or secret is refused', async () => {
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  const refused = [
    { secret, headers: headers(sign(secret)), body: `${body} `, now },
    { secret, headers: headers(sign(secret, 'msg_2')), body, now },
    { secret, headers: headers(sign(secret, 'msg_1', now / 1000 - 1)), body, now },
    { secret: other, headers: headers(sign(secret)), body, now },
    { secret: [], headers: headers(sign(secret)), body, now },
    { secret, headers: headers('v1,not base64!'), body, now },
    { secret, headers: headers(sign(secret).replace('v1,', 'v0,')), body, now },
  ];
  for (const options of refused) expect(await code(verify(options))).toBe('signature_invalid');
});

test('a delivery outside the tolerance is refused, early or late', async () => {
  for (const [difference, result] of [
    [300, 'accepted'],
    [301, 'timestamp_expired'],
    [-301, 'timestamp_expired'],
  ] as const) {
    const at = now / 1000 - difference;
    expect(await code(verify({ secret, headers: headers(sign(secret, 'msg_1', at), at), body, now }))).toBe(result);
  }
  expect(await code(verify({ secret, headers: headers(sign(secret), 'soon'), body, now }))).toBe('timestamp_invalid');
});

test('a missing header, a body that is no JSON and a secret that is none are named', async () => {
  expect(await code(verify({ secret, headers: { 'webhook-id': 'msg_1' }, body, now }))).toBe('header_missing');
  expect(await code(verify({ secret, headers: headers(sign(secret, 'msg_1', now / 1000, 'text')), body: 'text', now }))).toBe(
    'body_invalid',
  );
  await expect(verify({ secret: 'whsec_', headers: headers(sign(secret)), body, now })).rejects.toThrow(TypeError);
});
