import { type CatalogFacts, catalog, fx } from '@storeloom/commerce';
import { type Ctx, domainError, invalid, problem, referenceNotFound } from '@storeloom/plugin-sdk';
import { sameCode } from '../pricing/priced.ts';
import { unitsOf } from './lines.ts';
import type { CartPrice } from './price.ts';
import { shortOf } from './stock.ts';

function catalogFacts(facts: Record<string, unknown>): CatalogFacts | undefined {
  const known = facts.catalog as Partial<CatalogFacts> | undefined;
  return known && 'minPerOrder' in known && 'maxPerOrder' in known && 'step' in known ? (known as CatalogFacts) : undefined;
}

/**
 * Checks a line of a priced cart.
 * @throws Problem 404 at `pointer.item` when the item is no longer sold, 422 at `pointer.quantity` when the quantity breaks the variant's
 * rule, 409 `insufficient_stock {available}`
 */
export async function checkLine(
  ctx: Ctx,
  lineId: string,
  { priced, unavailable, short }: CartPrice,
  pointer: { item: string; quantity: string },
): Promise<void> {
  const line = unavailable.has(lineId) ? undefined : priced.lines.find((each) => each.id === lineId);
  if (!line) throw referenceNotFound(pointer.item);
  if (line.variantId !== undefined && line.kind === 'product') {
    const { variantId } = line;
    const service = ctx.require(catalog);
    const rule = catalogFacts(line.facts) ?? (await service.variants([variantId]))[0];
    const own = priced.lines.filter((each) => each.facts.gift === undefined);
    const fault = rule && service.checkQuantity(rule, unitsOf(own, variantId));
    if (fault) throw invalid(pointer.quantity, fault.code, fault.message);
  }
  const available = shortOf(line, short);
  if (available !== undefined)
    throw problem('insufficient_stock', {
      detail: `Only ${available} units of ${line.title} are available.`,
      available,
      lines: [{ variantId: line.variantId ?? null, available }],
      errors: [{ pointer: pointer.quantity, code: 'insufficient_stock', message: `at most ${available} available` }],
    });
}

/**
 * Accepts the tenant's currency and those that the currencies plugin has enabled.
 * @throws Problem 422
 */
export async function checkCurrency(ctx: Ctx, currency: string, pointer = '/currency'): Promise<string> {
  if (currency === ctx.tenant.currency) return currency;
  const enabled = (await ctx.use(fx)?.enabled()) ?? [];
  if (!enabled.some(({ code }) => code === currency))
    throw invalid(pointer, 'not_enabled', `${currency} is not a currency of this shop`);
  return currency;
}

export function checkLocale(ctx: Ctx, locale: string): string {
  if (!ctx.tenant.locales.includes(locale)) throw invalid('/locale', 'unknown_locale', `${locale} is not a locale of this shop`);
  return locale;
}

/**
 * Rejects a code that doesn't apply, with its reason as problem code and its extra fields (such as `missing`). A code whose payment
 * method or country isn't known yet stays on the cart; placing the order decides.
 */
export function checkCodeApplies(code: string, { priced }: CartPrice): void {
  const entry = priced.promotions.find((each) => each.code !== null && sameCode(each.code, code));
  if (!entry || entry.applied || entry.extra?.pending !== undefined) return;
  const reason = entry.reason ?? 'coupon_not_eligible';
  throw domainError('/code', reason, `the code ${code} does not apply`, entry.extra ?? {});
}
