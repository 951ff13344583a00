import { customers } from '@storeloom/commerce';
import {
  type Ctx,
  created,
  f,
  noContent,
  notFound,
  problem,
  type Route,
  referenceNotFound,
  route,
  sql,
} from '@storeloom/plugin-sdk';
import { reopenCart } from '../cart/cart.ts';
import { recordTransition } from '../cart/history.ts';
import { priceCart } from '../cart/price.ts';
import { cartShape } from '../cart/shape.ts';
import { type CartRow, cart } from '../cart/table.ts';
import { cartView } from '../cart/view.ts';
import { createLink, endLinks, findLink, hasEnded } from '../link.ts';
import { settings } from '../settings.ts';
import { type AbandonedRow, abandoned, endAbandonment, recoverPermission, withTokens } from './abandoned.ts';
import { contactOf, emailHash, type RecoveryObstacle, recoveryObstacle } from './checks.ts';
import { checkTemplate } from './config.ts';
import { sendReminder } from './mail.ts';
import { abandonCart } from './sweep.ts';

function notRecoverable(why: RecoveryObstacle) {
  return problem('not_recoverable', { detail: `The cart can't be recovered: ${why.replaceAll('_', ' ')}.`, why });
}

/** The row as in the list, with the token masked without the permission to recover. */
async function presentRow(ctx: Ctx, row: AbandonedRow) {
  const [shown] = (await withTokens(ctx, [row])) as [AbandonedRow];
  return ctx.can(recoverPermission) ? shown : { ...shown, masked: ['recoveryToken'] };
}

async function recoverManually(ctx: Ctx, source: CartRow, templateId: string): Promise<{ row: AbandonedRow; isNew: boolean }> {
  const email = await contactOf(ctx, source);
  const why = await recoveryObstacle(ctx, source, email);
  if (why || email === null) throw notRecoverable(why ?? 'no_contact');
  const known = await ctx.rows(abandoned).first({ cartId: source.id }, { lock: true });
  const present =
    source.status === 'abandoned' && known && (known.status === 'abandoned' || known.status === 'reminded') ? known : undefined;
  const row = present ?? (await abandonCart(ctx, source, email));
  if (row.reminders.some((one) => one.step === null && one.sentAt >= row.abandonedAt)) return { row, isNew: false };
  const price = await priceCart(ctx, source);
  return { row: await sendReminder(ctx, row, source, email, price, { step: null, templateId, code: null }), isNew: !present };
}

const { recoveryToken: _, ...plainFields } = abandoned.fields;
const rowShape = {
  id: f.id(),
  createdAt: f.instant(),
  updatedAt: f.instant(),
  version: f.int(),
  ...plainFields,
  recoveryToken: f.text().optional(),
};

const startRecovery = route(
  'POST',
  '/abandoned-carts/',
  {
    permission: 'checkout.abandoned-cart.create',
    entity: 'checkout.abandoned-cart',
    summary: 'Start the recovery of a cart and queue its e-mail',
    body: { cartId: f.id(), templateId: f.text({ max: 60 }).optional().example('reminder') },
    response: rowShape,
    status: 201,
    otherResponses: { 200: rowShape },
    problems: ['not_found', 'not_recoverable'],
  },
  async (ctx, req) => {
    const { cartId, templateId } = req.body;
    if (templateId !== null) checkTemplate(templateId, '/templateId');
    const source = await ctx.rows(cart).get(cartId, { lock: true });
    if (source?.kind !== 'cart') throw referenceNotFound('/cartId');
    const { row, isNew } = await recoverManually(ctx, source, templateId ?? 'reminder');
    await ctx.audit({ entity: 'checkout.abandoned-cart', entityId: row.id, extra: { cartId } });
    const body = await presentRow(ctx, row);
    return isNew ? created(`/abandoned-carts/?id=${row.id}`, body) : body;
  },
);

const takeOver = route(
  'POST',
  '/abandoned-carts/recover/{token}',
  {
    permission: recoverPermission,
    entity: 'checkout.abandoned-cart',
    summary: 'Take over a cart for a buyer on the phone',
    params: { token: f.text({ max: 200 }) },
    response: { cart: f.object(cartShape), cartToken: f.text().optional(), url: f.url() },
    problems: ['expired', 'cart_converted'],
    idempotent: false,
  },
  async (ctx, req) => {
    const link = await findLink(ctx, req.params.token);
    if (link?.kind !== 'recovery') throw notFound('There is no such cart.');
    const row = await ctx.rows(abandoned).require(link.targetId);
    const source = await ctx.rows(cart).get(row.cartId, { lock: true });
    if (source?.status === 'converted') throw problem('cart_converted');
    // A concurrent call may have ended the link while this one waited for the lock.
    const current = await findLink(ctx, req.params.token);
    if (!source || !current || hasEnded(ctx, current) || source.status === 'expired' || source.status === 'merged')
      throw problem('expired', { detail: 'The link has expired or has already been used.' });
    const open = await reopenCart(ctx, source);
    await endAbandonment(ctx, open.id);
    await recordTransition(ctx, open, 'open');
    const taken = await ctx.rows(cart).update(open.id, { status: 'open', lastActivityAt: ctx.clock.now() });
    const lifetime = ctx.settings(settings).cartTtlDays * 86_400_000;
    const { url } = await createLink(ctx, 'recovery', row.id, new Date(ctx.clock.ms() + lifetime).toISOString());
    await ctx.audit({ entity: 'checkout.abandoned-cart', entityId: row.id, extra: { cartId: taken.id } });
    const view = cartView(ctx, taken, await priceCart(ctx, taken));
    return { cart: view, cartToken: view.cartToken, url };
  },
);

export const recoveryRoutes: Route[] = [startRecovery, takeOver];

/** Opts the e-mail address of the link's cart out. Idempotent. Returns false for an unknown token. */
async function optOut(ctx: Ctx, token: string): Promise<boolean> {
  const link = await findLink(ctx, token);
  const row = link?.kind === 'recovery' ? await ctx.rows(abandoned).get(link.targetId) : undefined;
  if (!row || row.email === null) return false;
  const now = ctx.clock.now();
  await ctx.db.run(sql`insert into checkout_recovery_optout (tenant_id, id, email_hash, created_at, updated_at)
      values (${ctx.tenant.id}, gen_random_uuid(), ${emailHash(row.email)}, ${now}, ${now}) on conflict (tenant_id, email_hash) do nothing`);
  const person = await ctx.require(customers).byEmail(row.email);
  await ctx.require(customers).recordConsent({
    purpose: 'cart_reminders',
    granted: false,
    subject: person?.id ?? emailHash(row.email),
    ...(person ? { customerId: person.id } : {}),
    ip: ctx.ip,
    source: 'recovery-mail',
    once: true,
  });
  const others = await ctx
    .rows(abandoned)
    .find({ email: row.email, status: ['active', 'abandoned', 'reminded'] }, { lock: true });
  await ctx.rows(abandoned).updateWhere({ id: others.map((each) => each.id) }, { status: 'opted_out' });
  await endLinks(
    ctx,
    others.map((each) => each.id),
  );
  return true;
}

/** For the unsubscribe link at the end of each recovery e-mail. */
export const stopRecovery: Route = route(
  'POST',
  '/checkout/recovery/stop',
  {
    additive: true,
    summary: 'Unsubscribe from e-mails about abandoned carts',
    body: { token: f.text({ max: 200 }) },
    status: 204,
    rateLimit: { points: 20, seconds: 60 },
  },
  async (ctx, req) => {
    if (!(await optOut(ctx, req.body.token))) throw referenceNotFound('/token');
    return noContent();
  },
);

/** One-click unsubscribe of mail clients (RFC 8058): a form POST without cookies or redirects. */
export const stopByOneClick: Route = route(
  'POST',
  '/checkout/recovery/stop/{token}',
  {
    additive: true,
    summary: 'Unsubscribe from e-mails about abandoned carts, by one click in an e-mail program',
    params: { token: f.text({ max: 200 }) },
    rawBody: 'raw',
    contentTypes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
    maxBytes: 4096,
    status: 204,
    idempotent: false,
    rateLimit: { points: 20, seconds: 60 },
  },
  async (ctx, req) => {
    if (!/\bList-Unsubscribe\b[\s\S]{0,8}One-Click/.test(String(req.body)))
      throw problem('malformed_request', { detail: 'The form has no field List-Unsubscribe=One-Click.' });
    if (!(await optOut(ctx, req.params.token as string))) throw notFound();
    return noContent();
  },
);
