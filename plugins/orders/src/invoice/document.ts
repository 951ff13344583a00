import type { Ctx } from '@storeloom/plugin-sdk';
import { convert, type InvoiceFigures, invertRate, money, type PricedSheet } from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';
import { addDays, civilDate } from '@storeloom/plugin-sdk/time';
import type { LineRow, OrderRow } from '../load.ts';
import type { StoredPricing } from '../placing/snapshot.ts';
import { settings } from '../settings.ts';
import { labelText } from '../texts.ts';
import { type Seller, sellerOf } from './seller.ts';

export interface DocumentLine {
  id: string;
  kind: InvoiceFigures['lines'][number]['kind'];
  title: string;
  sku: string | null;
  /** Null for a correction without units. */
  quantity: number | null;
  /** Unit price before discounts, in the price mode; null for a part of a line. */
  unitPrice: number | null;
  discount: number | null;
  ratePpm: number;
  categoryCode: string;
  net: number;
  tax: number;
  gross: number;
}

/** Content of a document for PDF and XML, immutable after the issue. Amounts in minor units. */
export interface OrderDocument {
  kind: 'invoice' | 'credit_note' | 'proforma';
  number: string;
  series: string;
  /** Civil dates in the shop's zone. */
  issueDate: string;
  supplyDate: string;
  dueDate: string | null;
  locale: string;
  currency: string;
  priceMode: 'gross' | 'net';
  order: { id: string; number: string; date: string; poNumber: string | null };
  seller: Seller;
  buyer: Address & { email: string | null };
  delivery: Address | null;
  lines: DocumentLine[];
  taxSummary: InvoiceFigures['taxSummary'];
  net: number;
  tax: number;
  roundingAmount: number;
  total: number;
  /** Paid before the issue. */
  paid: number;
  amountDue: number;
  treatment: StoredPricing['treatment'];
  taxReason: string | null;
  /** The verified VAT number of the buyer, for reverse charge. */
  vat: { number: string; status: string } | null;
  /** The tax in the shop's currency, for a document in another currency. */
  fx: { rate: string; baseCurrency: string; tax: number } | null;
  /** The invoice that a credit note corrects. */
  original: { id: string; number: string; issueDate: string } | null;
  reason: string | null;
}

export interface DocumentInput {
  row: OrderRow;
  /** Including lines removed by an edit, if the document contains them. */
  lines: readonly LineRow[];
  sheet: PricedSheet;
  pricing: StoredPricing;
  kind: OrderDocument['kind'];
  figures: InvoiceFigures;
  /** Units by line, for documents of parts of lines. */
  quantities?: ReadonlyMap<string, number>;
  paid: number;
  original?: OrderDocument['original'];
  reason?: string | null;
}

function documentLine(entry: InvoiceFigures['lines'][number], input: DocumentInput): DocumentLine {
  const { sheet, row, lines, quantities } = input;
  const { id, kind, ratePpm, categoryCode, net, tax, gross } = entry;
  const base = { id, kind, ratePpm, categoryCode, net, tax, gross, sku: null, quantity: null, unitPrice: null, discount: null };
  if (kind === 'line') {
    const line = lines.find((each) => each.id === id);
    const priced = sheet.lines.find((each) => each.id === id);
    const whole = quantities === undefined && priced !== undefined;
    return {
      ...base,
      title: line?.title ?? '',
      sku: line?.sku ?? null,
      quantity: whole ? priced.quantity : (quantities?.get(id) ?? null),
      unitPrice: whole ? priced.unitPrice : null,
      discount: whole ? priced.discountTotal : null,
    };
  }
  const charge = [...sheet.shippingLines, ...sheet.surcharges].find((each) => each.id === id);
  return { ...base, title: charge ? labelText(charge.name, row.locale) : '' };
}

/** Builds the content of a document, without its number. */
export async function buildDocument(ctx: Ctx, input: DocumentInput): Promise<Omit<OrderDocument, 'number' | 'series'>> {
  const { row, pricing, figures, kind } = input;
  const today = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  const date = (instant: string): string => civilDate(instant, ctx.tenant.timezone);
  const paid = kind === 'credit_note' ? 0 : Math.min(figures.total, Math.max(0, input.paid));
  const amountDue = kind === 'credit_note' ? 0 : figures.total - paid;
  const { fx } = pricing.context;
  const { baseCurrency } = pricing;
  return {
    kind,
    issueDate: today,
    supplyDate: date(row.shippedAt ?? row.paidAt ?? row.placedAt),
    dueDate: kind !== 'credit_note' && amountDue > 0 ? addDays(today, ctx.settings(settings).invoiceDueDays) : null,
    locale: row.locale,
    currency: row.currency,
    priceMode: row.priceMode,
    order: { id: row.id, number: row.number, date: date(row.placedAt), poNumber: row.poNumber },
    seller: await sellerOf(ctx),
    buyer: { ...row.billingAddress, email: row.email },
    delivery: row.shippingAddress,
    lines: figures.lines.map((entry) => documentLine(entry, input)),
    taxSummary: figures.taxSummary,
    net: figures.net,
    tax: figures.tax,
    roundingAmount: figures.roundingAmount,
    total: figures.total,
    paid,
    amountDue,
    treatment: pricing.treatment,
    taxReason: pricing.taxReason,
    vat: pricing.context.vat ?? null,
    fx:
      fx && row.currency !== baseCurrency
        ? {
            rate: fx.rate,
            baseCurrency,
            tax: convert(money(figures.tax, row.currency), baseCurrency, invertRate(fx.rate)).amount,
          }
        : null,
    original: input.original ?? null,
    reason: input.reason ?? null,
  };
}
