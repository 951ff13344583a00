import { customers, promotions } from '@storeloom/commerce';
import { type Ctx, mailer, Problem } from '@storeloom/plugin-sdk';
import { formatMoney, money } from '@storeloom/plugin-sdk/money';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import type { CartPrice } from '../cart/price.ts';
import { type CartRow, cart } from '../cart/table.ts';
import { createLink, endLinks, liveLinks, type NewLink } from '../link.ts';
import { queued } from '../queued.ts';
import { settings } from '../settings.ts';
import { type AbandonedRow, abandoned } from './abandoned.ts';
import { checkBeforeSending, contactOf, type RecoveryObstacle, recoveryObstacle } from './checks.ts';
import { type RecoveryConfig, recoveryConfigOf } from './config.ts';

const hours = 3_600_000;

/** Returns the active recovery link, or creates one that is valid as long as the cart. */
async function findOrCreateLink(ctx: Ctx, row: AbandonedRow): Promise<NewLink> {
  const live = (await liveLinks(ctx, [row.id])).get(row.id);
  if (live) return live;
  const days = ctx.settings(settings).cartTtlDays;
  return createLink(ctx, 'recovery', row.id, new Date(ctx.clock.ms() + days * 24 * hours).toISOString());
}

export interface RecoveryMailInput {
  /** Index of the configured step; null for a reminder sent by staff. */
  step: number | null;
  templateId: string;
  code: string | null;
}

/** Queues the e-mail of a step, once for each abandonment of the cart, and records it. */
export async function sendReminder(
  ctx: Ctx,
  row: AbandonedRow,
  source: CartRow,
  email: string,
  { priced }: CartPrice,
  { step, templateId, code }: RecoveryMailInput,
): Promise<AbandonedRow> {
  const link = await findOrCreateLink(ctx, row);
  const person = await ctx.require(customers).byEmail(email);
  await ctx.require(mailer).send({
    to: email,
    template: `checkout.${templateId}`,
    locale: source.locale,
    unsubscribe: storefrontUrl(ctx, `/api/storefront/checkout/recovery/stop/${link.token}`),
    key: `checkout.recovery:${row.id}:${row.abandonedAt}:${step ?? 'staff'}`,
    data: {
      shop: ctx.tenant.name,
      name: person?.firstName ?? '',
      items: priced.lines.map((line) => `${line.quantity} × ${line.title}`).join('\n'),
      total: formatMoney(money(priced.totals.total, source.currency), source.locale),
      url: link.url,
      stopUrl: storefrontUrl(ctx, `/checkout/recovery/stop?token=${link.token}`),
      code: code ?? '',
    },
  });
  const now = ctx.clock.now();
  return ctx.rows(abandoned).update(row.id, {
    status: 'reminded',
    stage: row.stage + 1,
    remindedAt: row.remindedAt ?? now,
    reminders: [...row.reminders, { step, templateId, sentAt: now, openedAt: null }],
  });
}

async function issuePromotionCode(ctx: Ctx, promotionId: string, customerId: string | null): Promise<string | undefined> {
  const service = ctx.use(promotions);
  if (!service) return undefined;
  try {
    return (await ctx.savepoint(() => service.issueCode(promotionId, customerId))).code;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    ctx.log.warn({ promotion_id: promotionId, code: error.code }, 'no code could be issued for a recovery mail');
    return undefined;
  }
}

export async function scheduleStep(ctx: Ctx, row: AbandonedRow, { enabled, steps }: RecoveryConfig, step: number): Promise<void> {
  const next = steps[step];
  if (!enabled || !next) return;
  const startAfter = new Date(Date.parse(row.abandonedAt) + next.delayHours * hours).toISOString();
  await ctx.enqueue(
    queued.remind,
    { abandonedId: row.id, abandonedAt: row.abandonedAt, step },
    { startAfter, key: `remind:${row.id}:${row.abandonedAt}:${step}` },
  );
}

/** The job of one step. Checks consent, orders, stock and cap again. A failed check skips this e-mail or ends the recovery. */
export async function remind(
  ctx: Ctx,
  { abandonedId, abandonedAt, step }: { abandonedId: string; abandonedAt: string; step: number },
): Promise<void> {
  const seen = await ctx.rows(abandoned).get(abandonedId);
  const source = seen && (await ctx.rows(cart).get(seen.cartId, { lock: true }));
  const row = await ctx.rows(abandoned).get(abandonedId, { lock: true });
  if (!row || !source || row.abandonedAt !== abandonedAt) return;
  if (row.status !== 'abandoned' && row.status !== 'reminded') return;
  if (row.reminders.some((one) => one.step === step && one.sentAt >= abandonedAt)) return;
  const config = await recoveryConfigOf(ctx);
  const wanted = config.steps[step];
  if (!config.enabled || !wanted) return;
  const why = await tryReminder(ctx, row, source, config, step);
  if (why) ctx.log.info({ abandoned_cart: row.id, step, why }, 'a recovery mail was left out');
  if (why && (await closeRecovery(ctx, row, why))) return;
  await scheduleStep(ctx, row, config, step + 1);
}

async function tryReminder(
  ctx: Ctx,
  row: AbandonedRow,
  source: CartRow,
  { steps, maxPer30Days }: RecoveryConfig,
  step: number,
): Promise<RecoveryObstacle | undefined> {
  const { templateId, promotionId } = steps[step]!;
  const email = await contactOf(ctx, source);
  const obstacle = await recoveryObstacle(ctx, source, email);
  if (obstacle || email === null) return obstacle ?? 'no_contact';
  const now = await checkBeforeSending(ctx, row, source, email, maxPer30Days);
  if ('why' in now) return now.why;
  const code = promotionId === null ? null : await issuePromotionCode(ctx, promotionId, source.customerId);
  if (code === undefined) return 'promotion_unavailable';
  await sendReminder(ctx, row, source, email, now.price, { step, templateId, code });
  return undefined;
}

/** Stores the status of a final reason. Returns whether later steps are pointless. */
async function closeRecovery(ctx: Ctx, row: AbandonedRow, why: RecoveryObstacle): Promise<boolean> {
  const status = why === 'unsubscribed' || why === 'no_consent' ? 'opted_out' : why === 'ordered' ? 'recovered' : undefined;
  if (status) {
    const recovered = status === 'recovered' ? { recoveredAt: ctx.clock.now() } : {};
    await ctx.rows(abandoned).update(row.id, { status, ...recovered });
    await endLinks(ctx, [row.id]);
    return true;
  }
  return why === 'converted' || why === 'expired' || why === 'active' || why === 'empty' || why === 'no_contact';
}
