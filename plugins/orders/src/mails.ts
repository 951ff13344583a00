import type { fulfillmentEvents, OrderEvent, orderEvents, orderRefundEvents } from '@storeloom/commerce';
import { type Ctx, type EventData, type EventHandler, type Job, type JobData, mailer } from '@storeloom/plugin-sdk';
import { formatMoney } from '@storeloom/plugin-sdk/money';
import { isErasedEmail } from '@storeloom/plugin-sdk/people';
import { orderLink } from './links.ts';
import { findOrder, loadFulfillments, type OrderData } from './load.ts';
import type { queued } from './queued.ts';
import { textsOf } from './texts.ts';

/** Placeholders of every order e-mail. */
export function mailData(ctx: Ctx, { row }: OrderData): Record<string, unknown> {
  return {
    shop: ctx.tenant.name,
    number: row.number,
    name: row.billingAddress.firstName,
    total: formatMoney(row.total, row.locale),
    due: formatMoney(row.amountDue, row.locale),
    link: orderLink(ctx, row),
  };
}

const listed = (units: readonly { quantity: number; title: string }[]): string =>
  units.map(({ quantity, title }) => `${quantity} × ${title}`).join('\n');

/** Sends one e-mail per key. Skips unknown orders and erased buyers. */
async function send(
  ctx: Ctx,
  template: 'placed' | 'shipped' | 'packing' | 'cancelled' | 'refunded' | 'edited',
  orderId: string,
  key: string,
  more: (data: OrderData) => Record<string, unknown> | Promise<Record<string, unknown>> = () => ({}),
): Promise<void> {
  const data = await findOrder(ctx, orderId);
  if (!data || isErasedEmail(data.row.email)) return;
  await ctx.require(mailer).send({
    to: data.row.email,
    template: `orders.${template}`,
    locale: data.row.locale,
    data: { ...mailData(ctx, data), ...(await more(data)) },
    key: `orders ${orderId} ${key}`,
  });
}

const goods = ({ lines }: OrderData): Record<string, unknown> => ({ lines: listed(lines) });

async function parcel(ctx: Ctx, data: OrderData, id: string): Promise<Record<string, unknown>> {
  const found = (await loadFulfillments(ctx, data.row.id)).find(({ row }) => row.id === id);
  const t = textsOf(data.row.locale);
  const code = found?.row.trackingNumber ?? found?.row.awbNumber ?? null;
  const units = (found?.lines ?? []).flatMap(({ lineId, quantity }) => {
    const line = data.lines.find((each) => each.id === lineId);
    return line ? [{ quantity, title: line.title }] : [];
  });
  return {
    lines: listed(units),
    tracking: code === null ? '' : t('mail.tracking', { carrier: found?.row.carrier ?? '', code }),
  };
}

export const mailPlaced: EventHandler<OrderEvent> = (ctx, event) => send(ctx, 'placed', event.data.id, 'placed', goods);

/** Not for an order that the buyer replaced by a new one. */
export const mailCancelled: EventHandler<EventData<typeof orderEvents.cancelled>> = async (ctx, event) => {
  const { id, reason, notify } = event.data;
  if (!notify || reason === 'superseded') return;
  await send(ctx, 'cancelled', id, 'cancelled');
};

export const mailShipped: EventHandler<EventData<typeof fulfillmentEvents.shipped>> = async (ctx, event) => {
  const { id, orderId, notify } = event.data;
  if (!notify) return;
  await send(ctx, 'shipped', orderId, `shipped ${id}`, (data) => parcel(ctx, data, id));
};

export const mailRefunded: EventHandler<EventData<typeof orderRefundEvents.succeeded>> = async (ctx, event) => {
  const { id, orderId, amount } = event.data;
  await send(ctx, 'refunded', orderId, `refunded ${id}`, ({ row }) => ({ amount: formatMoney(amount, row.locale) }));
};

/** E-mails requested by an action of staff. */
export const mailJob: Job<JobData<typeof queued.mail>> = {
  async run(ctx, { template, orderId: id, fulfillmentId, key }) {
    if (template === 'packing') await send(ctx, 'packing', id, key, (data) => parcel(ctx, data, fulfillmentId as string));
    else await send(ctx, 'edited', id, key, goods);
  },
};
