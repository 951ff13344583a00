import {
  type Ctx,
  cartCookieName,
  constraintOf,
  problem,
  type RawBuilder,
  Reply,
  sql,
  tableSql,
  uuidv7,
  type Warning,
} from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { generateToken, hashToken } from '@storeloom/plugin-sdk/public';
import { releaseWaiting } from '../payment/waiting-order.ts';
import { wakeUp } from '../recovery/abandoned.ts';
import { recordTransition } from './history.ts';
import { mergeInto } from './merge.ts';
import type { CartPrice } from './price.ts';
import { type CartRow, cart } from './table.ts';

/** States in which a cart is its visitor's present one. */
const inUse = ['open', 'locked', 'abandoned'] as const;
const isInUse = (row: CartRow): boolean => (inUse as readonly string[]).includes(row.status);

/** Carts by a condition of their own, in id order, so that two at once never wait for each other. */
export async function findCarts(ctx: Ctx, where: RawBuilder<unknown>, lock: boolean): Promise<CartRow[]> {
  const meta = tableSql(cart);
  return ctx.db.rows<CartRow>(sql`select ${sql.raw(meta.select)} from ${sql.table(meta.name)} t
    where t.tenant_id = ${ctx.tenant.id} and (${where}) order by t.id${lock ? sql` for update of t` : sql``}`);
}

const byToken = (token: string): RawBuilder<unknown> => sql`t.token_hash = ${hashToken(token)}`;
const ofCustomer = (id: string): RawBuilder<unknown> =>
  sql`t.kind = 'cart' and t.customer_id = ${id} and t.status in ('open', 'locked', 'abandoned')`;

export interface Visit {
  cart: CartRow | undefined;
  /** Of a merge that has just happened. */
  warnings: Warning[];
}

/**
 * The caller's cart: of the customer signed in, else of the cart token. The first call that carries both a customer's token and a guest's
 * cart token makes the guest's cart the customer's, or merges it into the one there is. Carts of other customers don't exist for anybody.
 */
export async function visit(
  ctx: Ctx,
  { lock, token = ctx.tokens.cart }: { lock: boolean; token?: string | undefined },
): Promise<Visit> {
  const { actor } = ctx;
  if (actor.type !== 'customer') {
    if (token === undefined) return { cart: undefined, warnings: [] };
    const [found] = await findCarts(ctx, byToken(token), lock);
    return { cart: found && found.status !== 'merged' && found.status !== 'expired' ? found : undefined, warnings: [] };
  }
  const { customerId } = actor;
  const where = token === undefined ? ofCustomer(customerId) : sql`(${ofCustomer(customerId)}) or ${byToken(token)}`;
  const rows = await findCarts(ctx, where, lock);
  const own = rows.find((row) => row.customerId === customerId && isInUse(row));
  const named = token === undefined ? undefined : rows.find((row) => row.tokenHash === hashToken(token));
  const guest = named?.customerId === null && isInUse(named) ? named : undefined;
  // A locked cart waits for its payment: adopted as it is, but never merged.
  const toMerge = guest !== undefined && own !== undefined && own.status !== 'locked' && guest.status !== 'locked';
  if (guest && (!own || toMerge)) {
    if (!lock) return visit(ctx, { lock: true, token });
    if (!own) return { cart: await ctx.rows(cart).update(guest.id, { customerId }), warnings: [] };
    return mergeInto(ctx, own, guest);
  }
  const converted = named?.customerId === customerId && named.status === 'converted' ? named : undefined;
  return { cart: own ?? converted, warnings: [] };
}

/** A cart that isn't stored yet. */
export function newCart(ctx: Ctx, more: Partial<CartRow> = {}): CartRow {
  const now = ctx.clock.now();
  const token = generateToken();
  return {
    id: uuidv7(ctx.clock.ms()),
    version: 0,
    createdAt: now,
    updatedAt: now,
    kind: 'cart',
    status: 'open',
    tokenHash: hashToken(token),
    tokenSealed: ctx.seal(token),
    currency: ctx.tenant.currency,
    locale: ctx.locale,
    customerId: ctx.actor.type === 'customer' ? ctx.actor.customerId : null,
    email: null,
    lines: [],
    codes: [],
    tenders: [],
    shippingAddress: null,
    shippingMethodId: null,
    fx: null,
    value: money(0, ctx.tenant.currency),
    orderId: null,
    orderToken: null,
    mergedInto: null,
    lastActivityAt: now,
    lockedAt: null,
    convertedAt: null,
    paymentDueAt: null,
    metadata: null,
    ...more,
  };
}

/** The caller's cart, ready to be changed: a waiting order is cancelled, a converted one refused. Undefined: there is none. */
export async function editable(ctx: Ctx): Promise<Visit> {
  const found = await visit(ctx, { lock: true });
  return found.cart ? { ...found, cart: await opened(ctx, found.cart) } : found;
}

/** The buyer goes back and edits. 409 `cart_converted` once the payment is authorised or captured. */
export async function opened(ctx: Ctx, row: CartRow): Promise<CartRow> {
  if (row.status === 'converted')
    throw problem('cart_converted', { detail: 'The cart has already been ordered. Create a new one.' });
  if (row.status !== 'locked') return row;
  await releaseWaiting(ctx, { cartId: row.id }, 'superseded');
  const after = await ctx.rows(cart).require(row.id);
  // Without a live order there is nothing that the cart waits for.
  return after.status === 'locked' ? ctx.rows(cart).update(row.id, { status: 'open', ...nothingPlaced }) : after;
}

/** Members of a cart from which no order is alive. */
export const nothingPlaced = { orderId: null, orderToken: null, lockedAt: null, paymentDueAt: null } as const;

/** Writes the cart as it was priced. One statement, a second one where it wakes up from abandonment. */
export async function saveCart(ctx: Ctx, row: CartRow, { priced }: CartPrice): Promise<CartRow> {
  const { id: _, version, createdAt: __, updatedAt: ___, ...values } = row;
  const titles = new Map(priced.lines.map((line) => [line.id, line.title]));
  const stored = {
    ...values,
    lines: row.lines.map((line) => ({ ...line, title: titles.get(line.id) ?? line.title })),
    fx: row.currency === ctx.tenant.currency ? null : ((priced.context.fx as Record<string, unknown> | undefined) ?? null),
    value: money(priced.totals.total, row.currency),
    status: 'open' as const,
    lastActivityAt: ctx.clock.now(),
  };
  if (version === 0) return ctx.rows(cart).insert({ ...stored, id: row.id });
  if (row.status === 'abandoned') await wakeUp(ctx, row.id);
  await recordTransition(ctx, row, 'open');
  const { lines, codes, tenders, currency, locale, email, shippingAddress, shippingMethodId, fx, value, lastActivityAt } = stored;
  return ctx.rows(cart).update(row.id, {
    status: 'open',
    lines,
    codes,
    tenders,
    currency,
    locale,
    email,
    shippingAddress,
    shippingMethodId,
    fx,
    value,
    lastActivityAt,
  });
}

/** Runs `fn` again when another request of the same customer has just made the cart that this one was making. */
export async function withNewCart<T>(ctx: Ctx, fn: () => Promise<T>): Promise<T> {
  if (ctx.actor.type !== 'customer') return fn();
  try {
    return await ctx.savepoint(fn);
  } catch (error) {
    if (constraintOf(error)?.constraint !== 'checkout_cart_customer_id_key') throw error;
    return fn();
  }
}

/** Browsers treat these names as trustworthy without TLS, but not all of them take `Secure` cookies from there. */
const isLocal = (host: string): boolean => /^(localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/.test(host);

export function cartCookie(host: string, token: string, days: number): string {
  const parts = [`${cartCookieName}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${days * 86_400}`];
  if (!isLocal(host)) parts.push('Secure');
  return parts.join('; ');
}

/** An answer that also gives the browser the token of a new cart. */
export function withCookie(status: number, body: Record<string, unknown>, headers: Record<string, string>): Reply {
  return new Reply(status, body, { headers });
}
