import { createHmac } from 'node:crypto';
import type { Ctx } from '@storeloom/plugin-sdk';
import { describe, expect, it } from 'vitest';
import { readQuote, signQuote } from './quote-token.ts';

let now = Date.parse('2026-11-27T10:00:00Z');
const signer = (tenant: string) =>
  ({
    tenant: { id: tenant },
    clock: { ms: () => now, now: () => new Date(now).toISOString() },
    sign: (purpose: string, text: string) => createHmac('sha256', 'key').update(`${purpose}\n${text}`).digest('base64url'),
  }) as unknown as Pick<Ctx, 'sign' | 'clock' | 'tenant'>;
const quote = { methodId: 'm', price: 1999, currency: 'RON', hash: 'h' };

describe('a signed quote', () => {
  it('is valid for 30 minutes for its tenant', () => {
    const { quoteToken, expiresAt } = signQuote(signer('a'), quote);
    expect(expiresAt).toBe('2026-11-27T10:30:00.000Z');
    now += 30 * 60_000 - 1;
    expect(readQuote(signer('a'), quoteToken)).toEqual(quote);
    expect(readQuote(signer('b'), quoteToken)).toBeUndefined();
    now += 1;
    expect(readQuote(signer('a'), quoteToken)).toBeUndefined();
  });
  it('is invalid if modified', () => {
    const { quoteToken } = signQuote(signer('a'), quote);
    const [payload = '', signature = ''] = quoteToken.split('.');
    const cheap = Buffer.from(JSON.stringify(['m', 1, 'RON', 'h', now + 1e9])).toString('base64url');
    for (const forged of [`${cheap}.${signature}`, `${payload}.${signature}x`, `${payload}.`, payload, '', 'a.b.c', '.', 'x.y'])
      expect(readQuote(signer('a'), forged)).toBeUndefined();
  });
});
