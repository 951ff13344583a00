import type { GuardedHttp, Log } from '@storeloom/plugin-sdk';
import { problem } from '@storeloom/plugin-sdk';
import { describe, expect, it } from 'vitest';
import { type ParsedVat, parseVat } from './number.ts';
import { vies } from './vies.ts';

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const number = parseVat('EL 039868210');
const requester = parseVat('RO14399840');

async function ask(status: number, body: unknown, from: ParsedVat | null = requester) {
  const sent: { url: string; body: unknown }[] = [];
  const http: GuardedHttp = {
    check: async () => undefined,
    async fetch(url, options) {
      sent.push({ url, body: JSON.parse(String(options?.body)) });
      if (body instanceof Error) throw body;
      return { status, headers: {}, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
    },
  };
  const answer = await vies({ http, log, baseUrl: 'https://register.example/rest-api/' }).check(number, from ?? undefined);
  return { answer, sent };
}

describe('the VAT register', () => {
  it('receives prefix and number separately, and the requester', async () => {
    const { sent, answer } = await ask(200, {
      valid: true,
      requestIdentifier: 'WAPIAAAAX1',
      name: ' Firma\u0000 AE ',
      userError: 'VALID',
    });
    expect(sent).toEqual([
      {
        url: 'https://register.example/rest-api/check-vat-number',
        body: { countryCode: 'EL', vatNumber: '039868210', requesterMemberStateCode: 'RO', requesterNumber: '14399840' },
      },
    ]);
    expect(answer).toEqual({ status: 'valid', name: 'Firma AE', consultationNumber: 'WAPIAAAAX1' });
  });

  it('returns no proof without a requester', async () => {
    const { sent, answer } = await ask(200, { valid: true, name: '---' }, null);
    expect(sent[0]?.body).toEqual({ countryCode: 'EL', vatNumber: '039868210' });
    expect(answer).toEqual({ status: 'valid', name: null, consultationNumber: null });
  });

  it('returns invalid only for a definite result', async () => {
    expect((await ask(200, { valid: false, userError: 'INVALID' })).answer.status).toBe('invalid');
    expect((await ask(200, { valid: false })).answer.status).toBe('invalid');
  });

  it.each([
    ['a member state that is away', 200, { valid: false, userError: 'MS_UNAVAILABLE' }],
    ['too many requests of a member state', 200, { valid: false, userError: 'MS_MAX_CONCURRENT_REQ' }],
    ['wrappers of errors', 200, { actionSucceed: false, errorWrappers: [{ error: 'SERVICE_UNAVAILABLE' }] }],
    ['errors beside an answer', 200, { valid: false, errorWrappers: [{ error: 'INVALID_INPUT' }] }],
    ['429', 429, { valid: false }],
    ['500', 500, { valid: false }],
    ['a redirect', 302, ''],
    ['a page of HTML', 200, '<html>maintenance</html>'],
    ['a cut body', 200, '{"valid": tr'],
    ['an empty body', 200, ''],
    ['null', 200, 'null'],
    ['text for a yes', 200, { valid: 'true' }],
    ['a connection that breaks', 200, problem('unavailable', { detail: 'reset' })],
  ])('is unavailable after %s, never invalid', async (_, status, body) => {
    expect((await ask(status, body)).answer).toEqual({ status: 'unavailable', name: null, consultationNumber: null });
  });
});
