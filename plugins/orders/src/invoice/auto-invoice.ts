import type { EventHandler } from '@storeloom/plugin-sdk';
import { findOrder } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { settings } from '../settings.ts';
import { creditEarlier } from './credit.ts';
import { invoicesOf, issueInvoice } from './invoice.ts';

/** `invoiceOn`: an order that is paid, or has left, is invoiced once. One that is cancelled or free stays as it is. */
const when =
  (on: 'paid' | 'shipped'): EventHandler<{ id: string }> =>
  async (ctx, event) => {
    if (ctx.settings(settings).invoiceOn !== on) return;
    const id = event.data.id;
    if (!(await findOrder(ctx, id))) return;
    const data = await lockOrder(ctx, id);
    if (data.row.status === 'cancelled' || data.row.total.amount === 0) return;
    if ((await invoicesOf(ctx, id)).some((each) => each.kind === 'invoice')) return;
    await issueInvoice(ctx, data, 'invoice');
    await creditEarlier(ctx, data);
  };

export const invoiceOnPaid = when('paid');
export const invoiceOnShipped = when('shipped');
