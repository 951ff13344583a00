import { type LineChild, type Priced, type PricingContext, type PricingLine, surchargesCollect } from '@storeloom/commerce';
import { type Ctx, Problem, referenceNotFound, uuidv7 } from '@storeloom/plugin-sdk';
import type { AppliedDiscount, PricedSheet, ShippingInput, SurchargeInput, TaxRate } from '@storeloom/plugin-sdk/money';
import type { LineRow, OrderData } from '../load.ts';
import { editContext, pipeline } from './context.ts';
import type { EditPlan, PlannedLine } from './plan.ts';
import {
  feeInput,
  inputOf,
  manualCode,
  type PlanLine,
  ratesOf,
  rebuild,
  retainedDiscount,
  shippingOf,
  surchargesOf,
} from './sheet.ts';

/** A line of the edited order: an existing row, or a new line from the pricing pipeline. */
interface EditedLine {
  sheet: PlanLine;
  row: LineRow | null;
  resolved: PricingLine | null;
}
export interface EditedOrder {
  lines: EditedLine[];
  removed: string[];
  sheet: PricedSheet;
}

function emptyLine(
  id: string,
  quantity: number,
  from: Pick<PlannedLine, 'variantId' | 'options' | 'custom'>,
  row: LineRow | null,
): PricingLine {
  return {
    id,
    kind: row?.kind ?? 'product',
    quantity,
    title: '',
    listPrice: 0,
    unitPrice: 0,
    ships: false,
    weightG: 0,
    facts: {},
    ...(from.variantId === null ? {} : { variantId: from.variantId }),
    ...(from.options === null ? {} : { options: from.options as Record<string, string> }),
    ...(from.custom === null ? {} : { custom: from.custom }),
    ...(row?.data ? { data: row.data } : {}),
  };
}

/** Resolves today's prices. @throws 404 with the pointer of the operation for an unknown variant */
async function resolve(
  ctx: Ctx,
  context: PricingContext,
  wanted: readonly { line: PricingLine; pointer: string }[],
): Promise<PricingLine[]> {
  try {
    return await pipeline(ctx).resolve(
      context,
      wanted.map(({ line }) => line),
    );
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    const index = Number(/^\/lines\/(\d+)/.exec(error.extra.errors?.[0]?.pointer ?? '')?.[1] ?? 0);
    throw referenceNotFound(`${wanted[index]?.pointer ?? ''}/variantId`);
  }
}

const planLine = (line: PricingLine, quantity: number): PlanLine => ({
  id: line.id,
  quantity,
  unitPrice: line.unitPrice,
  listPrice: line.listPrice,
  ships: line.ships,
  kept: null,
  ...(line.minPrice === undefined ? {} : { minPrice: line.minPrice }),
  ...(line.taxCategoryId === undefined ? {} : { taxCategoryId: line.taxCategoryId }),
  // A bundle is taxed by the categories of its components.
  ...(line.children === undefined ? {} : { taxShares: line.children.map(taxShare) }),
});
const taxShare = ({ taxCategoryId, listPrice, quantity }: LineChild) => ({
  ...(taxCategoryId === undefined ? {} : { taxCategoryId }),
  weight: listPrice * quantity,
});

/** Kept units keep their price, added units have today's: on the same line if the prices are equal, otherwise on a new one. */
async function priceLines(ctx: Ctx, data: OrderData, plan: EditPlan): Promise<EditedLine[]> {
  const rows = new Map(data.lines.map((line) => [line.id, line]));
  const fresh = plan.lines.filter((line) => line.id === null || (line.quantity > line.kept && line.unitPrice === null));
  const wanted = fresh.map((line) => ({
    line: emptyLine(uuidv7(ctx.clock.ms()), line.quantity, line, line.id === null ? null : (rows.get(line.id) ?? null)),
    pointer: line.pointer,
  }));
  // An edit that only removes units needs no prices.
  const resolved = wanted.length === 0 ? [] : await resolve(ctx, await editContext(ctx, data, 'today'), wanted);
  const today = new Map(fresh.map((line, i) => [line, resolved[i] as PricingLine]));
  return plan.lines.flatMap((line): EditedLine[] => {
    const now = today.get(line);
    if (line.id === null) {
      const added = line.unitPrice === null || !now ? now : { ...now, unitPrice: line.unitPrice, minPrice: 0, locked: true };
      if (!added) throw new Error('a new line was not priced');
      return [{ sheet: planLine(added, line.quantity), row: null, resolved: { ...added, quantity: line.quantity } }];
    }
    const row = rows.get(line.id) as LineRow;
    const input = inputOf(data.sheet, line.id);
    const unitPrice = line.unitPrice ?? input.unitPrice;
    const isAtNewPrice = now !== undefined && now.unitPrice !== unitPrice;
    const quantity = isAtNewPrice ? line.kept : line.quantity;
    const keptLine: EditedLine = { sheet: { ...input, unitPrice, quantity, kept: row.quantity }, row, resolved: null };
    if (!isAtNewPrice) return [keptLine];
    const more = line.quantity - line.kept;
    return [keptLine, { sheet: planLine(now, more), row: null, resolved: { ...now, quantity: more } }];
  });
}

/** A surcharge as a custom line, so that the pipeline resolves the rates of its tax category. */
const surchargeLine = ({ name, amount, taxCategoryId }: EditPlan['surcharges'][number], i: number): PricingLine => ({
  ...emptyLine(`surcharge:new:${i + 1}`, 1, { variantId: null, options: null, custom: null }, null),
  kind: 'custom',
  title: name,
  listPrice: amount,
  unitPrice: amount,
  locked: true,
  ...(taxCategoryId === null ? {} : { taxCategoryId }),
});

/** Rates of tax categories that are new to the order, as of the day of placement. */
async function newRates(
  ctx: Ctx,
  data: OrderData,
  lines: readonly EditedLine[],
  charges: EditPlan['surcharges'],
): Promise<Record<string, TaxRate[]>> {
  const known = ratesOf(data.sheet);
  if (!known) return {};
  const categories = [
    ...lines.map((line) => line.sheet.taxCategoryId ?? ''),
    ...lines.flatMap((line) => (line.sheet.taxShares ?? []).map((share) => share.taxCategoryId ?? '')),
    ...charges.flatMap((each) => each.taxCategoryId ?? []),
  ];
  if (categories.every((category) => Object.hasOwn(known, category))) return {};
  const added = [...lines.flatMap((line) => (line.resolved ? [line.resolved] : [])), ...charges.map(surchargeLine)];
  const context = await editContext(ctx, data, 'placed');
  const priced = await pipeline(ctx).price({
    context,
    lines: added,
    fixedPrices: Object.fromEntries(added.map((line) => [line.id, line.unitPrice])),
    skipPromotions: true,
    shippingFixed: { name: '', code: '', amount: 0, methodId: null },
  });
  const found = ratesOf(priced.sheet) ?? {};
  return Object.fromEntries(Object.entries(found).filter(([category]) => !Object.hasOwn(known, category)));
}

/** Fees of another shipping method (cash on delivery), which replace those of the present one. Undefined for the same method. */
async function feesOfNewMethod(
  ctx: Ctx,
  data: OrderData,
  { methodId, name, amount }: NonNullable<EditPlan['shipping']>,
): Promise<SurchargeInput[] | undefined> {
  if (methodId === null || methodId === shippingOf(data.sheet)[0]?.methodId) return undefined;
  const context = { ...(await editContext(ctx, data, 'placed')), shippingMethodId: methodId };
  const { itemsSubtotal, itemsDiscount } = data.sheet.totals;
  const charges = await ctx.call(surchargesCollect, {
    context,
    lines: [],
    shipping: { methodId, code: 'manual', name: name ?? '', amount, discount: 0, carrier: null, pickupPointId: null },
    running: itemsSubtotal - itemsDiscount + amount,
  });
  return charges.filter((charge) => charge.of === 'shipping');
}

function newShipping(sheet: PricedSheet, change: NonNullable<EditPlan['shipping']>): ShippingInput[] {
  const [present] = shippingOf(sheet);
  const methodId = change.methodId ?? present?.methodId;
  const same = change.methodId === null || change.methodId === present?.methodId;
  return [
    {
      id: present?.id ?? 'shipping:1',
      code: same ? (present?.code ?? 'manual') : 'manual',
      name: change.name ?? present?.name ?? '',
      amount: change.amount,
      ...(methodId === undefined ? {} : { methodId }),
      ...(same && present?.taxCategoryId !== undefined ? { taxCategoryId: present.taxCategoryId } : {}),
    },
  ];
}

const isPromotion = ({ source }: AppliedDiscount): boolean => source.type === 'promotions.promotion';

/** Recalculates promotions on the edited lines; discounts from staff and other plugins remain. */
async function recalculate(
  ctx: Ctx,
  data: OrderData,
  lines: EditedLine[],
  context: PricingContext,
): Promise<{ lines: EditedLine[]; discounts: AppliedDiscount[]; priced: Priced }> {
  const goods = lines.filter((line) => !isGift(line));
  const inputs = goods.map(({ row, resolved, sheet }) =>
    resolved ? { ...resolved, quantity: sheet.quantity } : emptyLine(sheet.id, sheet.quantity, row as LineRow, row),
  );
  const [shipping] = shippingOf(data.sheet);
  const priced = await pipeline(ctx).price({
    context,
    lines: inputs,
    fixedPrices: Object.fromEntries(goods.map(({ sheet }) => [sheet.id, sheet.unitPrice])),
    promoteFixed: true,
    ...(shipping
      ? {
          shippingFixed: {
            name: String(shipping.name),
            code: shipping.code,
            amount: shipping.amount,
            methodId: shipping.methodId ?? null,
          },
        }
      : {}),
  });
  const gifts = priced.lines.filter((line) => isGiftFacts(line.facts));
  const kept = lines.filter((line) => isGift(line) && (line.row?.quantityFulfilled ?? 0) > 0);
  const keptVariants = kept.map((line) => line.row?.variantId);
  const added = gifts
    .filter((gift) => !keptVariants.includes(gift.variantId))
    .map((gift): EditedLine => {
      const old = lines.find(
        (line) => isGift(line) && line.row?.variantId === gift.variantId && line.row?.quantity === gift.quantity,
      );
      return old ?? { sheet: { ...planLine(gift, gift.quantity), locked: true }, row: null, resolved: gift };
    });
  const all = [...goods, ...kept, ...added];
  const sheets = all.map((line) => line.sheet);
  const others = data.sheet.discounts.filter((discount) => !isPromotion(discount) && discount.target !== 'shipping');
  return {
    lines: all,
    priced,
    discounts: [...priced.sheet.discounts.filter(isPromotion), ...others.map((discount) => retainedDiscount(discount, sheets))],
  };
}
const isGiftFacts = (facts: Record<string, unknown> | null): boolean => facts !== null && 'gift' in facts;
const isGift = (line: EditedLine): boolean => isGiftFacts(line.row?.facts ?? line.resolved?.facts ?? null);

/** Prices a plan without writing it. */
export async function priceEdit(
  ctx: Ctx,
  data: OrderData,
  plan: EditPlan,
  promotions: 'keep' | 'recalculate',
): Promise<EditedOrder> {
  let lines = await priceLines(ctx, data, plan);
  let discounts: AppliedDiscount[] | undefined;
  if (promotions === 'recalculate')
    ({ lines, discounts } = await recalculate(ctx, data, lines, await editContext(ctx, data, 'today')));
  const fees = plan.shipping && (await feesOfNewMethod(ctx, data, plan.shipping));
  const ofFees = (fees ?? []).map(({ name, amount, taxCategoryId = null }) => ({ name: String(name), amount, taxCategoryId }));
  const rates = await newRates(ctx, data, lines, [...plan.surcharges, ...ofFees]);
  const sheet = rebuild(data.sheet, {
    lines: lines.map((line) => line.sheet),
    rates,
    surcharges: plan.surcharges.map((each, i) => ({
      id: `surcharge:${data.sheet.surcharges.length + i + 1}`,
      code: manualCode,
      name: each.name,
      amount: each.amount,
      of: 'shipping' as const,
      ...(each.taxCategoryId === null ? {} : { taxCategoryId: each.taxCategoryId }),
    })),
    ...(plan.shipping ? { shipping: newShipping(data.sheet, plan.shipping) } : {}),
    ...(fees ? { fees: { replaces: 'shipping', list: fees } } : {}),
    ...(discounts ? { discounts } : {}),
  });
  const remaining = new Set(lines.map((line) => line.row?.id));
  const dropped = data.lines.filter((line) => !remaining.has(line.id)).map((line) => line.id);
  return { lines, removed: [...new Set([...plan.removed, ...dropped])], sheet };
}

/** What a buyer gets by a promotion: compared to find promotions that depend on the payment method. */
function promotedBy({ priced }: { priced: Priced }): string {
  return JSON.stringify([
    priced.sheet.discounts.filter(isPromotion).map(({ source, code, amount, shares }) => [source.id, code, amount, shares]),
    priced.lines.filter((line) => isGiftFacts(line.facts)).map(({ variantId, quantity }) => [variantId, quantity]),
  ]);
}

/**
 * Prices the order with another payment method, as of the day of placement: fees of the method, and promotions where they depend on it.
 * Lines keep their prices. Fees that both methods have keep their amount.
 */
export async function priceWithMethod(ctx: Ctx, data: OrderData, paymentMethod: string): Promise<EditedOrder> {
  const present = data.lines.map(
    (row): EditedLine => ({ sheet: { ...inputOf(data.sheet, row.id), kept: row.quantity }, row, resolved: null }),
  );
  const next = await recalculate(ctx, data, present, await editContext(ctx, data, 'placed', { paymentMethod }));
  const before = await recalculate(ctx, data, present, await editContext(ctx, data, 'placed'));
  // Prices of a draft order are final unless its promotions apply.
  const isFixed = data.row.channel === 'draft' && !data.sheet.discounts.some(isPromotion);
  const isPromotedAlike = isFixed || promotedBy(next) === promotedBy(before);
  const lines = isPromotedAlike ? present : next.lines;
  const earlierFees = surchargesOf(data.sheet);
  const fees = next.priced.surcharges.map((fee) => earlierFees.find(({ code }) => code === fee.code) ?? feeInput(fee));
  const known = ratesOf(data.sheet);
  const sheet = rebuild(data.sheet, {
    lines: lines.map((line) => line.sheet),
    ...(known ? { rates: { ...ratesOf(next.priced.sheet), ...known } } : {}),
    fees: { replaces: 'all', list: fees },
    ...(isPromotedAlike ? {} : { discounts: next.discounts }),
  });
  const remaining = new Set(lines.map((line) => line.row?.id));
  return { lines, removed: data.lines.filter((line) => !remaining.has(line.id)).map(({ id }) => id), sheet };
}
