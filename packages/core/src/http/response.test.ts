import { FileReply, Reply } from '@storeloom/plugin-sdk';
import { expect, it } from 'vitest';
import { responseOf } from './response.ts';
import type { CompiledRoute } from './routes.ts';

const route = { route: { options: {} }, prefix: '' } as CompiledRoute;
const policyOf = (headers: Record<string, string>) =>
  responseOf(route, new Reply(200, '<x/>', { headers }), '/').headers['content-security-policy'];

it.each([
  'text/html',
  'Text/HTML; charset=utf-8',
  'application/xhtml+xml',
  'image/svg+xml; charset=utf-8',
  'IMAGE/SVG+XML',
  'text/xml',
  'application/xml',
])('nothing runs in an answer of %s, unless its plugin says so', (type) => {
  expect(policyOf({ 'content-type': type })).toMatch(/^default-src 'none';/);
  expect(policyOf({ 'Content-Type': type, 'Content-Security-Policy': "script-src 'self'" })).toBe("script-src 'self'");
});

it.each(['application/json', 'text/plain; x=/xml', 'text/csv', 'text/xmlish', 'application/pdf'])(
  'an answer of %s is no page',
  (type) => expect(policyOf({ 'content-type': type })).toBeUndefined(),
);

it('a file that is shown as a page is one', () => {
  const { headers } = responseOf(route, new FileReply('<svg/>', { type: 'image/svg+xml' }), '/');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none';/);
});
