import {
  type DiscountedLine,
  type DiscountInput,
  type DiscountSink,
  linesResolve,
  type PricingContext,
  type PricingLine,
  type ShippingState,
} from '@storeloom/commerce';
import { Problem, type Warning } from '@storeloom/plugin-sdk';
import {
  createSheet,
  type DiscountInput as MoneyDiscount,
  type Sheet,
  type SheetContext,
  type SheetLine,
  type ShippingInput,
} from '@storeloom/plugin-sdk/money';
import type { PricingHost } from './host.ts';

export interface Rejection {
  code: string;
  reason: string;
  extra: Record<string, unknown>;
}

type Step = { discount: MoneyDiscount } | { shipping: ShippingState };

/** Context of the money sheet; `''` is the default tax category. */
function sheetContext(context: PricingContext): SheetContext {
  const { rules } = context;
  return {
    currency: context.currency,
    priceMode: context.priceMode,
    taxRoundingLevel: rules.taxRoundingLevel,
    shippingTaxMode: rules.shippingTaxMode,
    ...(rules.shippingTaxCategoryId === undefined ? {} : { shippingTaxCategoryId: rules.shippingTaxCategoryId }),
    defaultTaxCategoryId: '',
    percentStacking: rules.percentStacking,
  };
}

/** A bundle is taxed by its components: each by its own category, weighted by list price × quantity (R4). */
function sheetLine(line: PricingLine): SheetLine {
  const children = line.children ?? [];
  if (children.length === 0) return line;
  return {
    ...line,
    taxShares: children.map(({ taxCategoryId, listPrice, quantity }) => ({
      ...(taxCategoryId === undefined ? {} : { taxCategoryId }),
      weight: listPrice * quantity,
    })),
  };
}

function moneyDiscount({ maxAmount, ...discount }: DiscountInput): MoneyDiscount {
  // The sheet rejects a discount without exactly one of amount and percentBp.
  return { ...discount, ...(maxAmount === undefined ? {} : { maxDiscount: maxAmount }) } as MoneyDiscount;
}

/** The sink for taps of `discounts.collect`: the money sheet with the resolved lines, rejected codes and gifts. */
export class DiscountRun implements DiscountSink {
  readonly host: PricingHost;
  readonly context: PricingContext;
  readonly resolved: PricingLine[];
  readonly rejections: Rejection[] = [];
  readonly warnings: Warning[] = [];
  sheet: Sheet;
  private state: ShippingState | null = null;
  /** Operations on the sheet. A sheet's lines are fixed, so adding a gift creates a new sheet and repeats them. */
  private readonly steps: Step[] = [];

  constructor(host: PricingHost, context: PricingContext, lines: readonly PricingLine[], sheet?: Sheet) {
    this.host = host;
    this.context = context;
    this.resolved = [...lines];
    this.sheet = sheet ?? createSheet(sheetContext(context), this.resolved.map(sheetLine));
  }

  add(discount: DiscountInput): number {
    const input = moneyDiscount(discount);
    const { amount } = this.sheet.addDiscount(input);
    this.steps.push({ discount: input });
    return amount;
  }

  preview(discount: DiscountInput): number {
    return this.sheet.preview(moneyDiscount(discount)).amount;
  }

  fork(): DiscountRun {
    const copy = new DiscountRun(this.host, this.context, this.resolved, this.sheet.fork());
    copy.state = this.state;
    copy.steps.push(...this.steps);
    return copy;
  }

  async addGift(gift: { promotionId: string; variantId: string; quantity: number; name: string }): Promise<void> {
    const line = await this.resolveGift(gift);
    if (!line) {
      this.warnings.push({ code: 'gift_unavailable', message: `${gift.name}: the gift is not available at the moment` });
      return;
    }
    this.resolved.push(line);
    this.sheet = createSheet(sheetContext(this.context), this.resolved.map(sheetLine));
    for (const step of this.steps) {
      if ('discount' in step) this.sheet.addDiscount(step.discount);
      else this.sheet.setShipping(shippingInputs(step.shipping));
    }
  }

  private async resolveGift(gift: {
    promotionId: string;
    variantId: string;
    quantity: number;
  }): Promise<PricingLine | undefined> {
    const { promotionId, variantId, quantity } = gift;
    const taken = this.resolved.reduce((sum, line) => sum + (line.variantId === variantId ? line.quantity : 0), 0);
    if (!(await this.host.giftAvailable(variantId, quantity + taken))) return undefined;
    const blank = blankLine({ id: this.host.giftId(promotionId, variantId), kind: 'product', variantId, quantity });
    try {
      const { lines } = await this.host.call(linesResolve, { context: this.context, lines: [blank] });
      const [line] = lines;
      if (!line || line.title === '') return undefined;
      return { ...line, unitPrice: 0, minPrice: 0, locked: true, facts: { ...line.facts, gift: { promotionId } } };
    } catch (error) {
      // A gift that is no longer sold must not make the whole cart fail.
      if (error instanceof Problem && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  reject(code: string, reason: string, extra: Record<string, unknown> = {}): void {
    this.rejections.push({ code, reason, extra });
  }

  lines(): readonly DiscountedLine[] {
    const running = this.sheet.lines();
    return this.resolved.map((line, i) => {
      const { lineSubtotal, running: left, room } = running[i]!;
      return { ...line, lineSubtotal, running: left, room };
    });
  }

  itemsTotal(lineIds?: readonly string[]): number {
    return this.sheet.itemsTotal(lineIds);
  }

  units(
    order: 'least_expensive' | 'most_expensive',
    lineIds?: readonly string[],
  ): { lineId: string; amount: number; count: number }[] {
    return this.sheet.units(order, lineIds);
  }

  shipping(): ShippingState | null {
    return this.state && { ...this.state, discount: this.state.amount - this.sheet.shippingTotal() };
  }

  setShipping(state: ShippingState): void {
    if (this.state) throw new Error('shipping is chosen already');
    this.sheet.setShipping(shippingInputs(state));
    this.state = state;
    this.steps.push({ shipping: state });
  }
}

function shippingInputs({ code, name, methodId, amount, taxCategoryId }: ShippingState): ShippingInput[] {
  return [
    {
      code,
      name,
      amount,
      ...(methodId === null ? {} : { methodId }),
      ...(taxCategoryId === undefined ? {} : { taxCategoryId }),
    },
  ];
}

/** A line before `lines.resolve`. An empty title marks a line that no tap has filled. */
export function blankLine(line: Pick<PricingLine, 'id' | 'kind' | 'quantity'> & Partial<PricingLine>): PricingLine {
  return { title: '', listPrice: 0, unitPrice: 0, ships: false, weightG: 0, facts: {}, ...line };
}
