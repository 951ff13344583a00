import type { EventHandler } from '@storeloom/plugin-sdk';
import { findOrder } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { settings } from '../settings.ts';
import { creditEarlier } from './credit.ts';
import { invoicesOf, issueInvoice } from './invoice.ts';

/** Invoices an order once, when it is paid or shipped (`invoiceOn`), unless it is cancelled or free. */
const invoiceWhen =
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

export const invoiceOnPaid = invoiceWhen('paid');
export const invoiceOnShipped = invoiceWhen('shipped');
