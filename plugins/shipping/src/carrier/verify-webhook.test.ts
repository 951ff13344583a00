import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { WebhookProof, WebhookRequest } from './adapter.ts';
import { verifyWebhook } from './verify-webhook.ts';

const raw = Buffer.from('{"awbNumber":"A1","status":"delivered"}');
const request = (more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  raw,
  headers: {},
  query: {},
  ip: '203.0.113.9',
  ...more,
});
const proof = (verification: WebhookProof['verification'], more: Partial<WebhookProof> = {}): WebhookProof => ({
  verification,
  secrets: ['new-secret', 'old-secret'],
  allowedIps: [],
  ...more,
});
const mac = (secret: string, body = raw) => createHmac('sha256', secret).update(body).digest();
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('a static secret', () => {
  it.each([
    ['header', { headers: { 'x-webhook-secret': 'new-secret' } }, true],
    ['query', { query: { secret: 'new-secret' } }, true],
    ['the former one, while both hold', { headers: { 'x-webhook-secret': 'old-secret' } }, true],
    ['a wrong one', { headers: { 'x-webhook-secret': 'new-secret ' } }, false],
    ['an empty one', { query: { secret: '' } }, false],
    ['none', {}, false],
  ])('%s', (_, given, expected) => expect(verifyWebhook(request(given), proof('secret'))).toBe(expected));
});

describe('basic', () => {
  const own = proof('basic', { secrets: ['user:pass:word'] });
  it.each([
    ['right', basic('user:pass:word'), true],
    ['wrong password', basic('user:pass'), false],
    ['no scheme', { authorization: Buffer.from('user:pass:word').toString('base64') }, false],
    ['bearer', { authorization: 'Bearer user:pass:word' }, false],
  ])('%s', (_, headers, expected) => expect(verifyWebhook(request({ headers }), own)).toBe(expected));
});

describe('HMAC over the raw bytes', () => {
  it.each([
    ['hex', { 'x-signature': mac('new-secret').toString('hex') }, true],
    ['with its name before it', { 'x-hub-signature-256': `sha256=${mac('old-secret').toString('hex').toUpperCase()}` }, true],
    ['base64', { 'x-carrier-signature': mac('new-secret').toString('base64') }, true],
    ['another key', { 'x-signature': mac('other').toString('hex') }, false],
    ['of another body', { 'x-signature': mac('new-secret', Buffer.from('{}')).toString('hex') }, false],
    ['the secret itself', { 'x-signature': 'new-secret' }, false],
    ['none', {}, false],
  ])('%s', (_, headers, expected) => expect(verifyWebhook(request({ headers }), proof('hmac'))).toBe(expected));
});

describe('a list of addresses', () => {
  const own = proof('ip_list', { secrets: [], allowedIps: ['203.0.113.0/28', '2001:db8::/64', '198.51.100.7'] });
  it.each([
    ['203.0.113.9', true],
    ['203.0.113.16', false],
    ['::ffff:203.0.113.9', true],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8::1', true],
    ['2001:db8:1::1', false],
    [null, false],
  ])('%s', (ip, expected) => expect(verifyWebhook(request({ ip }), own)).toBe(expected));
  it('an empty list rejects every request', () => expect(verifyWebhook(request(), proof('ip_list'))).toBe(false));
});

it('uses the strategy of the tenant only; without a secret it rejects every request', () => {
  const signed = request({ headers: { 'x-signature': mac('new-secret').toString('hex'), 'x-webhook-secret': 'new-secret' } });
  expect(verifyWebhook(signed, proof('basic'))).toBe(false);
  expect(verifyWebhook(signed, proof('ip_list'))).toBe(false);
  for (const strategy of ['secret', 'basic', 'hmac'] as const) {
    expect(verifyWebhook(signed, proof(strategy, { secrets: [] }))).toBe(false);
    expect(
      verifyWebhook(
        request({ headers: { 'x-signature': mac('').toString('hex'), 'x-webhook-secret': '' } }),
        proof(strategy, { secrets: [''] }),
      ),
    ).toBe(false);
  }
});
