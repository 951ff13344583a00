// Generated from the OpenAPI document of the plugin tool-library. Do not edit.

import { problemClass, type CallOptions, type LocalText, type Pages, type Slice } from '@storeloom/client';

export interface AdminGetDashboardToolLibraryStatsAnswer {
  period: { from: string; to: string; timezone: string; };
  generatedAt: string;
  currency: string;
  metrics: Record<string, unknown>;
  series: Record<string, unknown>;
  lists: Record<string, unknown>;
  masked: string[];
}

export interface StorefrontGetToolLibraryToolsRow {
  id: string;
  name: string;
  available: boolean;
}

export interface StorefrontPostToolLibraryToolsByIdReserveAnswer {
  id: string;
  toolId: string;
  dueOn: string;
  status: string;
}

export interface ToolLibraryLoan {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  toolId: string;
  customerId: string;
  dueOn: string;
  status: "reserved" | "out" | "returned" | "cancelled";
}

export interface ToolLibraryLoanCreatedEvent {
  id: string;
  toolId: string;
  dueOn: string;
}

export interface ToolLibraryLoanRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  toolId: string;
  customerId: string;
  dueOn: string;
  status: "reserved" | "out" | "returned" | "cancelled";
}

export interface ToolLibraryTool {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: LocalText;
  lendable: boolean;
}

export interface ToolLibraryToolChange {
  name?: string | Record<string, string>;
  lendable?: boolean;
}

export interface ToolLibraryToolInput {
  name: string | Record<string, string>;
  lendable?: boolean;
}

export interface ToolLibraryToolRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: LocalText;
  lendable: boolean;
}

export interface AdminGetDashboardToolLibraryStatsQuery {
  from?: string;
  to?: string;
}

export interface AdminGetToolLibraryLoansQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "dueOn" | "-dueOn") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "dueOn" | "-dueOn")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  toolId?: string | { ne?: string; in?: string | readonly string[]; };
  customerId?: string | { ne?: string; in?: string | readonly string[]; };
  dueOn?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  status?: "reserved" | "out" | "returned" | "cancelled" | { ne?: "reserved" | "out" | "returned" | "cancelled"; in?: ("reserved" | "out" | "returned" | "cancelled") | readonly ("reserved" | "out" | "returned" | "cancelled")[]; };
}

export interface AdminGetToolLibraryToolsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  lendable?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface StorefrontGetToolLibraryToolsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface ToolLibraryAdmin {
  dashboard: {
    /** Figures of tool-library. `GET /api/admin/dashboard/tool-library-stats`, permission `tool-library.stats.read`. */
    toolLibraryStats(query?: AdminGetDashboardToolLibraryStatsQuery, options?: CallOptions): Promise<AdminGetDashboardToolLibraryStatsAnswer>;
  };
  toolLibrary: {
    loans: {
      /** The reservation is given up. `POST /api/admin/tool-library/loans/{id}/cancel`, permission `tool-library.loan.cancel`. */
      cancel(id: string, options?: CallOptions): Promise<ToolLibraryLoan>;
      /** The customer takes the tool. `POST /api/admin/tool-library/loans/{id}/collect`, permission `tool-library.loan.collect`. */
      collect(id: string, options?: CallOptions): Promise<ToolLibraryLoan>;
      /** Read a loan. `GET /api/admin/tool-library/loans/{id}`, permission `tool-library.loan.read`. */
      get(id: string, options?: CallOptions): Promise<ToolLibraryLoan>;
      /** List loans. `GET /api/admin/tool-library/loans`, permission `tool-library.loan.read`. */
      list(query?: AdminGetToolLibraryLoansQuery, options?: CallOptions): Pages<ToolLibraryLoanRow>;
      /** The tool is back. `POST /api/admin/tool-library/loans/{id}/return`, permission `tool-library.loan.return`. */
      return(id: string, options?: CallOptions): Promise<ToolLibraryLoan>;
    };
    tools: {
      /** Create a tool. `POST /api/admin/tool-library/tools`, permission `tool-library.tool.create`. */
      create(body: ToolLibraryToolInput, options?: CallOptions): Promise<ToolLibraryTool>;
      /** Read a tool. `GET /api/admin/tool-library/tools/{id}`, permission `tool-library.tool.read`. */
      get(id: string, options?: CallOptions): Promise<ToolLibraryTool>;
      /** List tools. `GET /api/admin/tool-library/tools`, permission `tool-library.tool.read`. */
      list(query?: AdminGetToolLibraryToolsQuery, options?: CallOptions): Pages<ToolLibraryToolRow>;
      /** Delete a tool. `DELETE /api/admin/tool-library/tools/{id}`, permission `tool-library.tool.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Change a tool. `PATCH /api/admin/tool-library/tools/{id}`, permission `tool-library.tool.update`. */
      update(id: string, body: ToolLibraryToolChange, options?: CallOptions): Promise<ToolLibraryTool>;
    };
  };
}

export interface ToolLibraryStorefront {
  toolLibrary: {
    tools: {
      /** Tools that are lent. `GET /api/storefront/tool-library/tools`. */
      list(query?: StorefrontGetToolLibraryToolsQuery, options?: CallOptions): Pages<StorefrontGetToolLibraryToolsRow>;
      /** Reserve a tool. `POST /api/storefront/tool-library/tools/{id}/reserve`. */
      reserve(id: string, options?: CallOptions): Promise<StorefrontPostToolLibraryToolsByIdReserveAnswer>;
    };
  };
}

export interface ToolLibraryEvents {
  'tool-library.loan.created': ToolLibraryLoanCreatedEvent;
}

const adminRoutes = `
dashboard.toolLibraryStats GET /dashboard/tool-library-stats q
toolLibrary.loans.cancel POST /tool-library/loans/{}/cancel k
toolLibrary.loans.collect POST /tool-library/loans/{}/collect k
toolLibrary.loans.get GET /tool-library/loans/{}
toolLibrary.loans.list GET /tool-library/loans lq
toolLibrary.loans.return POST /tool-library/loans/{}/return k
toolLibrary.tools.create POST /tool-library/tools bk
toolLibrary.tools.get GET /tool-library/tools/{}
toolLibrary.tools.list GET /tool-library/tools lq
toolLibrary.tools.remove DELETE /tool-library/tools/{}
toolLibrary.tools.update PATCH /tool-library/tools/{} b
`;

const storefrontRoutes = `
toolLibrary.tools.list GET /tool-library/tools lq
toolLibrary.tools.reserve POST /tool-library/tools/{}/reserve k
`;

/** Routes and events of tool-library. */
export const toolLibrary: Slice<{ admin: ToolLibraryAdmin; storefront: ToolLibraryStorefront }, ToolLibraryEvents> = { plugin: 'tool-library', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of tool-library for visitors of a shop: without those for staff and operators. */
export const toolLibraryStorefront: Slice<{ storefront: ToolLibraryStorefront }, ToolLibraryEvents> = { plugin: 'tool-library', routes: { storefront: storefrontRoutes } };

/** `loan_limit` */
export const LoanLimit = /* @__PURE__ */ problemClass('loan_limit');

/** `tool_taken` */
export const ToolTaken = /* @__PURE__ */ problemClass('tool_taken');
