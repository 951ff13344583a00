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
 * May the line stand on the cart as it is now priced? Gone: 404 at `pointer.thing`; against the rule of its variant: 422; more than there
 * is: 409 `insufficient_stock {available}`.
 */
export async function checkLine(
  ctx: Ctx,
  lineId: string,
  { priced, gone, short }: CartPrice,
  pointer: { thing: string; quantity: string },
): Promise<void> {
  const line = gone.has(lineId) ? undefined : priced.lines.find((each) => each.id === lineId);
  if (!line) throw referenceNotFound(pointer.thing);
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

/** A currency that the shop sells in: the tenant's, or one that currencies has enabled. Else 422. */
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

/** A code that doesn't count isn't kept: its reason is the answer, with whatever it says (`missing`). */
export function checkCodeApplies(code: string, { priced }: CartPrice): void {
  const entry = priced.promotions.find((each) => each.code !== null && sameCode(each.code, code));
  if (!entry || entry.applied) return;
  const reason = entry.reason ?? 'coupon_not_eligible';
  throw domainError('/code', reason, `the code ${code} does not apply`, entry.extra ?? {});
}
