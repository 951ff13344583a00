import { type Orders, orders } from '@storeloom/commerce';
import { type Ctx, type Provider, provide, sql } from '@storeloom/plugin-sdk';
import { changePaymentMethod } from './edit/payment-method.ts';
import { confirmVat } from './edit/vat.ts';
import { holdOrder, moveOrder } from './flows/move.ts';
import { settleOrder } from './flows/settle.ts';
import { deliverFulfillment, failDelivery } from './fulfillment/deliver.ts';
import { createFulfillment, setTracking } from './fulfillment/fulfillment.ts';
import { shipFulfillment } from './fulfillment/ship.ts';
import { documentOf, invoicesOf } from './invoice/invoice.ts';
import { markInvoice } from './invoice/view.ts';
import { findOrder, loadFulfillments, withData } from './load.ts';
import { lockOrder } from './lock.ts';
import { isTokenValid } from './placing/order-token.ts';
import { refundOrder } from './refund/refund.ts';
import { sumOfParts } from './refund/refunded-beyond.ts';
import { reconcileRefunds } from './refund/status.ts';
import { fulfillment, fulfillmentLine, order, refund } from './tables.ts';
import { adminViewOf } from './view/admin-view.ts';
import { countPlaced, isVisibleTo, ofCustomer, openCount } from './view/customer-orders.ts';
import { beyondBy, isLive } from './view/figures.ts';
import { viewOf } from './view/public-view.ts';
import { refreshSearch } from './view/search-text.ts';
import { orderView } from './view/view.ts';

async function exists(ctx: Ctx, id: string): Promise<boolean> {
  return (await ctx.db.first(sql`select from orders_order where tenant_id = ${ctx.tenant.id} and id = ${id}`)) !== undefined;
}

async function referencedIds(ctx: Ctx, column: 'variant_id' | 'product_id', ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select distinct ${sql.id(column)} as id from orders_line where tenant_id = ${ctx.tenant.id} and ${sql.id(column)} = any(${ids}::uuid[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

function service(ctx: Ctx): Orders {
  return {
    async get(id, options = {}) {
      if (options.lock && !(await exists(ctx, id))) return undefined;
      const found = options.lock ? await lockOrder(ctx, id) : await findOrder(ctx, id);
      if (!found) return undefined;
      const beyond = sumOfParts(await beyondBy(ctx, found.row, found.sheet));
      return beyond === 0 ? orderView(found) : { ...orderView(found), refundedBeyond: beyond };
    },
    async byNumber(number) {
      const row = await ctx.rows(order).first({ number });
      return row && orderView(await withData(ctx, row));
    },
    async activeOrderOf({ cartId, draftId }) {
      if (cartId === undefined && draftId === undefined) return undefined;
      const live = ['pending', 'confirmed', 'processing', 'shipped', 'delivered', 'completed', 'on_hold'] as const;
      const row = await ctx.rows(order).first({ cartId, draftId, status: live });
      return row && orderView(await withData(ctx, row));
    },
    async tokenMatches(id, token) {
      const row = await ctx.rows(order).get(id);
      return row !== undefined && isTokenValid(ctx, row, token);
    },
    publicView: (id) => viewOf(ctx, id),
    adminView: (id) => adminViewOf(ctx, id),
    settle: (id, payment, reason) => settleOrder(ctx, id, payment, reason),
    async move(id, to, options) {
      await moveOrder(ctx, id, to, options);
    },
    hold: (id, reason) => holdOrder(ctx, id, reason),
    changePaymentMethod: (id, method) => changePaymentMethod(ctx, id, method),
    confirmVat: (id, proof) => confirmVat(ctx, id, proof),
    async fulfillment(id) {
      const row = await ctx.rows(fulfillment).get(id);
      if (!row) return undefined;
      const lines = await ctx.rows(fulfillmentLine).find({ fulfillmentId: id }, { orderBy: ['createdAt', 'id'] });
      const { orderId, status, warehouseId, awbNumber } = row;
      return { id, orderId, status, warehouseId, awbNumber, lines: lines.map(({ lineId, quantity }) => ({ lineId, quantity })) };
    },
    async fulfillmentsOf(orderId) {
      const found = await loadFulfillments(ctx, orderId);
      return found.map(({ row, lines }) => ({ id: row.id, status: row.status, lines, awbNumber: row.awbNumber }));
    },
    createFulfillment: (orderId, lines) => createFulfillment(ctx, orderId, { lines }),
    async setTracking(fulfillmentId, tracking) {
      await setTracking(ctx, fulfillmentId, tracking);
      const row = await ctx.rows(fulfillment).require(fulfillmentId);
      await refreshSearch(ctx, row.orderId);
    },
    ship: (orderId, fulfillmentId, reason) => shipFulfillment(ctx, orderId, fulfillmentId, reason),
    deliver: (orderId, fulfillmentId, reason) => deliverFulfillment(ctx, orderId, fulfillmentId, reason),
    failDelivery: (orderId, fulfillmentId, to, reason) => failDelivery(ctx, orderId, fulfillmentId, to, reason),
    refreshPayment: (id) => reconcileRefunds(ctx, id),
    ofCustomer: (customerId, options) => ofCustomer(ctx, customerId, options),
    visibleTo: (id, customerId) => isVisibleTo(ctx, id, customerId),
    openCount: (customerId, email) => openCount(ctx, customerId, email),
    async any() {
      return (await ctx.db.first(sql`select from orders_order where tenant_id = ${ctx.tenant.id} limit 1`)) !== undefined;
    },
    countPlaced: (who) => countPlaced(ctx, who),
    variantsInOrders: (ids) => referencedIds(ctx, 'variant_id', ids),
    productsInOrders: (ids) => referencedIds(ctx, 'product_id', ids),
    async refund(id, request) {
      const done = await refundOrder(ctx, id, request);
      return { refundId: done.refund.id, amount: done.refund.amount.amount };
    },
    async refundsOf(id) {
      const rows = await ctx.rows(refund).find({ orderId: id }, { orderBy: ['createdAt', 'id'] });
      return rows.filter(isLive).map(({ id, amount, preview: { lines, shipping, free } }) => ({
        id,
        amount: amount.amount,
        lines: lines.map(({ lineId, quantity, amount }) => ({ lineId, quantity, amount })),
        shipping: shipping?.amount ?? 0,
        free: free?.amount ?? 0,
      }));
    },
    refundChanged: (id) => reconcileRefunds(ctx, id),
    async invoicesOf(orderId) {
      return (await invoicesOf(ctx, orderId)).map((row) => ({ id: row.id, issuedAt: row.issuedAt, ...documentOf(row) }));
    },
    setEfacturaStatus: (invoiceId, status, { locks }) => markInvoice(ctx, invoiceId, { efacturaStatus: status, locks }),
  };
}

export const ordersProvider: Provider<Orders> = provide(orders, service);
