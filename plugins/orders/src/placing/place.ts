import { type OrderStatus, type PlaceInput, type PricedLine, type placeCommit, settleCommit } from '@storeloom/commerce';
import type { Ctx, TableInsert, TapFn } from '@storeloom/plugin-sdk';
import { fulfillmentStatusOf } from '../flows/states.ts';
import { emitOrderEventWith, recordStatus, writeMove } from '../flows/transition.ts';
import { cachePlacedOrder, dropPlacedOrder, loadOrder } from '../load.ts';
import { checkOrderQuota } from '../order-quota.ts';
import { line, order, revision } from '../tables.ts';
import { searchTextOf } from '../view/search-text.ts';
import { orderView } from '../view/view.ts';
import { lineColumns } from './line-columns.ts';
import { nextOrderNumber } from './number.ts';
import { orderToken, tokenColumns } from './order-token.ts';
import { storedPricing } from './snapshot.ts';

/** Confirmed if nothing is due or the method is paid later; otherwise pending until the payment. */
function initialStatus({ priced, payment }: PlaceInput): Extract<OrderStatus, 'pending' | 'confirmed'> {
  return priced.totals.amountDue === 0 || payment?.paidLater ? 'confirmed' : 'pending';
}

/** place.commit, stage 70: inserts order, lines, prices and history. */
export const placeOrder: TapFn<typeof placeCommit> = async (ctx: Ctx, input: PlaceInput) => {
  const { priced, orderId } = input;
  const { context, sheet } = priced;
  const { currency } = context;
  const billing = context.billingAddress ?? context.shippingAddress;
  if (!billing) throw new Error('an order needs a billing address');
  const money = (amount: number) => ({ amount, currency });
  const tendered = priced.totals.tenders.reduce((sum, tender) => sum + tender.amount, 0);
  const paid = priced.totals.amountDue === 0;
  const start = initialStatus(input);
  const now = ctx.clock.now();
  const [number] = await Promise.all([nextOrderNumber(ctx), checkOrderQuota(ctx)]);
  const values: TableInsert<typeof order> & { id: string } = {
    id: orderId,
    number,
    cartId: input.cart?.id ?? null,
    draftId: input.draftId,
    status: start,
    paymentStatus: paid ? 'paid' : 'unpaid',
    fulfillmentStatus: fulfillmentStatusOf(priced.lines.map(quantities)),
    channel: context.channel,
    channelRef: null,
    customerId: input.customerId,
    email: input.email.toLowerCase(),
    phone: input.phone,
    locale: context.locale,
    currency,
    priceMode: context.priceMode,
    billingAddress: billing,
    shippingAddress: context.shippingAddress ?? null,
    country: (context.shippingAddress ?? billing).country,
    revision: 1,
    total: money(sheet.totals.total),
    amountDue: money(priced.totals.amountDue),
    captured: money(0),
    refunded: money(0),
    tendered: money(tendered),
    paymentMethod: input.payment?.methodCode ?? null,
    paidLater: input.payment?.paidLater ?? false,
    notes: input.note,
    poNumber: input.poNumber,
    ip: input.ip,
    userAgent: input.userAgent?.slice(0, 300) ?? null,
    ...tokenColumns(ctx, orderId),
    searchText: searchTextOf(
      {
        number,
        email: input.email,
        phone: input.phone,
        poNumber: input.poNumber,
        billingAddress: billing,
        shippingAddress: context.shippingAddress ?? null,
      },
      priced.lines.map((each) => each.sku ?? null),
      [],
    ),
    placedAt: now,
    paidAt: paid ? now : null,
  };
  const pricing = storedPricing(priced, ctx.tenant.currency);
  const [placed, lines] = await Promise.all([
    ctx.rows(order).insert(values),
    ctx.rows(line).insertMany(priced.lines.map((each, position) => lineColumns(orderId, each, position))),
    ctx.rows(revision).insert({
      orderId,
      revision: 1,
      sheet: JSON.stringify(sheet),
      pricing: { ...pricing },
    }),
    recordStatus(ctx, orderId, null, 'pending', null),
    ...(start === 'confirmed' ? [recordStatus(ctx, orderId, 'pending', 'confirmed', null)] : []),
  ]);
  input.results.orders = { number, token: orderToken(ctx, orderId) };
  await emitOrderEventWith(ctx, placed, lines, 'placed');
  if (start === 'confirmed') await emitOrderEventWith(ctx, placed, lines, 'confirmed');
  if (paid) await emitOrderEventWith(ctx, placed, lines, 'paid');
  cachePlacedOrder(ctx, { row: placed, lines, sheet, pricing });
};

/**
 * place.commit, stage 96: settles an order without an amount due, for which no payment follows.
 */
export const settleFree: TapFn<typeof placeCommit> = async (ctx: Ctx, input: PlaceInput) => {
  if (input.priced.totals.amountDue > 0) return;
  dropPlacedOrder(ctx, input.orderId);
  const data = await loadOrder(ctx, input.orderId);
  await ctx.call(settleCommit, {
    order: orderView(data),
    lines: data.lines.map(({ id, quantity }) => ({ lineId: id, quantity })),
    payment: { id: input.orderId, status: 'captured', capturedAmount: 0, authorizedAmount: 0 },
    late: null,
    reason: 'nothing_due',
  });
};

/** place.commit, stage 97, after every tap that may request it: puts the order on hold. */
export const holdPlaced: TapFn<typeof placeCommit> = async (ctx: Ctx, input: PlaceInput) => {
  const reason = input.hold?.reason ?? (input.priced.taxHold ? 'tax_check' : null);
  if (reason === null) return;
  const row = await ctx.rows(order).require(input.orderId, { lock: true });
  if (row.status === 'pending' || row.status === 'confirmed') await writeMove(ctx, row, 'on_hold', reason);
};

function quantities({ ships, quantity }: PricedLine) {
  return {
    ships,
    quantity,
    quantityFulfilled: 0,
    quantityShipped: 0,
    quantityDelivered: 0,
    quantityReturned: 0,
    quantityCancelled: 0,
  };
}
