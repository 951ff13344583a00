import { type Ctx, checkVersion, invalid, type Warning } from '@storeloom/plugin-sdk';
import { type Address, addressFields } from '@storeloom/plugin-sdk/people';
import { editContext, pipeline } from './edit/context.ts';
import { checkEditable, commitEdit, type EditOutcome } from './edit/edit.ts';
import { constantNetLines, inputOf, type PlanLine, ratesOf, rebuild } from './edit/sheet.ts';
import { writeRevision } from './edit/write.ts';
import { shipmentsProblem } from './flows/cancel.ts';
import { emitOrderEvent } from './flows/transition.ts';
import { loadOrder, loadRevision, type OrderData, type OrderRow } from './load.ts';
import { lockOrder } from './lock.ts';
import { type StoredPricing, storedPricing } from './placing/snapshot.ts';
import { Order, order } from './tables.ts';
import { refreshSearch } from './view/search-text.ts';

export interface AddressRequest {
  shippingAddress?: Address | null;
  billingAddress?: Address | null;
  recalculate: boolean;
  /** Refund captured money above the new total. */
  refund: boolean;
}
export interface AddressOutcome extends EditOutcome {
  changes: { member: string; from: unknown; to: unknown }[];
  warnings: Warning[];
}

const members = Object.keys(addressFields()) as (keyof Address)[];
function sameAddress(a: Address | null, b: Address | null): boolean {
  return members.every((member) => (a?.[member] ?? null) === (b?.[member] ?? null));
}

/** Compares what determines zones and tax rates. Another street changes no price. */
function samePlace(a: Address | null, b: Address | null): boolean {
  const place = (address: Address | null): string =>
    JSON.stringify(
      [address?.country, address?.region, address?.postalCode, address?.vatId].map((part) => part?.trim().toLowerCase() ?? ''),
    );
  return place(a) === place(b);
}

/** Prices tax and shipping at another address; goods keep their price, under `constant_net` their net price. */
async function pricedAt(ctx: Ctx, data: OrderData, next: { shipping: Address | null; billing: Address }) {
  const context = await editContext(ctx, data, 'placed', {
    billingAddress: next.billing,
    ...(next.shipping === null ? {} : { shippingAddress: next.shipping }),
  });
  const lines = data.lines.map((line): PlanLine => ({ ...inputOf(data.sheet, line.id), kept: line.quantity }));
  const priced = await pipeline(ctx).price({
    context,
    lines: data.lines.map((line) => ({
      id: line.id,
      kind: line.kind,
      quantity: line.quantity,
      title: '',
      listPrice: 0,
      unitPrice: 0,
      ships: line.ships,
      weightG: line.weightG,
      facts: {},
      ...(line.variantId === null ? {} : { variantId: line.variantId }),
      ...(line.data === null ? {} : { data: line.data }),
      ...(line.options === null ? {} : { options: line.options as Record<string, string> }),
    })),
    fixedPrices: Object.fromEntries(lines.map((line) => [line.id, line.unitPrice])),
    skipPromotions: true,
  });
  const rates = ratesOf(priced.sheet);
  const { sheet: first } = await loadRevision(ctx, data.row.id, 1);
  const { crossBorderPricePolicy } = data.pricing.context.rules;
  const constantNet = crossBorderPricePolicy === 'constant_net' && data.row.priceMode === 'gross' && rates;
  const repriced = constantNet ? constantNetLines(first, data.sheet, lines, rates) : lines;
  const [quoted] = priced.shippingLines;
  const present = data.sheet.shippingLines[0];
  const shipping = quoted && {
    id: present?.id ?? quoted.id,
    code: quoted.code,
    name: quoted.name,
    amount: quoted.lineSubtotal,
    ...(quoted.methodId === null ? {} : { methodId: quoted.methodId }),
    ...(quoted.taxCategoryId === null ? {} : { taxCategoryId: quoted.taxCategoryId }),
  };
  const sheet = rebuild(data.sheet, {
    lines: repriced,
    discounts: 'again',
    ...(rates ? { rates } : {}),
    ...(shipping ? { shipping: [shipping] } : {}),
  });
  const pricing: StoredPricing = {
    ...storedPricing(priced, data.pricing.baseCurrency),
    context: data.pricing.context,
    promotions: data.pricing.promotions,
    shipping: shipping
      ? [{ id: shipping.id, carrier: quoted.carrier, taxCategoryId: quoted.taxCategoryId }]
      : data.pricing.shipping,
  };
  return { sheet, pricing, warnings: priced.warnings };
}

function changesOf(before: OrderRow, after: OrderRow): AddressOutcome['changes'] {
  const names = ['shippingAddress', 'billingAddress', 'total', 'amountDue'] as const;
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => ({ member: name, from: before[name], to: after[name] }));
}

/** @throws 409 `order_has_shipments` after a shipment, `invoice_issued` if an e-invoice was submitted */
export async function changeAddress(ctx: Ctx, id: string, request: AddressRequest, ifMatch?: number): Promise<AddressOutcome> {
  const data = await lockOrder(ctx, id);
  const { row } = data;
  checkVersion(ifMatch, row);
  if (data.lines.some((line) => line.quantityShipped > 0)) throw shipmentsProblem();
  await checkEditable(ctx, row, 'edited');
  if (request.shippingAddress === null && data.lines.some((line) => line.ships))
    throw invalid('/shippingAddress', 'required', 'is required: the order has items to ship');
  if (request.billingAddress === null) throw invalid('/billingAddress', 'required', "can't be removed");
  const shipping = request.shippingAddress === undefined ? row.shippingAddress : request.shippingAddress;
  const billing = request.billingAddress ?? row.billingAddress;
  const isUnchanged = sameAddress(shipping, row.shippingAddress) && sameAddress(billing, row.billingAddress);
  if (isUnchanged) return { row, difference: 0, refunds: [], changes: [], warnings: [] };
  const addresses: Partial<OrderRow> = {
    shippingAddress: shipping,
    billingAddress: billing,
    country: (shipping ?? billing).country,
  };
  const isOtherPlace = !samePlace(shipping, row.shippingAddress) || !samePlace(billing, row.billingAddress);
  const priced = request.recalculate && isOtherPlace ? await pricedAt(ctx, data, { shipping, billing }) : undefined;
  let outcome: EditOutcome;
  if (priced) {
    const entity = await ctx.em.findOneOrFail(Order, { id });
    ctx.em.assign(entity, addresses);
    await writeRevision(ctx, entity, priced.sheet, priced.pricing, 'address');
    outcome = await commitEdit(ctx, data, await loadOrder(ctx, id), [], { refund: request.refund, reason: 'address' });
  } else {
    outcome = { row: await ctx.rows(order).update(id, addresses), difference: 0, refunds: [] };
    await emitOrderEvent(ctx, outcome.row, 'updated');
  }
  await refreshSearch(ctx, id);
  const changes = changesOf(row, outcome.row);
  await ctx.audit({ entity: 'orders.order', entityId: id, before: addressesOf(row), after: addressesOf(outcome.row) });
  return { ...outcome, changes, warnings: priced?.warnings ?? [] };
}
const addressesOf = ({ shippingAddress, billingAddress }: OrderRow): object => ({ shippingAddress, billingAddress });
