import { type Ctx, domainError, files, invalid, type MoneyValue, problem } from '@storeloom/plugin-sdk';
import { optionFault, type ProductOption } from '../product/options.ts';
import { isGtin } from './gtin.ts';
import type { VariantInput, VariantRow } from './variant.ts';

type Values = Partial<VariantInput>;

/** Validates the fields of a variant. `known` is the current row, undefined for a new variant. */
export async function checkVariant(ctx: Ctx, pointer: string, values: Values, known: VariantRow | undefined): Promise<void> {
  const now = { ...known, ...values };
  const currency = known?.price.currency ?? ctx.tenant.currency;
  const monies = { price: values.price, compareAtPrice: values.compareAtPrice, cost: values.cost, minPrice: values.minPrice };
  for (const [name, money] of Object.entries(monies)) checkCurrency(`${pointer}/${name}`, money, currency, known !== undefined);
  if (values.barcode && !isGtin(values.barcode))
    throw invalid(`${pointer}/barcode`, 'gtin_invalid', 'is not a GTIN-8, -12, -13 or -14 with a valid check digit');
  if (now.minPerOrder && now.maxPerOrder && now.minPerOrder > now.maxPerOrder)
    throw invalid(`${pointer}/maxPerOrder`, 'too_small', 'is less than minPerOrder');
  if (now.step && now.maxPerOrder && now.step > now.maxPerOrder)
    throw invalid(`${pointer}/step`, 'too_big', 'is more than maxPerOrder');
  checkPrices(`${pointer}/prices`, values.prices ?? [], currency);
  const store = ctx.use(files);
  for (const [i, { uploadKey }] of (values.digitalFiles ?? []).entries()) {
    const old = known?.digitalFiles.some((file) => file.uploadKey === uploadKey);
    if (!old && !(await store?.exists(uploadKey)))
      throw invalid(`${pointer}/digitalFiles/${i}/uploadKey`, 'unknown_file', 'is not the key of an uploaded file');
  }
}

/** @throws 422 `unknown_image` if the image of the variant isn't one of its product, such as a file of another shop */
export function checkImage(pointer: string, { image }: Values, images: readonly { url: string }[]): void {
  if (image && !images.some(({ url }) => url === image))
    throw invalid(`${pointer}/image`, 'unknown_image', 'must be the URL of one of the images of the product');
}

function checkCurrency(pointer: string, money: MoneyValue | null | undefined, currency: string, fixed: boolean): void {
  if (!money || money.currency === currency) return;
  throw domainError(
    pointer,
    'currency_mismatch',
    fixed
      ? `must be in ${currency}: the currency of a variant can't change`
      : `must be in the shop's currency, ${currency}; add other currencies to prices`,
  );
}

function checkPrices(pointer: string, prices: VariantInput['prices'], currency: string): void {
  const seen = new Set<string>();
  for (const [i, { price, priceListCode, startsAt, endsAt }] of prices.entries()) {
    if (startsAt !== null && endsAt !== null && startsAt >= endsAt)
      throw invalid(`${pointer}/${i}/endsAt`, 'too_small', 'must be later than startsAt');
    if (priceListCode === null && price.currency === currency && startsAt === null && endsAt === null)
      throw invalid(
        `${pointer}/${i}`,
        'invalid',
        'needs dates or a price list: the general price in the shop’s currency is the price of the variant',
      );
    const key = JSON.stringify([price.currency, priceListCode, startsAt, endsAt]);
    if (seen.has(key)) throw invalid(`${pointer}/${i}`, 'duplicate', 'is a duplicate of another price');
    seen.add(key);
  }
}

export type FinalVariant = Pick<VariantRow, 'id' | 'active' | 'optionValues' | 'digitalFiles'>;

/** Validates the final state of a product with its variants. `pointers` maps variant ids to JSON pointers in the request. */
export function checkTogether(
  product: { status: string; type: string; options: readonly ProductOption[] },
  variants: readonly FinalVariant[],
  pointers: ReadonlyMap<string, string>,
  hadActive: boolean,
): void {
  for (const variant of variants) {
    const fault = optionFault(product.options, variant.optionValues);
    if (fault) throw domainError(`${pointers.get(variant.id) ?? '/options'}`, 'option_mismatch', fault);
  }
  if (product.options.length === 0 && variants.length > 1)
    throw domainError('/variants', 'option_mismatch', 'a product without options has exactly one variant');
  const active = variants.filter((variant) => variant.active);
  if (product.options.length === 0 && variants.length === 0) throw lastVariant();
  if (product.status !== 'active') return;
  if (active.length === 0) {
    if (hadActive) throw lastVariant();
    throw problem('last_variant', { detail: 'An active product needs an active variant.' });
  }
  const empty = product.type === 'digital' ? active.filter((variant) => variant.digitalFiles.length === 0) : [];
  if (empty.length > 0)
    throw problem('digital_file_missing', {
      detail: 'Each active variant of an active digital product needs a file.',
      variants: empty.map(({ id }) => id),
    });
}

function lastVariant() {
  return problem('last_variant', { detail: "The last active variant can't be removed. Archive the product instead." });
}
