// Generated from the OpenAPI document of the plugin currencies. Do not edit.

import type { CallOptions, Pages, Slice } from '../index.ts';

export interface AdminGetFxRatesRow {
  id: string;
  base: string;
  quote: string;
  rate: string | null;
  source: "manual" | "bnr" | "ecb";
  asOf: string;
  createdAt: string;
}

export interface AdminGetFxRefreshLogRow {
  id: string;
  source: string;
  status: string;
  count: number;
  error: string | null;
  startedAt: string;
  finishedAt: string;
}

export interface AdminPostCurrenciesAnswer {
  id: string;
  code: string;
  symbol: string | null;
  enabled: boolean;
  isBase: boolean;
  roundingStep: number | null;
  exponent: number;
  name: string;
  version: number;
}

export interface AdminPostCurrenciesInput {
  code: string;
  symbol?: string | null;
  enabled?: boolean;
  isBase?: boolean;
  roundingStep?: number | null;
}

export interface AdminPostFxRatesInput {
  base: string;
  quote: string;
  rate?: string | null;
  asOf?: string | null;
}

export interface AdminPostFxRatesRefreshAnswer {
  results: { source: string; status: string; count: number; error: string | null; }[];
}

export interface CurrenciesCurrencyRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  symbol: string | null;
  enabled: boolean;
  roundingStep: number | null;
  isBase: boolean;
  exponent: number;
  name: string;
}

export interface AdminGetCurrenciesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
  enabled?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetFxRatesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("asOf" | "-asOf" | "createdAt" | "-createdAt") | readonly ("asOf" | "-asOf" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  base?: string | { ne?: string; in?: string | readonly string[]; };
  quote?: string | { ne?: string; in?: string | readonly string[]; };
  source?: "manual" | "bnr" | "ecb" | { ne?: "manual" | "bnr" | "ecb"; in?: ("manual" | "bnr" | "ecb") | readonly ("manual" | "bnr" | "ecb")[]; };
  asOf?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetFxRefreshLogQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt") | readonly ("createdAt" | "-createdAt")[];
  source?: "bnr" | "ecb" | { ne?: "bnr" | "ecb"; in?: ("bnr" | "ecb") | readonly ("bnr" | "ecb")[]; };
  status?: "ok" | "unchanged" | "failed" | { ne?: "ok" | "unchanged" | "failed"; in?: ("ok" | "unchanged" | "failed") | readonly ("ok" | "unchanged" | "failed")[]; };
}

export interface CurrenciesAdmin {
  currencies: {
    /** Add a currency, or change the one with this code. `POST /api/admin/currencies`, permission `currencies.currency.create`. */
    create(body: AdminPostCurrenciesInput, options?: CallOptions): Promise<AdminPostCurrenciesAnswer>;
    /** List currencies. `GET /api/admin/currencies`, permission `currencies.currency.read`. */
    list(query?: AdminGetCurrenciesQuery, options?: CallOptions): Pages<CurrenciesCurrencyRow>;
    /** Remove a currency that nothing uses. `DELETE /api/admin/currencies/{code}`, permission `currencies.currency.delete`. */
    remove(code: string, options?: CallOptions): Promise<void>;
  };
  fxRates: {
    /** Set a rate by hand; `rate: null` gives the pair back to the automatic source. `POST /api/admin/fx-rates`, permission `currencies.fx-rate.create`. */
    create(body: AdminPostFxRatesInput, options?: CallOptions): Promise<AdminGetFxRatesRow>;
    /** Exchange rates, newest first. `GET /api/admin/fx-rates`, permission `currencies.fx-rate.read`. */
    list(query?: AdminGetFxRatesQuery, options?: CallOptions): Pages<AdminGetFxRatesRow>;
    /** Fetch today's rates; once a day and source. `POST /api/admin/fx-rates/refresh`, permission `currencies.fx-rate.refresh`. */
    refresh(options?: CallOptions): Promise<AdminPostFxRatesRefreshAnswer>;
  };
  fxRefreshLog: {
    /** Fetches of rates, newest first. `GET /api/admin/fx-refresh-log`, permission `currencies.fx-rate.read`. */
    list(query?: AdminGetFxRefreshLogQuery, options?: CallOptions): Pages<AdminGetFxRefreshLogRow>;
  };
}

export type CurrenciesEvents = object;

const adminRoutes = `
currencies.create POST /currencies bk
currencies.list GET /currencies lq
currencies.remove DELETE /currencies/{}
fxRates.create POST /fx-rates bk
fxRates.list GET /fx-rates lq
fxRates.refresh POST /fx-rates/refresh k
fxRefreshLog.list GET /fx-refresh-log lq
`;

/** Routes and events of currencies. */
export const currencies: Slice<{ admin: CurrenciesAdmin }, CurrenciesEvents> = { plugin: 'currencies', routes: { admin: adminRoutes } };
