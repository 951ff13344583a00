import { catalog, customers, payments } from '@storeloom/commerce';
import { type Ctx, f, problem, type Route, referenceNotFound, route, uuidv7 } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import { newCart } from '../cart/cart.ts';
import { checkCurrency } from '../cart/rules.ts';
import { cart } from '../cart/table.ts';
import { openSheet } from '../pricing/pipeline.ts';
import { makePricing, pricingHost } from '../pricing/service.ts';
import { collectQuotes, shippingIsOn } from '../pricing/shipping.ts';
import { placedShape } from './body.ts';
import { placeOrder } from './place.ts';
import { cartSource, type PlaceSource } from './source.ts';

interface Saved {
  email: string;
  address: Address;
  instrument: { id: string; methodCode: string };
}

/** The customer's saved address and payment instrument: the named ones, else the first. */
async function savedData(
  ctx: Ctx,
  customerId: string,
  wanted: { addressId: string | null; paymentInstrumentId: string | null },
): Promise<Saved> {
  const directory = ctx.require(customers);
  const [person, addresses, instruments] = [
    await directory.get(customerId),
    await directory.addresses(customerId),
    await ctx.require(payments).instruments(customerId),
  ];
  const address = wanted.addressId === null ? addresses[0] : addresses.find((each) => each.id === wanted.addressId);
  if (wanted.addressId !== null && !address) throw referenceNotFound('/addressId');
  const instrument =
    wanted.paymentInstrumentId === null ? instruments[0] : instruments.find((each) => each.id === wanted.paymentInstrumentId);
  if (wanted.paymentInstrumentId !== null && !instrument) throw referenceNotFound('/paymentInstrumentId');
  if (!person || !address || !instrument) {
    const missing = [...(address ? [] : ['address']), ...(instrument ? [] : ['paymentInstrument'])];
    throw problem('one_click_not_ready', { detail: 'One-click purchase requires a saved address and payment method.', missing });
  }
  return { email: person.email, address: plainAddress(address), instrument };
}

function plainAddress(saved: Record<string, unknown>): Address {
  const text = (name: keyof Address): string | null => (typeof saved[name] === 'string' ? (saved[name] as string) : null);
  return {
    firstName: text('firstName') ?? '',
    lastName: text('lastName') ?? '',
    company: text('company'),
    vatId: text('vatId'),
    line1: text('line1') ?? '',
    line2: text('line2'),
    city: text('city') ?? '',
    region: text('region'),
    postalCode: text('postalCode') ?? '',
    country: text('country') ?? '',
    phone: text('phone'),
    email: text('email'),
  };
}

/** The least expensive shipping method; the buyer has confirmed its price with the total. */
async function leastExpensiveMethod(ctx: Ctx, source: PlaceSource, shippingAddress: Address): Promise<string | null> {
  const context = await makePricing(ctx).context({ ...source.context, purpose: 'place', shippingAddress });
  const host = pricingHost(ctx, 'place');
  const run = await openSheet(host, { context, lines: source.lines });
  if (!shippingIsOn(host) || !run.resolved.some((line) => line.ships)) return null;
  const { quotes } = await collectQuotes(host, context, run);
  const plain = quotes.filter((quote) => !quote.pickupPoints?.length);
  return plain.sort((a, b) => a.price - b.price || (a.code < b.code ? -1 : 1))[0]?.methodId ?? null;
}

export const oneClick: Route = route(
  'POST',
  '/checkout/one-click',
  {
    auth: 'customer',
    summary: 'Buy one product with the saved address and payment instrument',
    body: {
      variantId: f.id(),
      quantity: f.int({ min: 1, max: 1_000_000 }).default(1),
      addressId: f.id().optional(),
      paymentInstrumentId: f.id().optional(),
      shippingMethodId: f.id().optional(),
      expectedTotal: f.money(),
    },
    response: placedShape,
    status: 201,
    otherResponses: { 200: placedShape },
    problems: ['one_click_not_ready', 'total_changed', 'insufficient_stock'],
  },
  async (ctx, req) => {
    const { variantId, quantity, addressId, paymentInstrumentId, shippingMethodId, expectedTotal } = req.body;
    const customerId = ctx.actor.type === 'customer' ? ctx.actor.customerId : '';
    const saved = await savedData(ctx, customerId, { addressId, paymentInstrumentId });
    const [variant] = await ctx.require(catalog).variants([variantId]);
    if (!variant) throw referenceNotFound('/variantId');
    const line = {
      id: uuidv7(ctx.clock.ms()),
      kind: 'product',
      variantId,
      quantity,
      data: null,
      options: null,
      custom: null,
      title: '',
    };
    // A separate cart, so that the customer's open cart stays as it is.
    const currency = await checkCurrency(ctx, expectedTotal.currency, '/expectedTotal/currency');
    const row = newCart(ctx, {
      kind: 'one_click',
      tokenHash: null,
      tokenSealed: null,
      lines: [line],
      currency,
      email: saved.email,
    });
    const { version: _, createdAt: __, updatedAt: ___, ...values } = { ...row, value: { amount: 0, currency } };
    const source = cartSource(ctx, await ctx.rows(cart).insert(values));
    return placeOrder(ctx, source, {
      email: saved.email,
      billingAddress: saved.address,
      shippingAddress: saved.address,
      shippingMethodId: shippingMethodId ?? (await leastExpensiveMethod(ctx, source, saved.address)),
      quoteToken: null,
      pickupPointId: null,
      paymentMethod: saved.instrument.methodCode,
      tenders: null,
      // The customer agreed to the terms when the address and instrument were saved.
      consents: { terms: true, marketing: null, age: null },
      note: null,
      poNumber: null,
      vatId: null,
      saveAddress: false,
      savePaymentMethod: false,
      returnUrl: null,
      expectedTotal,
      instrumentId: saved.instrument.id,
    });
  },
);
