import type { Ctx } from '@storeloom/plugin-sdk';
import { equalSecrets } from '@storeloom/plugin-sdk/public';

export interface SignedQuote {
  methodId: string;
  /** Minor units. */
  price: number;
  currency: string;
  /** Hash of goods and address, which binds the quote to its cart. */
  hash: string;
}
const lifeMs = 30 * 60_000;
type Signer = Pick<Ctx, 'sign' | 'clock' | 'tenant'>;

const seal = (ctx: Signer, payload: string): string => ctx.sign('shipping.quote', `${ctx.tenant.id}.${payload}`);

/** Signs a price for this tenant; valid for 30 minutes. */
export function signQuote(
  ctx: Signer,
  { methodId, price, currency, hash }: SignedQuote,
): { quoteToken: string; expiresAt: string } {
  const until = ctx.clock.ms() + lifeMs;
  const payload = Buffer.from(JSON.stringify([methodId, price, currency, hash, until])).toString('base64url');
  return { quoteToken: `${payload}.${seal(ctx, payload)}`, expiresAt: new Date(until).toISOString() };
}

/** Undefined for an invalid, foreign, modified or expired token. */
export function readQuote(ctx: Signer, token: string): SignedQuote | undefined {
  const [payload, signature, more] = token.split('.');
  if (!payload || !signature || more !== undefined) return undefined;
  if (!equalSecrets(signature, seal(ctx, payload))) return undefined;
  const [methodId, price, currency, hash, until] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as [
    string,
    number,
    string,
    string,
    number,
  ];
  return until > ctx.clock.ms() ? { methodId, price, currency, hash } : undefined;
}
