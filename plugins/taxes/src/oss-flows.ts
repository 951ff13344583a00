import type { cancelCommit, editCommit, orders, refundCommit } from '@storeloom/plugin-orders/contract';
import { type Ctx, type TapFn, token } from '@storeloom/plugin-sdk';
import { limitEur } from './limit.ts';
import { cancelParts, editParts, type Part, refundParts } from './oss-correct.ts';
import { entriesOf, lockYear, type OssEntry, type OssYear, ossEntry, ossYear, quarterOf } from './oss-tables.ts';
import { forgetSnapshots } from './snapshot.ts';

// Every tap runs under the order's lock, so the entries of the order stand still while it works.
const ordersToken = token<typeof orders>('orders:orders');

/** refund.commit, stage 15: back at the rates of the sale, in this quarter. The limit that was passed stays passed. */
export const correctRefund: TapFn<typeof refundCommit> = async (ctx, input) => {
  const entries = await entriesOf(ctx, input.order.id);
  const sale = entries[0];
  if (!sale) return;
  const row = await lockYear(ctx, sale.saleYear);
  await correct(ctx, { row, sale, kind: 'refund', refundId: input.refundId, parts: refundParts(entries, input) });
};

/** cancel.commit, stage 15: nothing was supplied. If this order passed the limit, the limit isn't passed by it. */
export const correctCancel: TapFn<typeof cancelCommit> = async (ctx, input) => {
  const entries = await entriesOf(ctx, input.order.id);
  const sale = entries[0];
  if (!sale) return;
  const row = await lockYear(ctx, sale.saleYear);
  await correct(ctx, { row, sale, kind: 'cancel', refundId: null, parts: cancelParts(entries) });
};

/** edit.commit, stage 15: takes its lock before stock's. */
export const lockEdit: TapFn<typeof editCommit> = async (ctx, input) => {
  const sale = (await entriesOf(ctx, input.order.id))[0];
  if (sale) await lockYear(ctx, sale.saleYear);
};

/** edit.commit, stage 75: after the order was written. It keeps the country it was taxed in. */
export const correctEdit: TapFn<typeof editCommit> = async (ctx, input) => {
  const entries = await entriesOf(ctx, input.order.id);
  const sale = entries[0];
  const order = sale && (await ctx.use(ordersToken)?.get(input.order.id));
  if (!sale || !order) return;
  const row = await lockYear(ctx, sale.saleYear);
  await correct(ctx, { row, sale, kind: 'edit', refundId: null, parts: editParts(entries, order) });
};

interface CorrectionWrite {
  row: OssYear;
  sale: OssEntry;
  kind: 'refund' | 'cancel' | 'edit';
  refundId: string | null;
  parts: readonly Part[];
}

async function correct(ctx: Ctx, { row, sale, kind, refundId, parts }: CorrectionWrite): Promise<void> {
  if (parts.length === 0) return;
  const { orderId, saleQuarter, saleYear, country, treatment } = sale;
  const { currency } = sale.base;
  const now = ctx.clock.now();
  await ctx.rows(ossEntry).insertMany(
    parts.map(({ part, supplyType, ratePpm, base, tax, eur }) => ({
      orderId,
      kind,
      refundId,
      part,
      quarter: quarterOf(ctx, now),
      saleQuarter,
      saleYear,
      country,
      supplyType,
      treatment,
      ratePpm,
      base: { amount: base, currency },
      tax: { amount: tax, currency },
      eur: eur === null ? null : { amount: eur, currency: 'EUR' },
    })),
  );
  const net = row.net.amount + parts.reduce((sum, { eur }) => sum + (eur ?? 0), 0);
  await ctx.rows(ossYear).update(row.id, { net: { amount: net, currency: 'EUR' }, ...limitAfter(ctx, row, { net, kind, orderId, now }) });
  forgetSnapshots(ctx);
}

function limitAfter(
  ctx: Ctx,
  row: OssYear,
  { net, kind, orderId, now }: { net: number; kind: CorrectionWrite['kind']; orderId: string; now: string },
): Partial<Pick<OssYear, 'exceededAt' | 'exceededBy'>> {
  const passed = net > limitEur(ctx);
  if (kind === 'cancel' && row.exceededBy === orderId && !passed) return { exceededAt: null, exceededBy: null };
  if (kind === 'edit' && passed && row.exceededAt === null) return { exceededAt: now, exceededBy: orderId };
  return {};
}
