// Generated from the OpenAPI document of the plugin dashboard. Do not edit.

import type { CallOptions, Pages, Slice } from '../index.ts';

export interface AdminGetDashboardAnswer {
  items: { widget: string; x: number; y: number; w: number; h: number; settings: Record<string, unknown>; data: Record<string, unknown> | null; error: string | null; }[];
  version: number;
}

export interface AdminGetDashboardLayoutAnswer {
  items: { widget: string; x: number; y: number; w: number; h: number; settings: Record<string, unknown>; }[];
  version: number;
}

export interface AdminGetDashboardLayoutsRow {
  id: string;
  name: string;
  items: { widget: string; x: number; y: number; w: number; h: number; settings: Record<string, unknown>; }[];
  own: boolean;
  sharedAll: boolean;
  sharedRoleIds: string[];
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface AdminGetDashboardPresetAnswer {
  niche: string | null;
  items: { widget: string; x: number; y: number; w: number; h: number; settings: Record<string, unknown>; }[];
  version: number;
}

export interface AdminGetDashboardWidgetsRow {
  key: string;
  plugin: string;
  title: Record<string, unknown>;
  sizes: { w: number; h: number; }[];
  permission: string;
}

export interface AdminPatchDashboardLayoutInput {
  items: { widget: string; x: number; y: number; w: number; h: number; settings?: Record<string, unknown>; }[];
}

export interface AdminPatchDashboardNicheAnswer {
  niche: string;
}

export interface AdminPatchDashboardNicheInput {
  niche: string;
}

export interface AdminPostDashboardLayoutsByIdShareInput {
  roleIds?: string[] | null;
  all?: boolean | null;
}

export interface AdminPostDashboardLayoutsInput {
  name: string;
  items: { widget: string; x: number; y: number; w: number; h: number; settings?: Record<string, unknown>; }[];
  shared?: boolean;
}

export interface AdminPutDashboardPresetReplacement {
  items: { widget: string; x: number; y: number; w: number; h: number; settings?: Record<string, unknown>; }[];
}

export interface AdminGetDashboardQuery {
  from?: string;
  to?: string;
}

export interface AdminGetDashboardLayoutsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("name" | "-name" | "createdAt" | "-createdAt") | readonly ("name" | "-name" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  own?: boolean;
}

export interface AdminGetDashboardWidgetsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface DashboardAdmin {
  dashboard: {
    /** The own dashboard with its figures; without those of plugins that are off, and those that the caller may not see. `GET /api/admin/dashboard`, permission `dashboard.layout.read`. */
    get(query?: AdminGetDashboardQuery, options?: CallOptions): Promise<AdminGetDashboardAnswer>;
    layout: {
      /** How the own dashboard is arranged. `GET /api/admin/dashboard/layout`, permission `dashboard.layout.read`. */
      (options?: CallOptions): Promise<AdminGetDashboardLayoutAnswer>;
      /** Arrange the own dashboard. `PATCH /api/admin/dashboard/layout`, permission `dashboard.layout.update`. */
      update(body: AdminPatchDashboardLayoutInput, options?: CallOptions): Promise<AdminGetDashboardLayoutAnswer>;
    };
    layouts: {
      /** Keep a layout under a name. `POST /api/admin/dashboard/layouts`, permission `dashboard.layout.update`. */
      create(body: AdminPostDashboardLayoutsInput, options?: CallOptions): Promise<AdminGetDashboardLayoutsRow>;
      /** Kept layouts, own and shared ones. `GET /api/admin/dashboard/layouts`, permission `dashboard.layout.read`. */
      list(query?: AdminGetDashboardLayoutsQuery, options?: CallOptions): Pages<AdminGetDashboardLayoutsRow>;
      /** Arrange the own dashboard as the preset. `POST /api/admin/dashboard/layouts/reset`, permission `dashboard.layout.update`. */
      reset(options?: CallOptions): Promise<AdminGetDashboardLayoutAnswer>;
      /** Share an own layout with roles or with all staff; with all false and no roles it is private. `POST /api/admin/dashboard/layouts/{id}/share`, permission `dashboard.layout.share`. */
      share(id: string, body?: AdminPostDashboardLayoutsByIdShareInput, options?: CallOptions): Promise<AdminGetDashboardLayoutsRow>;
    };
    niche: {
      /** Choose the niche: what a dashboard begins with, and which plugins of the plan are on by default. `PATCH /api/admin/dashboard/niche`, permission `dashboard.niche.update`. */
      update(body: AdminPatchDashboardNicheInput, options?: CallOptions): Promise<AdminPatchDashboardNicheAnswer>;
    };
    preset: {
      /** What a dashboard begins with in the shop's niche. `GET /api/admin/dashboard/preset`, permission `dashboard.preset.read`. */
      (options?: CallOptions): Promise<AdminGetDashboardPresetAnswer>;
      /** What a dashboard begins with in the shop's niche from now on. `PUT /api/admin/dashboard/preset`, permission `dashboard.preset.update`. */
      replace(body: AdminPutDashboardPresetReplacement, options?: CallOptions): Promise<AdminGetDashboardPresetAnswer>;
    };
    widgets: {
      /** What a dashboard may show, of the plugins that are on. `GET /api/admin/dashboard/widgets`, permission `dashboard.layout.read`. */
      list(query?: AdminGetDashboardWidgetsQuery, options?: CallOptions): Pages<AdminGetDashboardWidgetsRow>;
    };
  };
}

export type DashboardEvents = object;

const adminRoutes = `
dashboard.get GET /dashboard q
dashboard.layout GET /dashboard/layout
dashboard.layout.update PATCH /dashboard/layout b
dashboard.layouts.create POST /dashboard/layouts bk
dashboard.layouts.list GET /dashboard/layouts lq
dashboard.layouts.reset POST /dashboard/layouts/reset k
dashboard.layouts.share POST /dashboard/layouts/{}/share bk
dashboard.niche.update PATCH /dashboard/niche b
dashboard.preset GET /dashboard/preset
dashboard.preset.replace PUT /dashboard/preset b
dashboard.widgets.list GET /dashboard/widgets lq
`;

/** Routes and events of dashboard. */
export const dashboard: Slice<{ admin: DashboardAdmin }, DashboardEvents> = { plugin: 'dashboard', routes: { admin: adminRoutes } };
