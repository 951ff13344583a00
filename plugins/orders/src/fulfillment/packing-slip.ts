import { type Ctx, f, notFound, route } from '@storeloom/plugin-sdk';
import { formatMoney, money } from '@storeloom/plugin-sdk/money';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { unshipped } from '../flows/states.ts';
import { partyLines } from '../invoice/pdf.ts';
import { type FulfillmentData, loadFulfillments, loadOrder, type OrderData } from '../load.ts';
import { textsOf } from '../texts.ts';
import { pricedLine } from '../view/view.ts';
import { isOpen } from './machine.ts';
import { type WarehouseDocument, warehouseDocumentReply } from './sheet-render.ts';

/** Units on the slip: of the selected parcel, otherwise of open ones, of the last shipped one, or everything to ship. */
function unitsOf(data: OrderData, parcels: readonly FulfillmentData[], id: string | null): Map<string, number> {
  const add = (chosen: readonly FulfillmentData[]): Map<string, number> => {
    const units = new Map<string, number>();
    for (const { lines } of chosen)
      for (const { lineId, quantity } of lines) units.set(lineId, (units.get(lineId) ?? 0) + quantity);
    return units;
  };
  if (id !== null) {
    const parcel = parcels.find(({ row }) => row.id === id);
    if (!parcel) throw notFound();
    return add([parcel]);
  }
  const waiting = parcels.filter(({ row }) => isOpen(row.status));
  if (waiting.length > 0) return add(waiting);
  const shipped = parcels.filter(({ row }) => row.status !== 'cancelled').at(-1);
  if (shipped) return add([shipped]);
  return new Map(data.lines.map((line) => [line.id, unshipped(line)]));
}

/** Without prices by default, and without internal notes. */
function packingSlip(
  ctx: Ctx,
  data: OrderData,
  parcels: readonly FulfillmentData[],
  options: { fulfillmentId: string | null; prices: boolean },
): WarehouseDocument {
  const { row } = data;
  const t = textsOf(row.locale);
  const units = unitsOf(data, parcels, options.fulfillmentId);
  const show = (amount: number): string => formatMoney(money(amount, row.currency), row.locale);
  const rows = data.lines
    .filter((line) => (units.get(line.id) ?? 0) > 0)
    .map((line) => {
      const quantity = units.get(line.id) as number;
      const parts = (line.children as { title: string; quantity: number }[] | null)?.map(
        (part) => `${part.quantity * quantity} × ${part.title}`,
      );
      const cells = [line.sku ?? '', [line.title, ...(parts ?? [])].join('\n'), String(quantity)];
      return options.prices ? [...cells, show(pricedLine(data.sheet, line.id).unitPrice)] : cells;
    });
  return {
    title: `${t('pdf.packingSlip')} ${row.number}`,
    facts: [
      `${t('pdf.order')}: ${row.number} (${civilDate(row.placedAt, ctx.tenant.timezone)})`,
      row.poNumber === null ? '' : `${t('pdf.poNumber')}: ${row.poNumber}`,
    ],
    blocks: [
      { title: t('pdf.seller'), lines: [ctx.tenant.name] },
      { title: t('pdf.deliverTo'), lines: [...partyLines(row.shippingAddress ?? row.billingAddress, t), row.phone ?? ''] },
    ],
    tables: [
      {
        title: null,
        columns: [
          { title: t('pdf.sku'), width: 110 },
          { title: t('pdf.item'), width: options.prices ? 265.28 : 335.28 },
          { title: t('pdf.quantity'), width: 70, align: 'right' },
          ...(options.prices ? [{ title: t('pdf.unitPrice'), width: 70, align: 'right' as const }] : []),
        ],
        rows,
      },
    ],
    note: row.notes === null ? null : `${t('pdf.note')}: ${row.notes}`,
  };
}

export const packingSlipRoute = route(
  'GET',
  '/orders/{id}/packing-slip',
  {
    permission: 'orders.order.read',
    summary: 'Print the packing slip of a parcel',
    query: {
      format: f.oneOf(['pdf', 'html']).default('pdf'),
      fulfillmentId: f.id().optional(),
      prices: f.bool().default(false),
    },
    produces: ['application/pdf', 'text/html'],
  },
  async (ctx, req) => {
    const data = await loadOrder(ctx, req.params.id as string);
    const { format, fulfillmentId, prices } = req.query;
    const paper = packingSlip(ctx, data, await loadFulfillments(ctx, data.row.id), { fulfillmentId, prices });
    const { locale, number, updatedAt } = data.row;
    return warehouseDocumentReply(paper, format, `packing-slip-${number}`, {
      locale,
      author: ctx.tenant.name,
      at: updatedAt,
      t: textsOf(locale),
    });
  },
);
