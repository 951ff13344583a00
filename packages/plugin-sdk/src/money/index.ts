/**
 * Money and its arithmetic: the one place where amounts are rounded, split, taxed and added up. Pure functions; integers in minor units
 * outside, exact fractions of BigInt inside. Rule numbers (R1…R18) are those of the commerce rules.
 */
export { allocate } from './allocate.ts';
export { cashRound } from './cash.ts';
export { type Currency, currencyOf, exponentOf, isCurrency, listCurrencies } from './currency.ts';
export { mulDecimal, parseDecimal, toDecimalString } from './decimal.ts';
export type { PercentStacking } from './discount.ts';
export type {
  DiscountBase,
  DiscountInput,
  DiscountResult,
  DiscountSource,
  DiscountStep,
  DiscountValue,
  UnitDiscount,
} from './discount-types.ts';
export { MoneyError, type MoneyErrorCode } from './error.ts';
export { convert, invertRate, isRate } from './exchange.ts';
export {
  creditFromRefund,
  type InvoiceEntry,
  type InvoiceFigures,
  type InvoiceLine,
  invoiceFigures,
  invoiceFromOrder,
} from './invoice.ts';
export {
  addMoney,
  assertSameCurrency,
  compareMoney,
  equalMoney,
  formatMoney,
  isMoney,
  type Money,
  money,
  multiplyMoney,
  negateMoney,
  parseMoney,
  subtractMoney,
  sumMoney,
} from './money.ts';
export { prorate, type UnitRun, unitShares, unitsTotal } from './parts.ts';
export { adjustPrice, constantNetPrice, type PriceChange, tierFor } from './prices.ts';
export {
  type PricedOrder,
  previewRefund,
  type RefundPart,
  type RefundPreview,
  type RefundSelection,
  type RefundState,
  spreadRefund,
} from './refund.ts';
export { replay } from './replay.ts';
export { maxAmount, mulRatio, percentBp, ppm, roundHalfAway } from './rounding.ts';
export { createSheet, type Sheet } from './sheet.ts';
export type {
  AppliedDiscount,
  DiscountedLine,
  Label,
  PriceBreakdown,
  PricedLine,
  PricedSheet,
  PricedShipping,
  PricedSurcharge,
  SheetContext,
  SheetLine,
  ShippingInput,
  SplitStep,
  SurchargeInput,
  TaxGroup,
  TaxShare,
  Tender,
  TenderInput,
  Totals,
  Trace,
  TraceStep,
} from './sheet-types.ts';
export type { ShippingTaxMode } from './shipping-tax.ts';
export { calculateTax, summarizeTax, type TaxEntry, type TaxRoundingLevel, type TaxStep, type TaxSummaryRow } from './tax.ts';
export { grossOf, netOf, type PriceMode, type RateSet, rateSet, type TaxAmount, type TaxRate, taxOf } from './tax-rate.ts';
export {
  totalsFields,
  type WirePriceBreakdown,
  type WireTotals,
  wirePriceBreakdown,
  wireTaxSummary,
  wireTotals,
} from './wire.ts';
