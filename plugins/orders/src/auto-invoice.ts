import type { EventHandler } from '@storeloom/plugin-sdk';
import { invoiceByItself } from './invoice.ts';
import { findOrder } from './load.ts';
import { lockOrder } from './lock.ts';
import { settings } from './settings.ts';

/** `invoiceOn`: an order that is paid, or has left, is invoiced once. */
const when =
  (on: 'paid' | 'shipped'): EventHandler =>
  async (ctx, event) => {
    if (ctx.settings(settings).invoiceOn !== on) return;
    const id = event.data.id as string;
    if (!(await findOrder(ctx, id))) return;
    const { row } = await lockOrder(ctx, id);
    await invoiceByItself(ctx, row);
  };

export const invoiceOnPaid = when('paid');
export const invoiceOnShipped = when('shipped');
