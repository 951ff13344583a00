import { publicOrderShape } from '@storeloom/commerce';
import { type CreateOf, f, type Shape } from '@storeloom/plugin-sdk';
import { vatIdField } from '@storeloom/plugin-sdk/people';
import { addressFields } from '../address.ts';
import { tenderTypes } from '../cart/table.ts';

const consentFields = {
  terms: f.bool(),
  marketing: f.bool().optional(),
  /** Confirms the minimum age that a product of the cart requires. */
  age: f.bool().optional(),
} satisfies Shape;

export const placeBody = {
  cartId: f.id().optional(),
  cartToken: f.text({ max: 200 }).optional(),
  draftToken: f.text({ max: 200 }).optional().example(null),
  email: f.email(),
  billingAddress: f.object(addressFields),
  shippingAddress: f.object(addressFields).optional(),
  shippingMethodId: f.id().optional(),
  quoteToken: f.text({ max: 2000 }).optional(),
  pickupPointId: f.text({ max: 200 }).optional(),
  paymentMethod: f.text({ max: 60 }),
  tenders: f
    .list(
      f.object({
        type: f.oneOf(tenderTypes),
        code: f.text({ max: 100 }).optional(),
        amount: f.money({ min: 1 }).optional(),
      }),
      { max: 20 },
    )
    .optional(),
  consents: f.object(consentFields),
  note: f.text({ max: 2000 }).optional(),
  poNumber: f.text({ max: 100 }).optional(),
  vatId: vatIdField().optional(),
  saveAddress: f.bool().default(false),
  savePaymentMethod: f.bool().default(false),
  returnUrl: f.url().optional(),
  expectedTotal: f.money(),
} satisfies Shape;

type PlaceBody = CreateOf<typeof placeBody>;
/** Input of `placeOrder`, from the place route or a one-click order. */
export type PlaceOrderInput = Omit<PlaceBody, 'cartId' | 'cartToken' | 'draftToken'> & { instrumentId: string | null };

export const paymentShape = {
  id: f.id(),
  status: f.text(),
  clientSecret: f.text({ max: 4000 }).optional(),
  redirectUrl: f.text({ max: 4000 }).optional(),
} satisfies Shape;
export const placedShape = {
  order: f.object(publicOrderShape),
  orderToken: f.text({ max: 200 }).optional(),
  payment: f.object(paymentShape).optional(),
  /** What the buyer should know of the order, such as a VAT number that couldn't be checked. Empty when the request is repeated. */
  warnings: f.warnings(),
} satisfies Shape;
