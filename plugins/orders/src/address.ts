import type { PricedCharge, PricingContext, ShippingQuote } from '@storeloom/commerce';
import { type Ctx, checkVersion, invalid, type Warning } from '@storeloom/plugin-sdk';
import type { ShippingInput, SurchargeInput } from '@storeloom/plugin-sdk/money';
import { type Address, addressFields } from '@storeloom/plugin-sdk/people';
import { editContext } from './edit/context.ts';
import { checkEditable, commitEdit, type EditOutcome } from './edit/edit.ts';
import { type FixedShipping, fixedPrice, retax } from './edit/retax.ts';
import { feeInput, rebuild, shippingOf } from './edit/sheet.ts';
import { quoteShipping } from './edit/shipping-quote.ts';
import { unprovenVat } from './edit/vat.ts';
import { writeRevision } from './edit/write.ts';
import { shipmentsProblem } from './flows/cancel.ts';
import { emitOrderEvent } from './flows/transition.ts';
import { loadOrder, type OrderData, type OrderRow } from './load.ts';
import { lockOrder } from './lock.ts';
import { type StoredPricing, storedPricing } from './placing/snapshot.ts';
import { Order, order } from './tables.ts';
import { labelText } from './texts.ts';
import { refreshSearch } from './view/search-text.ts';

export interface AddressRequest {
  shippingAddress?: Address | null;
  billingAddress?: Address | null;
  recalculate: boolean;
  /** The shipping method at the new address. Null for the present one, or one that serves it. */
  shippingMethodId: string | null;
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
async function pricedAt(
  ctx: Ctx,
  data: OrderData,
  next: { shipping: Address | null; billing: Address; methodId: string | null },
) {
  const present = data.sheet.shippingLines[0];
  const base = await editContext(ctx, data, 'placed', {
    billingAddress: next.billing,
    ...(next.shipping === null ? {} : { shippingAddress: next.shipping }),
  });
  const { quote, warnings } = await quoteShipping(ctx, data, base, next.methodId);
  const isKept = quote === undefined || quote.methodId === present?.methodId;
  const { pickupPointId, ...withoutPickup } = base;
  const context: PricingContext = {
    ...(isKept && pickupPointId !== undefined ? base : withoutPickup),
    ...(quote ? { shippingMethodId: quote.methodId } : {}),
  };
  const [manual] = quote ? [] : shippingOf(data.sheet);
  const { priced, rates, lines } = await retax(ctx, data, context, fixedShipping(quote, manual, data.row.locale));
  const shipping = quote && {
    id: present?.id ?? 'shipping:1',
    code: quote.code,
    name: labelText(quote.name, data.row.locale),
    amount: quote.price,
    methodId: quote.methodId,
    ...(quote.taxCategoryId === undefined ? {} : { taxCategoryId: quote.taxCategoryId }),
  };
  const sheet = rebuild(data.sheet, {
    lines,
    discounts: 'again',
    ...(rates ? { rates } : {}),
    ...(shipping
      ? { shipping: [shipping], fees: { replaces: 'shipping' as const, list: feesOfShipping(priced.surcharges) } }
      : {}),
  });
  const { vat: _, ...stored } = data.pricing.context;
  const { shippingMethodId: __, pickupPointId: ___, ...withoutShipping } = stored;
  const { vat } = priced.context;
  const pricing: StoredPricing = {
    ...storedPricing(priced, data.pricing.baseCurrency),
    context: {
      ...(quote
        ? {
            ...withoutShipping,
            shippingMethodId: quote.methodId,
            ...(context.pickupPointId === undefined ? {} : { pickupPointId: context.pickupPointId }),
          }
        : stored),
      ...(vat === undefined ? {} : { vat }),
    },
    promotions: data.pricing.promotions,
    shipping:
      quote && shipping
        ? [{ id: shipping.id, carrier: quote.carrier, taxCategoryId: quote.taxCategoryId ?? null }]
        : data.pricing.shipping,
  };
  return { sheet, pricing, warnings: [...priced.warnings, ...warnings, ...vatWarnings(pricing)] };
}

/** Warns that the tax of a new VAT number isn't final. The register is asked again in the background. */
function vatWarnings({ taxReason, context: { vat } }: StoredPricing): Warning[] {
  if (taxReason === unprovenVat)
    return [
      {
        code: unprovenVat,
        message: `The register hasn't confirmed the VAT number ${vat?.number} yet, so VAT is charged. The order is corrected when it does.`,
        pointer: '/billingAddress/vatId',
      },
    ];
  if (vat?.status !== 'invalid') return [];
  const message = `The VAT number ${vat.number} is invalid, so VAT is charged.`;
  return [{ code: 'vat_number_invalid', message, pointer: '/billingAddress/vatId' }];
}

/** Fixes the shipping of the pricing request: quoted for the new address, or agreed by hand, so that its tax rate is resolved. */
function fixedShipping(quote: ShippingQuote | undefined, manual: ShippingInput | undefined, locale: string): FixedShipping {
  if (!quote) return manual && fixedPrice(manual, locale);
  const { code, price: amount, methodId, taxCategoryId } = quote;
  return fixedPrice(
    { code, name: quote.name, amount, methodId, ...(taxCategoryId === undefined ? {} : { taxCategoryId }) },
    locale,
  );
}

/** Fees of the shipping method (cash on delivery), which replace those of the previous one. */
const feesOfShipping = (surcharges: readonly PricedCharge[]): SurchargeInput[] =>
  surcharges.filter((charge) => charge.of === 'shipping').map(feeInput);

function changesOf(before: OrderRow, after: OrderRow): AddressOutcome['changes'] {
  const names = ['shippingAddress', 'billingAddress', 'total', 'amountDue'] as const;
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => ({ member: name, from: before[name], to: after[name] }));
}

/**
 * Changes the addresses of an unshipped order. Another location reprices tax and shipping with a method that serves it.
 *
 * @throws 409 `order_has_shipments` after a shipment, `invoice_issued` if an e-invoice was submitted, `no_shipping_method` and
 * `shipping_method_unavailable` if the address isn't served
 */
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
  const { shippingMethodId: methodId } = request;
  if (isUnchanged && methodId === null) return { row, difference: 0, refunds: [], changes: [], warnings: [] };
  const addresses: Partial<OrderRow> = {
    shippingAddress: shipping,
    billingAddress: billing,
    country: (shipping ?? billing).country,
  };
  const isOtherPlace = !samePlace(shipping, row.shippingAddress) || !samePlace(billing, row.billingAddress);
  const priced =
    request.recalculate && (isOtherPlace || methodId !== null)
      ? await pricedAt(ctx, data, { shipping, billing, methodId })
      : undefined;
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
