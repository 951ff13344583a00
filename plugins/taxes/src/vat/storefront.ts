import { type Ctx, f, invalid, isCivilDate, normalizeInstant, referenceNotFound, route } from '@storeloom/plugin-sdk';
import { rateSet } from '@storeloom/plugin-sdk/money';
import { homeCountry } from '../home.ts';
import { decide } from '../pricing/quote.ts';
import { category } from '../rate/category.ts';
import { dateIn, isCountry, vatCountry } from '../rate/countries.ts';
import { rateKind } from '../rate/kind.ts';
import { checkVat } from './check.ts';
import { parseVat } from './number.ts';

const perVisitor = { points: 10, seconds: 60, by: 'actor' } as const;

const validate = route(
  'GET',
  '/vat/validate',
  {
    summary: 'Check a VAT number: format and check digits, then VIES',
    query: { vat: f.text({ max: 40 }) },
    response: {
      vat: f.text(),
      country: f.text({ max: 2 }).optional(),
      formatValid: f.bool(),
      status: f.oneOf(['valid', 'invalid', 'unavailable']),
      checkedAt: f.instant(),
      consultationNumber: f.text().optional(),
      name: f.text({ max: 500 }).optional(),
    },
    rateLimit: perVisitor,
    writes: true,
    transaction: 'none',
  },
  async (ctx, req) => {
    const parsed = parseVat(req.query.vat);
    const { status, checkedAt, consultationNumber, name } = await checkVat(ctx, parsed);
    const { number, country, formatValid } = parsed;
    return { vat: number, country, formatValid, status, checkedAt, consultationNumber, name };
  },
);

/** An instant, or noon UTC of a civil date, which is on that day in every member state. */
function instantOf(at: string | null, now: string): string {
  if (at === null) return now;
  if (isCivilDate(at)) return `${at}T12:00:00.000Z`;
  const instant = normalizeInstant(at);
  if (instant === undefined) throw invalid('/at', 'invalid', 'must be an instant with its offset, or a date');
  return instant;
}

async function categoryOf(ctx: Ctx, code: string | null): Promise<string> {
  if (code === null) return '';
  const row = await ctx.rows(category).first({ code });
  if (!row) throw referenceNotFound('/category');
  return row.id;
}

const vatRate = route(
  'POST',
  '/vat/rate',
  {
    summary: 'The tax rate of a sale to a place',
    body: {
      country: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }),
      postalCode: f.text({ max: 20 }).optional(),
      /** Code of the tax category. Default: the default category. */
      category: f.text({ max: 40 }).optional(),
      vat: f.text({ max: 40 }).optional(),
      at: f.text({ max: 40 }).optional().example('2026-11-27'),
    },
    response: {
      ratePpm: f.ppm(),
      kind: f.oneOf(['standard', 'reduced', 'super_reduced', 'parking', 'zero']),
      validFrom: f.date().optional(),
      validTo: f.date().optional(),
      reverseCharge: f.bool(),
      reason: f.text(),
    },
    rateLimit: perVisitor,
    transaction: 'none',
  },
  async (ctx, req) => {
    const { country, postalCode } = req.body;
    if (!isCountry(country)) throw invalid('/country', 'invalid', 'is not an ISO 3166-1 country code');
    const at = instantOf(req.body.at, ctx.clock.now());
    const parsed = req.body.vat === null ? undefined : parseVat(req.body.vat, country);
    const vat = parsed && { number: parsed.number, status: (await checkVat(ctx, parsed)).status };
    return ctx.transaction(
      async (inner) => {
        const categoryId = await categoryOf(inner, req.body.category);
        const shippingAddress = { country, region: null, postalCode: postalCode ?? '' };
        const { quote, charges } = await decide(
          inner,
          { at, currency: inner.tenant.currency, shippingAddress, ...(vat ? { vat } : {}) },
          { categoryIds: [categoryId], lines: [{ id: '', taxCategoryId: categoryId }] },
        );
        const charge = charges.get(categoryId);
        const [row] = charge?.rows ?? [];
        const { ratePpm } = rateSet(charge?.rates ?? []);
        const place = quote.treatment === 'origin' ? ((await homeCountry(inner)) ?? country) : vatCountry(country, postalCode);
        const period = row ?? charge?.published;
        return {
          ratePpm,
          kind: rateKind(place, dateIn(place, at, inner.tenant.timezone), ratePpm, categoryId === ''),
          validFrom: period?.validFrom ?? null,
          validTo: period?.validTo ?? null,
          reverseCharge: quote.treatment === 'reverse_charge',
          reason: quote.reason ?? quote.treatment,
        };
      },
      { readOnly: true },
    );
  },
);

export const vatRoutes = [validate, vatRate];
