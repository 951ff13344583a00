import { type Ctx, f, invalid, problem, type RowOf, type Shape } from '@storeloom/plugin-sdk';
import { maxLines } from '../cart/lines.ts';
import { checkCurrency } from '../cart/rules.ts';

const discountFields = { percentBp: f.bp({ min: 1 }).optional(), amount: f.money({ min: 1 }).optional() } satisfies Shape;
const draftLineFields = {
  variantId: f.ref('catalog.variant').optional(),
  /** Title of a custom item that isn't in the catalogue. */
  title: f.text({ max: 500 }).optional(),
  quantity: f.int({ min: 1, max: 1_000_000 }),
  unitPrice: f.money({ min: 0 }).optional(),
  discount: f.object(discountFields).optional(),
  note: f.text({ max: 500 }).optional().personal(),
} satisfies Shape;

export const draftStates = ['open', 'link_sent', 'completed', 'expired', 'deleted'] as const;

export const draftFields = {
  customerId: f.ref('customers.customer').optional().filter(),
  email: f.email().optional().filter().search().personal(),
  lines: f.list(f.object(draftLineFields), { max: maxLines }),
  shipping: f
    .object({
      methodId: f.ref('shipping.method').optional(),
      name: f.text({ max: 200 }).optional(),
      price: f.money({ min: 0 }).optional(),
    })
    .optional(),
  discount: f.object(discountFields).optional(),
  /** Whether promotions apply, including to prices set by staff. */
  applyPromotions: f.bool().default(false),
  currency: f.text({ min: 3, max: 3, pattern: /^[A-Z]{3}$/ }).filter(),
  note: f.text({ max: 2000 }).optional().personal(),
  /** Default: 7 days from now. */
  expiresAt: f.instant().optional().sort(),
  source: f.oneOf(['manual', 'rfq', 'recovery']).default('manual').filter(),
  metadata: f.json().optional().personal().describe('What the shop keeps with it.'),
  status: f.oneOf(draftStates).readonly().filter(),
  totals: f.json().readonly().describe('As those of a cart.'),
  orderId: f.id().optional().readonly(),
  /** The active link. */
  link: f.object({ url: f.url(), expiresAt: f.instant() }).optional().readonly().virtual(),
} satisfies Shape;

export type DraftLine = RowOf<typeof draftLineFields>;
export type DraftValues = Pick<RowOf<typeof draftFields>, 'lines' | 'shipping' | 'discount' | 'currency' | 'applyPromotions'> & {
  customerId: string | null;
  email: string | null;
};

export const discountPermission = 'checkout.draft-order.discount';

function checkDiscount(discount: RowOf<typeof discountFields> | null, pointer: string): void {
  if (discount && (discount.percentBp === null) === (discount.amount === null))
    throw invalid(pointer, 'invalid', 'must contain exactly one of percentBp and amount');
}

/** Checks rules across fields: a line has a variant or a title, a discount one value, and amounts are in the draft's currency. */
export async function checkDraft(ctx: Ctx, draft: DraftValues): Promise<void> {
  await checkCurrency(ctx, draft.currency);
  const amounts: [string, { currency: string } | null | undefined][] = [
    ['/shipping/price', draft.shipping?.price],
    ['/discount/amount', draft.discount?.amount],
  ];
  draft.lines.forEach((line, i) => {
    const at = `/lines/${i}`;
    if ((line.variantId === null) === (line.title === null))
      throw invalid(at, 'invalid', 'must contain exactly one of variantId and title');
    if (line.variantId === null && line.unitPrice === null)
      throw invalid(`${at}/unitPrice`, 'required', 'is required without a variant');
    checkDiscount(line.discount, `${at}/discount`);
    amounts.push([`${at}/unitPrice`, line.unitPrice], [`${at}/discount/amount`, line.discount?.amount]);
  });
  checkDiscount(draft.discount, '/discount');
  const { shipping } = draft;
  if (shipping && shipping.methodId === null && (shipping.name === null || shipping.price === null))
    throw invalid('/shipping', 'invalid', 'must contain a methodId, or a name and a price');
  for (const [pointer, amount] of amounts)
    if (amount && amount.currency !== draft.currency)
      throw problem('currency_mismatch', {
        detail: `Amounts must be in the draft's currency, ${draft.currency}.`,
        errors: [{ pointer: `${pointer}/currency`, code: 'currency_mismatch', message: `must be ${draft.currency}` }],
      });
}

/**
 * Custom prices and discounts reduce revenue, so they require a separate permission.
 * @throws Problem 403
 */
export function checkDiscountPermission(ctx: Ctx, draft: Pick<DraftValues, 'lines' | 'shipping' | 'discount'>): void {
  const custom =
    draft.discount !== null ||
    draft.shipping?.price != null ||
    draft.lines.some((line) => line.unitPrice !== null || line.discount !== null);
  if (custom && !ctx.can(discountPermission))
    throw problem('forbidden', {
      permission: discountPermission,
      detail: `Custom prices and discounts require the permission ${discountPermission}.`,
    });
}
