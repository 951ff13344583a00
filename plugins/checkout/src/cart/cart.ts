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
import { endAbandonment } from '../recovery/abandoned.ts';
import { recordTransition } from './history.ts';
import { mergeInto } from './merge.ts';
import type { CartPrice } from './price.ts';
import { type CartRow, cart } from './table.ts';

/** States in which a cart is its visitor's current cart. */
const inUse = ['open', 'locked', 'abandoned'] as const;
const isInUse = (row: CartRow): boolean => (inUse as readonly string[]).includes(row.status);

/** Finds carts by a condition, in id order, so that concurrent calls lock them without a deadlock. */
export async function findCarts(ctx: Ctx, where: RawBuilder<unknown>, lock: boolean): Promise<CartRow[]> {
  const meta = tableSql(cart);
  return ctx.db.rows<CartRow>(sql`select ${sql.raw(meta.select)} from ${sql.table(meta.name)} t
    where t.tenant_id = ${ctx.tenant.id} and (${where}) order by t.id${lock ? sql` for update of t` : sql``}`);
}

const byToken = (token: string): RawBuilder<unknown> => sql`t.token_hash = ${hashToken(token)}`;
const ofCustomer = (id: string): RawBuilder<unknown> =>
  sql`t.kind = 'cart' and t.customer_id = ${id} and t.status in ('open', 'locked', 'abandoned')`;

export interface CartLookup {
  cart: CartRow | undefined;
  /** Warnings of a merge in this call. */
  warnings: Warning[];
}

/**
 * Finds the caller's cart: the signed-in customer's, else the one of the cart token. A customer who sends the token of a guest's cart takes
 * it over, or merges it into the open cart. The cart of another customer is not found.
 */
export async function findCurrentCart(
  ctx: Ctx,
  { lock, token = ctx.tokens.cart }: { lock: boolean; token?: string | undefined },
): Promise<CartLookup> {
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
  // A locked cart waits for its payment, so its lines must stay as they are: it changes owner but never merges.
  const toMerge = guest !== undefined && own !== undefined && own.status !== 'locked' && guest.status !== 'locked';
  if (guest && (!own || toMerge)) {
    if (!lock) return findCurrentCart(ctx, { lock: true, token });
    if (!own) return { cart: await ctx.rows(cart).update(guest.id, { customerId }), warnings: [] };
    return mergeInto(ctx, own, guest);
  }
  const converted = named?.customerId === customerId && named.status === 'converted' ? named : undefined;
  return { cart: own ?? converted, warnings: [] };
}

/** Builds a cart without storing it. */
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
    paymentMethod: null,
    country: null,
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

/**
 * Finds the caller's cart for a change, and cancels its unpaid order.
 * @throws Problem 409 `cart_converted`
 */
export async function findEditableCart(ctx: Ctx): Promise<CartLookup> {
  const found = await findCurrentCart(ctx, { lock: true });
  return found.cart ? { ...found, cart: await reopenCart(ctx, found.cart) } : found;
}

/**
 * Finds the caller's cart to add to, like `findEditableCart`. An ordered cart stays as it is: its visitor gets a new cart, which
 * concurrent requests with the token of the ordered one share.
 * @throws Problem 409 `cart_converted` while a paid order is about to convert the cart
 */
export async function findCartToFill(ctx: Ctx): Promise<CartLookup & { ordered?: CartRow }> {
  const found = await findCurrentCart(ctx, { lock: true });
  if (!found.cart) return found;
  if (found.cart.status !== 'converted') return { ...found, cart: await reopenCart(ctx, found.cart) };
  return { cart: await successorOf(ctx, found.cart), warnings: found.warnings, ordered: found.cart };
}

/** The cart that followed an ordered one, if the caller may use it and it isn't ordered yet. */
async function successorOf(ctx: Ctx, { mergedInto }: CartRow): Promise<CartRow | undefined> {
  if (mergedInto === null) return undefined;
  const [next] = await findCarts(ctx, sql`t.id = ${mergedInto} and t.status in ('open', 'abandoned')`, true);
  const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : null;
  return next?.customerId === customerId ? next : undefined;
}

/**
 * Reopens a locked cart: cancels the unpaid order.
 * @throws Problem 409 `cart_converted` once the payment is authorised or captured
 */
export async function reopenCart(ctx: Ctx, row: CartRow): Promise<CartRow> {
  if (row.status === 'converted')
    throw problem('cart_converted', { detail: 'The cart has already been ordered. Create a new one.' });
  if (row.status !== 'locked') return row;
  await releaseWaiting(ctx, { cartId: row.id }, 'superseded');
  const after = await ctx.rows(cart).require(row.id);
  // The cart had no active order, so no tap of `cancelCommit` reopened it.
  return after.status === 'locked' ? ctx.rows(cart).update(row.id, { status: 'open', ...noOrder }) : after;
}

/** Columns of a cart without an active order. */
export const noOrder = { orderId: null, orderToken: null, lockedAt: null, paymentDueAt: null } as const;

/** Stores the cart with the titles, rate and total of its pricing run. Ends the reminders of an abandoned cart. */
export async function saveCart(ctx: Ctx, row: CartRow, { priced }: CartPrice): Promise<CartRow> {
  const { id: _, version, createdAt: __, updatedAt: ___, ...values } = row;
  const titles = new Map(priced.lines.map((line) => [line.id, line.title]));
  const changes = {
    codes: row.codes,
    tenders: row.tenders,
    currency: row.currency,
    locale: row.locale,
    email: row.email,
    shippingAddress: row.shippingAddress,
    shippingMethodId: row.shippingMethodId,
    paymentMethod: row.paymentMethod,
    country: row.country,
    lines: row.lines.map((line) => ({ ...line, title: titles.get(line.id) ?? line.title })),
    fx: row.currency === ctx.tenant.currency ? null : (priced.context.fx ?? null),
    value: money(priced.totals.total, row.currency),
    status: 'open' as const,
    lastActivityAt: ctx.clock.now(),
  };
  if (version === 0) {
    const created = { ...values, ...changes, id: row.id };
    // A customer's second open cart is refused by the database, which `withNewCart` must see. A guest's has no key in common with others.
    if (row.customerId !== null) return ctx.rows(cart).insert(created);
    ctx.rows(cart).insertLater(created);
    return { ...row, ...changes, version: 1 };
  }
  if (row.status === 'abandoned') await endAbandonment(ctx, row.id);
  await recordTransition(ctx, row, 'open');
  return ctx.rows(cart).update(row.id, changes);
}

/** Repeats `fn` when a concurrent request of the same customer has created the cart first. */
export async function withNewCart<T>(ctx: Ctx, fn: () => Promise<T>): Promise<T> {
  if (ctx.actor.type !== 'customer') return fn();
  try {
    return await ctx.savepoint(fn);
  } catch (error) {
    if (constraintOf(error)?.constraint !== 'checkout_cart_customer_id_key') throw error;
    return fn();
  }
}

/** Browsers trust these hosts without TLS, but not all of them accept `Secure` cookies from them. */
const isLocal = (host: string): boolean => /^(localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/.test(host);

export function cartCookie(host: string, token: string, days: number): string {
  const parts = [`${cartCookieName}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${days * 86_400}`];
  if (!isLocal(host)) parts.push('Secure');
  return parts.join('; ');
}

export function withCookie<B>(status: number, body: B, headers: Record<string, string>): Reply<B> {
  return new Reply(status, body, { headers });
}
