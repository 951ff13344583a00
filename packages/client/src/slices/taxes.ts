// Generated from the OpenAPI document of the plugin taxes. Do not edit.

import type { CallOptions, Money, Pages, Slice } from '../index.ts';

export interface AdminGetTaxesOssRatesRow {
  country: string;
  kind: "standard" | "reduced" | "super_reduced" | "parking" | "zero";
  ratePpm: number;
  name: string | null;
  categoryId: string | null;
  validFrom: string;
  validTo: string | null;
  source: "published" | "tenant";
}

export interface AdminGetTaxesOssReportAnswer {
  quarter: string;
  lines: { country: string; supplyType: "goods" | "services" | "other"; ratePpm: number; base: Money; tax: Money; }[];
  corrections: { quarter: string; country: string; supplyType: "goods" | "services" | "other"; ratePpm: number; base: Money; tax: Money; }[];
  totals: { base: Money; tax: Money; corrections: Money; payable: Money; };
  exchangeRates: { quarter: string; currency: string; rate: string; asOf: string; }[];
  warnings: { code: string; message: string; pointer: string | null; }[];
}

export interface AdminGetTaxesOssThresholdAnswer {
  limit: Money;
  currentYearNet: Money;
  previousYearNet: Money;
  remaining: Money;
  exceeded: boolean;
  exceededAt: string | null;
  optedIn: boolean;
}

export interface StorefrontGetVatValidateAnswer {
  vat: string;
  country: string | null;
  formatValid: boolean;
  status: "valid" | "invalid" | "unavailable";
  checkedAt: string;
  consultationNumber: string | null;
  name: string | null;
}

export interface StorefrontPostVatRateAnswer {
  ratePpm: number;
  kind: "standard" | "reduced" | "super_reduced" | "parking" | "zero";
  validFrom: string | null;
  validTo: string | null;
  reverseCharge: boolean;
  reason: string;
}

export interface StorefrontPostVatRateInput {
  country: string;
  postalCode?: string | null;
  category?: string | null;
  vat?: string | null;
  at?: string | null;
}

export interface TaxesCategory {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: string;
  isDefault: boolean;
  kind: "goods" | "electronic_service" | "service";
  uneceCode: "S" | "Z" | "E" | "AE" | "K" | "G" | "O" | null;
}

export interface TaxesCategoryChange {
  code?: string;
  name?: string;
  isDefault?: boolean;
  kind?: "goods" | "electronic_service" | "service";
  uneceCode?: "S" | "Z" | "E" | "AE" | "K" | "G" | "O" | null;
}

export interface TaxesCategoryInput {
  code: string;
  name: string;
  isDefault?: boolean;
  kind?: "goods" | "electronic_service" | "service";
  uneceCode?: "S" | "Z" | "E" | "AE" | "K" | "G" | "O" | null;
}

export interface TaxesCategoryRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: string;
  isDefault: boolean;
  kind: "goods" | "electronic_service" | "service";
  uneceCode: "S" | "Z" | "E" | "AE" | "K" | "G" | "O" | null;
}

export interface TaxesOssThresholdPassedEvent {
  year: number;
  net: Money;
  exceededAt: string;
  orderId: string;
}

export interface TaxesRate {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  country: string;
  categoryId: string;
  ratePpm: number;
  name: string | null;
  region: string | null;
  postalCode: string | null;
  priority: number;
  compound: boolean;
  validFrom: string;
  validTo: string | null;
}

export interface TaxesRateChange {
  country?: string;
  categoryId?: string;
  ratePpm?: number;
  name?: string | null;
  region?: string | null;
  postalCode?: string | null;
  priority?: number;
  compound?: boolean;
  validFrom?: string;
  validTo?: string | null;
}

export interface TaxesRateInput {
  country: string;
  categoryId: string;
  ratePpm: number;
  name?: string | null;
  region?: string | null;
  postalCode?: string | null;
  priority?: number;
  compound?: boolean;
  validFrom: string;
  validTo?: string | null;
}

export interface TaxesRateRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  country: string;
  categoryId: string;
  ratePpm: number;
  name: string | null;
  region: string | null;
  postalCode: string | null;
  priority: number;
  compound: boolean;
  validFrom: string;
  validTo: string | null;
}

export interface TaxesRateScheduledEvent {
  id: string;
  country: string;
  categoryId: string;
  ratePpm: number;
  validFrom: string;
}

export interface AdminGetTaxesCategoriesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "name" | "-name") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "name" | "-name")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
  isDefault?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  kind?: "goods" | "electronic_service" | "service" | { ne?: "goods" | "electronic_service" | "service"; in?: ("goods" | "electronic_service" | "service") | readonly ("goods" | "electronic_service" | "service")[]; };
}

export interface AdminGetTaxesOssRatesQuery {
  country?: string;
  at?: string;
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetTaxesOssReportQuery {
  quarter: string;
}

export interface AdminGetTaxesRatesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "country" | "-country" | "validFrom" | "-validFrom") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "country" | "-country" | "validFrom" | "-validFrom")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  country?: string | { ne?: string; in?: string | readonly string[]; };
  categoryId?: string | { ne?: string; in?: string | readonly string[]; };
  ratePpm?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  region?: string | { ne?: string; in?: string | readonly string[]; };
  validFrom?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  validTo?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface StorefrontGetVatValidateQuery {
  vat: string;
}

export interface TaxesAdmin {
  taxes: {
    categories: {
      /** Create a category. `POST /api/admin/taxes/categories`, permission `taxes.category.create`. */
      create(body: TaxesCategoryInput, options?: CallOptions): Promise<TaxesCategory>;
      /** List categories. `GET /api/admin/taxes/categories`, permission `taxes.category.read`. */
      list(query?: AdminGetTaxesCategoriesQuery, options?: CallOptions): Pages<TaxesCategoryRow>;
      /** Delete a category. `DELETE /api/admin/taxes/categories/{id}`, permission `taxes.category.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Change a category. `PATCH /api/admin/taxes/categories/{id}`, permission `taxes.category.update`. */
      update(id: string, body: TaxesCategoryChange, options?: CallOptions): Promise<TaxesCategory>;
    };
    oss: {
      rates: {
        /** VAT rates of the member states on a day; rates of the shop replace published ones. `GET /api/admin/taxes/oss/rates`, permission `taxes.oss.read`. */
        list(query?: AdminGetTaxesOssRatesQuery, options?: CallOptions): Pages<AdminGetTaxesOssRatesRow>;
      };
      /** The one-stop shop return of a quarter, in EUR. `GET /api/admin/taxes/oss/report`, permission `taxes.oss.read`. */
      report(query: AdminGetTaxesOssReportQuery, options?: CallOptions): Promise<AdminGetTaxesOssReportAnswer>;
      /** The shop's cross-border sales compared with the threshold of the one-stop shop. `GET /api/admin/taxes/oss/threshold`, permission `taxes.oss.read`. */
      threshold(options?: CallOptions): Promise<AdminGetTaxesOssThresholdAnswer>;
    };
    rates: {
      /** Create a rate. `POST /api/admin/taxes/rates`, permission `taxes.rate.create`. */
      create(body: TaxesRateInput, options?: CallOptions): Promise<TaxesRate>;
      /** List rates. `GET /api/admin/taxes/rates`, permission `taxes.rate.read`. */
      list(query?: AdminGetTaxesRatesQuery, options?: CallOptions): Pages<TaxesRateRow>;
      /** Delete a rate. `DELETE /api/admin/taxes/rates/{id}`, permission `taxes.rate.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Change a rate. `PATCH /api/admin/taxes/rates/{id}`, permission `taxes.rate.update`. */
      update(id: string, body: TaxesRateChange, options?: CallOptions): Promise<TaxesRate>;
    };
  };
}

export interface TaxesStorefront {
  vat: {
    /** The tax rate of a sale to a place. `POST /api/storefront/vat/rate`. */
    rate(body: StorefrontPostVatRateInput, options?: CallOptions): Promise<StorefrontPostVatRateAnswer>;
    /** Check a VAT number: format and check digits, then VIES. `GET /api/storefront/vat/validate`. */
    validate(query: StorefrontGetVatValidateQuery, options?: CallOptions): Promise<StorefrontGetVatValidateAnswer>;
  };
}

export interface TaxesEvents {
  'taxes.oss.threshold_passed': TaxesOssThresholdPassedEvent;
  'taxes.rate.scheduled': TaxesRateScheduledEvent;
}

const adminRoutes = `
taxes.categories.create POST /taxes/categories bk
taxes.categories.list GET /taxes/categories lq
taxes.categories.remove DELETE /taxes/categories/{}
taxes.categories.update PATCH /taxes/categories/{} b
taxes.oss.rates.list GET /taxes/oss/rates lq
taxes.oss.report GET /taxes/oss/report q
taxes.oss.threshold GET /taxes/oss/threshold
taxes.rates.create POST /taxes/rates bk
taxes.rates.list GET /taxes/rates lq
taxes.rates.remove DELETE /taxes/rates/{}
taxes.rates.update PATCH /taxes/rates/{} b
`;

const storefrontRoutes = `
vat.rate POST /vat/rate bk
vat.validate GET /vat/validate q
`;

/** Routes and events of taxes. */
export const taxes: Slice<{ admin: TaxesAdmin; storefront: TaxesStorefront }, TaxesEvents> = { plugin: 'taxes', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of taxes for visitors of a shop: without those for staff and operators. */
export const taxesStorefront: Slice<{ storefront: TaxesStorefront }, TaxesEvents> = { plugin: 'taxes', routes: { storefront: storefrontRoutes } };
