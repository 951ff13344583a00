import { f, type Shape } from '@storeloom/plugin-sdk';
import { totalsFields } from '@storeloom/plugin-sdk/money';
import { addressFields } from '../address.ts';

const discount = { promotionId: f.text(), code: f.text().optional(), name: f.text({ max: 500 }), amount: f.money() };

export const lineShape = {
  id: f.id(),
  kind: f.text(),
  variantId: f.id().optional(),
  productId: f.id().optional(),
  data: f.json().optional().describe('What a line of another kind than a product is, as its plugin says.'),
  title: f.text({ max: 500 }),
  sku: f.text().optional(),
  image: f.text({ max: 2000 }).optional(),
  quantity: f.int({ min: 1 }),
  unitPrice: f.money(),
  listPrice: f.money(),
  lineSubtotal: f.money(),
  discounts: f.list(f.object(discount)),
  discountTotal: f.money(),
  taxLines: f.list(f.object({ ratePpm: f.int(), amount: f.money() })),
  tax: f.money(),
  total: f.money(),
  available: f.bool(),
  /** A promotion added the line, and removes it when it no longer applies. */
  gift: f.bool(),
  options: f.json().optional().describe('Value by the name of the option.'),
  custom: f.json().optional().describe('What the shopper adds, as an engraving.'),
  children: f.list(f.object({ variantId: f.id(), quantity: f.int(), title: f.text({ max: 500 }), sku: f.text() })).optional(),
} satisfies Shape;

export const cartShape = {
  id: f.id().optional(),
  cartToken: f.text().optional(),
  status: f.text(),
  currency: f.text(),
  locale: f.text(),
  customerId: f.id().optional(),
  email: f.email().optional(),
  lines: f.list(f.object(lineShape)),
  promotions: f.list(
    f.object({
      code: f.text().optional(),
      name: f.text({ max: 500 }),
      applied: f.bool(),
      amount: f.money(),
      reason: f.text().optional(),
      /** What must be known before the code can apply: it is checked again when the order is placed. */
      pending: f.list(f.oneOf(['payment_method', 'country'])),
      /** What the subtotal lacks. */
      missing: f.money().optional(),
      /** What the quantity lacks. */
      missingQuantity: f.int().optional(),
    }),
  ),
  shippingAddress: f.object(addressFields).optional(),
  shippingMethodId: f.id().optional(),
  /** The payment method and the country that the buyer intends. */
  paymentMethod: f.text({ max: 60 }).optional(),
  country: f.text({ max: 2 }).optional(),
  totals: f.object(totalsFields),
  taxSummary: f.list(f.object({ ratePpm: f.int(), categoryCode: f.text(), base: f.money(), tax: f.money() })),
  /** Payment methods for this cart, in display order. */
  paymentMethods: f.list(
    f.object({
      code: f.text(),
      name: f.text(),
      provider: f.text(),
      /** Paid at a provider. Other methods are paid on delivery, by bank transfer or by invoice. */
      online: f.bool(),
      instructions: f.text({ max: 5000 }).optional(),
      fee: f.object({ fixed: f.money().optional(), percentBp: f.bp().optional() }).optional(),
      /** Public key for the provider's payment form on the shop's page. */
      clientKey: f.text().optional(),
    }),
  ),
  warnings: f.warnings(),
  version: f.int(),
} satisfies Shape;
