// Generated from the OpenAPI document of the plugin platform. Do not edit.

import type { CallOptions, LocalText, Money, Pages, Slice } from '../index.ts';

export interface AdminGetIntegrationsRow {
  code: string;
  kind: "payment" | "carrier" | "marketplace" | "mail" | "tax" | "storage" | "search" | "other";
  configured: boolean;
  enabled: boolean;
  healthy: boolean | null;
  lastError: string | null;
}

export interface AdminGetLicenseAnswer {
  keyMasked: string | null;
  state: "none" | "valid" | "renewal_due" | "grace" | "expired" | "revoked";
  problem: { code: string; message: string; } | null;
  plan: string | null;
  plugins: Record<string, unknown> | null;
  themes: Record<string, unknown> | null;
  limits: Record<string, unknown> | null;
  domains: string[] | null;
  expiresAt: string | null;
  updatesUntil: string | null;
  lastHeartbeatAt: string | null;
  installation: string | null;
}

export interface AdminGetPluginsByNameSettingsAnswer {
  name: string;
  enabled: boolean | null;
  on: boolean;
  why: string;
  settings: Record<string, unknown>;
  schema: Record<string, unknown>;
  version: number;
}

export interface AdminGetPluginsRow {
  name: string;
  version: string | null;
  state: "not_installed" | "incompatible" | "unlicensed" | "blocked" | "failed" | "ready";
  reason: { code: string; message: string; } | null;
  on: boolean;
  why: string;
  entitlement: string;
  foundation: boolean;
  requires: string[];
  screens: Record<string, unknown>[];
}

export interface AdminGetQueuesRow {
  name: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  paused: boolean;
}

export interface AdminGetTenantEventsRow {
  id: string;
  type: string;
  entity: string;
  entityId: string;
  at: string;
  payload: Record<string, unknown>;
}

export interface AdminGetTenantQuotasByTenantIdRow {
  resource: string;
  limit: number | null;
  used: number | null;
  period: "day" | "month" | null;
  resetsAt: string | null;
}

export interface AdminGetThemesRow {
  id: string;
  version: string | null;
  title: Record<string, unknown>;
  state: "available" | "installed" | "active";
  licensed: boolean;
  settings: Record<string, unknown>;
  schema: Record<string, unknown>;
  problems: { code: string; message: string; }[];
}

export interface AdminPatchTenantsMeFlagsByNameAnswer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  enabled: boolean;
  rolloutBp: number;
  rules: { attribute: string; values: string[]; enabled: boolean; }[];
}

export interface AdminPatchTenantsMeFlagsByNameChange {
  enabled?: boolean;
  rolloutBp?: number;
  rules?: { attribute: string; values: string[]; enabled: boolean; }[];
}

export interface AdminPostLicenseActivateInput {
  key: string;
}

export interface AdminPutPluginsByNameSettingsChange {
  enabled?: boolean | null;
  settings?: Record<string, unknown>;
}

export interface PlatformFlag {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  enabled: boolean;
  rolloutBp: number;
  rules: { attribute: string; values: string[]; enabled: boolean; }[];
}

export interface PlatformFlagInput {
  name: string;
  enabled: boolean;
  rolloutBp?: number;
  rules?: { attribute: string; values: string[]; enabled: boolean; }[];
}

export interface PlatformFlagRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  enabled: boolean;
  rolloutBp: number;
  rules: { attribute: string; values: string[]; enabled: boolean; }[];
}

export interface PlatformThemeActivatedEvent {
  theme: string;
  version: string | null;
}

export interface StorefrontGetActiveThemeAnswer {
  id: string;
  version: string | null;
  tokens: Record<string, unknown>;
  settings: string | number | boolean | unknown[] | Record<string, unknown>;
  templates: string[];
}

export interface StorefrontGetTenantConfigAnswer {
  name: string;
  locales: string[];
  defaultLocale: string;
  currency: string;
  currencies: string[];
  timezone: string;
  priceMode: "gross" | "net";
  plugins: string[];
  branding: Record<string, unknown> | null;
  legal: Record<string, unknown>;
  pushPublicKey: string | null;
}

export interface SuperAdminGetActivityRow {
  id: string;
  actor: { type: string; id: string | null; };
  action: string;
  entity: string;
  entityId: string | null;
  changes: Record<string, unknown>;
  ip: string | null;
  requestId: string | null;
  at: string;
}

export interface SuperAdminGetLicenseEventsRow {
  id: string;
  licenseId: string;
  type: string;
  at: string;
  installation: string | null;
  ip: string | null;
  data: Record<string, unknown>;
}

export interface SuperAdminGetLicensesRow {
  id: string;
  customerEmail: string;
  plan: string;
  env: "production" | "staging" | "development";
  plugins: Record<string, unknown>;
  themes: Record<string, unknown>;
  limits: Record<string, unknown>;
  domains: string[];
  fingerprint: string[] | null;
  grace: number;
  heartbeat: { interval: number; maxOffline: number; };
  seatTtl: number | null;
  expiresAt: string;
  updatesUntil: string;
  maxActivations: number;
  activations: number;
  keyMasked: string;
  revokedAt: string | null;
  revokedReason: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface SuperAdminGetNichePackagesRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: LocalText;
  plugins: { name: string; range: string | null; }[];
  preset: Record<string, unknown> | null;
  seeds: Record<string, unknown> | null;
}

export interface SuperAdminGetPlansRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: string;
  price: Money | null;
  limits: Record<string, unknown>;
  active: boolean;
  plugins: string[];
  features: Record<string, unknown>;
}

export interface SuperAdminGetPluginsRow {
  name: string;
  package: string;
  version: string | null;
  state: "not_installed" | "incompatible" | "unlicensed" | "blocked" | "failed" | "ready";
  reason: { code: string; message: string; } | null;
  entitlement: string;
  foundation: boolean;
  requires: string[];
}

export interface SuperAdminGetSettingsAnswer {
  maintenance: { startsAt: string; endsAt: string; message: string | null; acknowledgedAt: string | null; active: boolean; } | null;
  licence: { state: string; plan: string | null; expiresAt: string | null; installation: string; };
  issuer: { id: string; keys: { kid: string; x: string; }[]; };
  licenseSales: Record<string, unknown> | null;
  version: number;
}

export interface SuperAdminGetStatsAnswer {
  tenants: number;
  byStatus: Record<string, unknown>;
  byPlan: { planId: string; code: string; name: string; tenants: number; }[];
  orders30d: number;
  revenue30d: Money[];
  mrr: Money[];
  jobs: { waiting: number; active: number; delayed: number; failed: number; };
}

export interface SuperAdminGetTenantsByIdFeaturesAnswer {
  features: Record<string, unknown>;
}

export interface SuperAdminGetTenantsByIdPermissionsRow {
  plugin: string;
  on: boolean;
  why: string;
}

export interface SuperAdminGetTenantsRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  slug: string;
  name: string;
  status: "provisioning" | "trial" | "active" | "past_due" | "suspended" | "terminated";
  hosts: string[];
  planId: string | null;
  nichePackage: string | null;
  operator: boolean;
  timezone: string;
  currency: string;
  locales: string[];
  defaultLocale: string;
  priceMode: "gross" | "net";
}

export interface SuperAdminPatchNichePackagesByIdChange {
  code?: string;
  name?: string | Record<string, string>;
  plugins?: { name: string; range?: string | null; }[];
  preset?: Record<string, unknown> | null;
  seeds?: Record<string, unknown> | null;
}

export interface SuperAdminPatchPlansByIdChange {
  code?: string;
  name?: string;
  price?: Money | null;
  limits?: Record<string, unknown>;
  active?: boolean;
}

export interface SuperAdminPatchPlansByIdPermissionsInput {
  plugins: string[];
  features?: Record<string, boolean>;
}

export interface SuperAdminPatchSettingsChange {
  maintenance?: { startsAt: string; endsAt: string; message?: string | null; } | null;
  maintenanceAcknowledged?: true;
  licenseSales?: { account: string; secretKey: string; apiUrl: string; products: ({ code: string; price: { amount: number; currency: string; }; months: number; updateMonths: number; plugins: Record<string, string>; themes?: Record<string, string>; plan?: string; limits?: Record<string, number>; env: "production" | "staging" | "development"; maxActivations?: number; domains?: string[]; fingerprint?: string[] | null; grace?: number; heartbeat?: { interval?: number; maxOffline?: number; }; seatTtl?: number | null; })[]; } | null;
}

export interface SuperAdminPatchTenantsByIdChange {
  name?: string;
  status?: "provisioning" | "trial" | "active" | "past_due" | "suspended" | "terminated";
  hosts?: string[];
  nichePackage?: string | null;
}

export interface SuperAdminPatchTenantsByIdPlanInput {
  planId: string;
}

export interface SuperAdminPostLicensesIssueAnswer {
  id: string;
  key: string;
}

export interface SuperAdminPostLicensesIssueInput {
  customerEmail: string;
  plugins: Record<string, string>;
  themes?: Record<string, string>;
  plan?: string;
  limits?: Record<string, number>;
  env: "production" | "staging" | "development";
  maxActivations?: number;
  domains?: string[];
  fingerprint?: string[] | null;
  grace?: number;
  heartbeat?: { interval?: number; maxOffline?: number; };
  seatTtl?: number | null;
  expiresAt: string;
  updatesUntil: string;
}

export interface SuperAdminPostLicensesResendEmailAnswer {
  status: string;
}

export interface SuperAdminPostLicensesResendEmailInput {
  licenseId: string;
}

export interface SuperAdminPostLicensesRevokeInput {
  licenseId: string;
  reason: string;
}

export interface SuperAdminPostNichePackagesInput {
  code: string;
  name: string | Record<string, string>;
  plugins: { name: string; range?: string | null; }[];
  preset?: Record<string, unknown> | null;
  seeds?: Record<string, unknown> | null;
}

export interface SuperAdminPostPlansInput {
  code: string;
  name: string;
  price?: Money | null;
  limits?: Record<string, unknown>;
  active?: boolean;
}

export interface SuperAdminPostTenantsAnswer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  slug: string;
  name: string;
  status: "provisioning" | "trial" | "active" | "past_due" | "suspended" | "terminated";
  hosts: string[];
  planId: string | null;
  nichePackage: string | null;
  operator: boolean;
  timezone: string;
  currency: string;
  locales: string[];
  defaultLocale: string;
  priceMode: "gross" | "net";
  invitation: { url: string; token: string; expiresAt: string; } | null;
}

export interface SuperAdminPostTenantsInput {
  name: string;
  slug: string;
  hosts: string[];
  planId: string;
  ownerEmail: string;
  nichePackage?: string | null;
  status?: "provisioning" | "trial" | "active";
}

export interface SuperAdminPutTenantsByIdFeaturesAnswer {
  features: Record<string, unknown>;
}

export interface SuperAdminPutTenantsByIdFeaturesReplacement {
  features: Record<string, boolean>;
}

export interface SuperAdminPutTenantsByIdPluginOverridesAnswer {
  pluginId: string;
  enabled: boolean;
  reason: string;
}

export interface SuperAdminPutTenantsByIdPluginOverridesReplacement {
  pluginId: string;
  enabled: boolean;
  reason: string;
}

export interface SystemGetApiLicensingKeysRow {
  list: string;
}

export interface SystemPostApiLicensingActivateAnswer {
  answer: string;
}

export interface SystemPostApiLicensingActivateInput {
  key: string;
  installation: string;
  nonce: string;
  env: "production" | "staging" | "development";
  fingerprint?: string | null;
  certificate?: number | null;
}

export interface SystemPostApiLicensingRegistryAnswer {
  answer: "valid" | "expired" | "suspended" | "not_found";
  kind: "install" | "publish" | null;
  packages: string[] | null;
  licenseId: string | null;
  plugins: Record<string, unknown> | null;
  themes: Record<string, unknown> | null;
  expiresAt: string | null;
  updatesUntil: string | null;
}

export interface SystemPostApiLicensingRegistryInput {
  token: string;
}

export interface SystemPostApiLicensingRegistryTokenAnswer {
  token: string;
}

export interface SystemPostApiLicensingRegistryTokenInput {
  key: string;
  rotate?: boolean;
}

export interface AdminGetIntegrationsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetPluginsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetQueuesQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetTenantEventsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("at" | "-at") | readonly ("at" | "-at")[];
  type?: string | { in?: string | readonly string[]; };
  id?: string | { in?: string | readonly string[]; };
  from?: string;
  to?: string;
}

export interface AdminGetTenantQuotasByTenantIdQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetTenantsMeFlagsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  name?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface AdminGetThemesInstalledQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetThemesQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface SuperAdminGetActivityQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("at" | "-at") | readonly ("at" | "-at")[];
  actor?: string;
  action?: string | { in?: string | readonly string[]; };
  entity?: string | { in?: string | readonly string[]; };
  entityId?: string;
  at?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface SuperAdminGetLicenseEventsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("at" | "-at") | readonly ("at" | "-at")[];
  licenseId?: string | { in?: string | readonly string[]; };
  type?: string | { in?: string | readonly string[]; };
  installation?: string;
  at?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface SuperAdminGetLicensesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "expiresAt" | "-expiresAt") | readonly ("createdAt" | "-createdAt" | "expiresAt" | "-expiresAt")[];
  id?: string | { in?: string | readonly string[]; };
  customerEmail?: string;
  env?: "production" | "staging" | "development" | { ne?: "production" | "staging" | "development"; in?: ("production" | "staging" | "development") | readonly ("production" | "staging" | "development")[]; };
  expiresAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface SuperAdminGetNichePackagesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("code" | "-code" | "createdAt" | "-createdAt") | readonly ("code" | "-code" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface SuperAdminGetPlansQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("code" | "-code" | "createdAt" | "-createdAt") | readonly ("code" | "-code" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
  active?: boolean;
}

export interface SuperAdminGetPluginsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface SuperAdminGetTenantsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("name" | "-name" | "slug" | "-slug" | "createdAt" | "-createdAt") | readonly ("name" | "-name" | "slug" | "-slug" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  status?: "provisioning" | "trial" | "active" | "past_due" | "suspended" | "terminated" | { ne?: "provisioning" | "trial" | "active" | "past_due" | "suspended" | "terminated"; in?: ("provisioning" | "trial" | "active" | "past_due" | "suspended" | "terminated") | readonly ("provisioning" | "trial" | "active" | "past_due" | "suspended" | "terminated")[]; };
  slug?: string | { ne?: string; in?: string | readonly string[]; };
  planId?: string | { in?: string | readonly string[]; };
}

export interface SuperAdminGetTenantsByIdPermissionsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface SystemGetApiLicensingKeysQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface PlatformAdmin {
  integrations: {
    /** Services outside the shop, and whether they work. `GET /api/admin/integrations`, permission `platform.integration.read`. */
    list(query?: AdminGetIntegrationsQuery, options?: CallOptions): Pages<AdminGetIntegrationsRow>;
  };
  license: {
    /** Activate a licence by its key, or by a certificate made for this installation. `POST /api/admin/license/activate`, permission `platform.license.activate`. */
    activate(body: AdminPostLicenseActivateInput, options?: CallOptions): Promise<AdminGetLicenseAnswer>;
    /** Deactivate the licence; works without the server, which is notified later. `POST /api/admin/license/deactivate`, permission `platform.license.deactivate`. */
    deactivate(options?: CallOptions): Promise<AdminGetLicenseAnswer>;
    /** The licence of the installation. `GET /api/admin/license`, permission `platform.license.read`. */
    get(options?: CallOptions): Promise<AdminGetLicenseAnswer>;
    /** Ask the licence server now. `POST /api/admin/license/heartbeat`, permission `platform.license.heartbeat`. */
    heartbeat(options?: CallOptions): Promise<AdminGetLicenseAnswer>;
  };
  plugins: {
    /** Plugins of the installation, and which are on. `GET /api/admin/plugins`, permission `platform.plugin.read`. */
    list(query?: AdminGetPluginsQuery, options?: CallOptions): Pages<AdminGetPluginsRow>;
    settings: {
      /** Switch and settings of a plugin. `GET /api/admin/plugins/{name}/settings`, permission `platform.plugin.read`. */
      (name: string, options?: CallOptions): Promise<AdminGetPluginsByNameSettingsAnswer>;
      /** Change switch and settings of a plugin. `PUT /api/admin/plugins/{name}/settings`, permission `platform.plugin.update`. */
      replace(name: string, body?: AdminPutPluginsByNameSettingsChange, options?: CallOptions): Promise<AdminGetPluginsByNameSettingsAnswer>;
    };
  };
  queues: {
    /** The shop's waiting and failed work. `GET /api/admin/queues`, permission `platform.queue.read`. */
    list(query?: AdminGetQueuesQuery, options?: CallOptions): Pages<AdminGetQueuesRow>;
  };
  tenantEvents: {
    /** What happened in the shop, kept 90 days. `GET /api/admin/tenant-events`, permission `platform.tenant-event.read`. */
    list(query?: AdminGetTenantEventsQuery, options?: CallOptions): Pages<AdminGetTenantEventsRow>;
  };
  tenantQuotas: {
    /** What the plan allows, and what is used of it. `GET /api/admin/tenant-quotas/{tenantId}`, permission `platform.quota.read`. */
    list(tenantId: string, query?: AdminGetTenantQuotasByTenantIdQuery, options?: CallOptions): Pages<AdminGetTenantQuotasByTenantIdRow>;
  };
  tenants: {
    me: {
      flags: {
        /** Create a flag. `POST /api/admin/tenants/me/flags`, permission `platform.flag.create`. */
        create(body: PlatformFlagInput, options?: CallOptions): Promise<PlatformFlag>;
        /** List flags. `GET /api/admin/tenants/me/flags`, permission `platform.flag.read`. */
        list(query?: AdminGetTenantsMeFlagsQuery, options?: CallOptions): Pages<PlatformFlagRow>;
        /** Remove a flag. `DELETE /api/admin/tenants/me/flags/{name}`, permission `platform.flag.delete`. */
        remove(name: string, options?: CallOptions): Promise<void>;
        /** Change a flag. `PATCH /api/admin/tenants/me/flags/{name}`, permission `platform.flag.update`. */
        update(name: string, body: AdminPatchTenantsMeFlagsByNameChange, options?: CallOptions): Promise<AdminPatchTenantsMeFlagsByNameAnswer>;
      };
    };
  };
  themes: {
    /** Show the shop in an installed theme. `POST /api/admin/themes/{id}/activate`, permission `platform.theme.activate`. */
    activate(id: string, options?: CallOptions): Promise<AdminGetThemesRow>;
    /** Install a theme, so that it can be set up before shoppers see it. `POST /api/admin/themes/{id}/install`, permission `platform.theme.install`. */
    install(id: string, options?: CallOptions): Promise<AdminGetThemesRow>;
    installed: {
      /** Themes that the shop has installed. `GET /api/admin/themes/installed`, permission `platform.theme.read`. */
      list(query?: AdminGetThemesInstalledQuery, options?: CallOptions): Pages<AdminGetThemesRow>;
    };
    /** Themes of the installation. `GET /api/admin/themes`, permission `platform.theme.read`. */
    list(query?: AdminGetThemesQuery, options?: CallOptions): Pages<AdminGetThemesRow>;
  };
}

export interface PlatformStorefront {
  activeTheme: {
    /** What the shop is drawn with: version, tokens, settings and templates. `GET /api/storefront/active-theme`. */
    get(options?: CallOptions): Promise<StorefrontGetActiveThemeAnswer>;
  };
  tenantConfig: {
    /** What a storefront must know of the shop before it shows anything. `GET /api/storefront/tenant-config`. */
    get(options?: CallOptions): Promise<StorefrontGetTenantConfigAnswer>;
  };
}

export interface PlatformSuperAdmin {
  activity: {
    /** What operators changed. `GET /api/super-admin/activity`. */
    list(query?: SuperAdminGetActivityQuery, options?: CallOptions): Pages<SuperAdminGetActivityRow>;
  };
  licenseEvents: {
    /** What happened to licences. `GET /api/super-admin/license-events`. */
    list(query?: SuperAdminGetLicenseEventsQuery, options?: CallOptions): Pages<SuperAdminGetLicenseEventsRow>;
  };
  licenses: {
    /** Issue a licence; its key is shown once, and mailed. `POST /api/super-admin/licenses/issue`. */
    issue(body: SuperAdminPostLicensesIssueInput, options?: CallOptions): Promise<SuperAdminPostLicensesIssueAnswer>;
    /** Licences that were issued. `GET /api/super-admin/licenses`. */
    list(query?: SuperAdminGetLicensesQuery, options?: CallOptions): Pages<SuperAdminGetLicensesRow>;
    /** Send the key to its customer again. `POST /api/super-admin/licenses/resend-email`. */
    resendEmail(body: SuperAdminPostLicensesResendEmailInput, options?: CallOptions): Promise<SuperAdminPostLicensesResendEmailAnswer>;
    /** Revoke a licence, for good. `POST /api/super-admin/licenses/revoke`. */
    revoke(body: SuperAdminPostLicensesRevokeInput, options?: CallOptions): Promise<SuperAdminGetLicensesRow>;
  };
  nichePackages: {
    /** Make a niche package. `POST /api/super-admin/niche-packages`. */
    create(body: SuperAdminPostNichePackagesInput, options?: CallOptions): Promise<SuperAdminGetNichePackagesRow>;
    /** Niche packages. `GET /api/super-admin/niche-packages`. */
    list(query?: SuperAdminGetNichePackagesQuery, options?: CallOptions): Pages<SuperAdminGetNichePackagesRow>;
    /** Remove a niche package. `DELETE /api/super-admin/niche-packages/{id}`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a niche package. `PATCH /api/super-admin/niche-packages/{id}`. */
    update(id: string, body: SuperAdminPatchNichePackagesByIdChange, options?: CallOptions): Promise<SuperAdminGetNichePackagesRow>;
  };
  plans: {
    /** Make a plan. `POST /api/super-admin/plans`. */
    create(body: SuperAdminPostPlansInput, options?: CallOptions): Promise<SuperAdminGetPlansRow>;
    /** Plans. `GET /api/super-admin/plans`. */
    list(query?: SuperAdminGetPlansQuery, options?: CallOptions): Pages<SuperAdminGetPlansRow>;
    permissions: {
      /** Replace the plugins and features of a plan. `PATCH /api/super-admin/plans/{id}/permissions`. */
      update(id: string, body: SuperAdminPatchPlansByIdPermissionsInput, options?: CallOptions): Promise<SuperAdminGetPlansRow>;
    };
    /** Change or close a plan. `PATCH /api/super-admin/plans/{id}`. */
    update(id: string, body: SuperAdminPatchPlansByIdChange, options?: CallOptions): Promise<SuperAdminGetPlansRow>;
  };
  plugins: {
    /** Plugins of the installation. `GET /api/super-admin/plugins`. */
    list(query?: SuperAdminGetPluginsQuery, options?: CallOptions): Pages<SuperAdminGetPluginsRow>;
  };
  settings: {
    /** Settings of the operator, with the maintenance window. `GET /api/super-admin/settings`. */
    get(options?: CallOptions): Promise<SuperAdminGetSettingsAnswer>;
    /** Announce or acknowledge maintenance; set up the sale of licences. `PATCH /api/super-admin/settings`. */
    update(body: SuperAdminPatchSettingsChange, options?: CallOptions): Promise<SuperAdminGetSettingsAnswer>;
  };
  stats: {
    /** Figures of the installation. `GET /api/super-admin/stats`. */
    get(options?: CallOptions): Promise<SuperAdminGetStatsAnswer>;
  };
  tenants: {
    /** Make a tenant and invite its owner. `POST /api/super-admin/tenants`. */
    create(body: SuperAdminPostTenantsInput, options?: CallOptions): Promise<SuperAdminPostTenantsAnswer>;
    features: {
      /** The tenant's own switches. `GET /api/super-admin/tenants/{id}/features`. */
      (id: string, options?: CallOptions): Promise<SuperAdminGetTenantsByIdFeaturesAnswer>;
      /** Replace the tenant's own switches. `PUT /api/super-admin/tenants/{id}/features`. */
      replace(id: string, body: SuperAdminPutTenantsByIdFeaturesReplacement, options?: CallOptions): Promise<SuperAdminPutTenantsByIdFeaturesAnswer>;
    };
    /** One tenant. `GET /api/super-admin/tenants/{id}`. */
    get(id: string, options?: CallOptions): Promise<SuperAdminGetTenantsRow>;
    /** Tenants. `GET /api/super-admin/tenants`. */
    list(query?: SuperAdminGetTenantsQuery, options?: CallOptions): Pages<SuperAdminGetTenantsRow>;
    permissions: {
      /** For every plugin, whether the tenant has it, and why. `GET /api/super-admin/tenants/{id}/permissions`. */
      list(id: string, query?: SuperAdminGetTenantsByIdPermissionsQuery, options?: CallOptions): Pages<SuperAdminGetTenantsByIdPermissionsRow>;
    };
    plan: {
      /** Move the tenant to another plan. `PATCH /api/super-admin/tenants/{id}/plan`. */
      update(id: string, body: SuperAdminPatchTenantsByIdPlanInput, options?: CallOptions): Promise<SuperAdminGetTenantsRow>;
    };
    pluginOverrides: {
      /** Leave the plugin to plan, switch and niche again. `DELETE /api/super-admin/tenants/{id}/plugin-overrides/{pluginId}`. */
      remove(id: string, pluginId: string, options?: CallOptions): Promise<void>;
      /** Decide about one plugin of the tenant. `PUT /api/super-admin/tenants/{id}/plugin-overrides`. */
      replace(id: string, body: SuperAdminPutTenantsByIdPluginOverridesReplacement, options?: CallOptions): Promise<SuperAdminPutTenantsByIdPluginOverridesAnswer>;
    };
    /** Rename a tenant, move it to another state, host or niche. `PATCH /api/super-admin/tenants/{id}`. */
    update(id: string, body: SuperAdminPatchTenantsByIdChange, options?: CallOptions): Promise<SuperAdminGetTenantsRow>;
  };
}

export interface PlatformSystem {
  licensing: {
    /** Take a seat of a licence; the same installation takes one. `POST /api/licensing/activate`. */
    activate(body: SystemPostApiLicensingActivateInput, options?: CallOptions): Promise<SystemPostApiLicensingActivateAnswer>;
    /** Give the seat back. `POST /api/licensing/deactivate`. */
    deactivate(body: SystemPostApiLicensingActivateInput, options?: CallOptions): Promise<SystemPostApiLicensingActivateAnswer>;
    /** Say that an installation is there; renews its certificate when it is due. `POST /api/licensing/heartbeat`. */
    heartbeat(body: SystemPostApiLicensingActivateInput, options?: CallOptions): Promise<SystemPostApiLicensingActivateAnswer>;
    keys: {
      /** Public keys of the issuer, each list signed by one of them. `GET /api/licensing/keys`. */
      list(query?: SystemGetApiLicensingKeysQuery, options?: CallOptions): Pages<SystemGetApiLicensingKeysRow>;
    };
    /** What a token of the package registry is good for. `POST /api/licensing/registry`. */
    registry(body: SystemPostApiLicensingRegistryInput, options?: CallOptions): Promise<SystemPostApiLicensingRegistryAnswer>;
    /** Get the registry token of a licence by its key; `rotate` invalidates the previous one. `POST /api/licensing/registry-token`. */
    registryToken(body: SystemPostApiLicensingRegistryTokenInput, options?: CallOptions): Promise<SystemPostApiLicensingRegistryTokenAnswer>;
  };
}

export interface PlatformEvents {
  'platform.theme.activated': PlatformThemeActivatedEvent;
}

const adminRoutes = `
integrations.list GET /integrations lq
license.activate POST /license/activate b
license.deactivate POST /license/deactivate k
license.get GET /license
license.heartbeat POST /license/heartbeat k
plugins.list GET /plugins lq
plugins.settings GET /plugins/{}/settings
plugins.settings.replace PUT /plugins/{}/settings b
queues.list GET /queues lq
tenantEvents.list GET /tenant-events lq
tenantQuotas.list GET /tenant-quotas/{} lq
tenants.me.flags.create POST /tenants/me/flags bk
tenants.me.flags.list GET /tenants/me/flags lq
tenants.me.flags.remove DELETE /tenants/me/flags/{}
tenants.me.flags.update PATCH /tenants/me/flags/{} b
themes.activate POST /themes/{}/activate k
themes.install POST /themes/{}/install k
themes.installed.list GET /themes/installed lq
themes.list GET /themes lq
`;

const storefrontRoutes = `
activeTheme.get GET /active-theme
tenantConfig.get GET /tenant-config
`;

const superAdminRoutes = `
activity.list GET /activity lq
licenseEvents.list GET /license-events lq
licenses.issue POST /licenses/issue bk
licenses.list GET /licenses lq
licenses.resendEmail POST /licenses/resend-email bk
licenses.revoke POST /licenses/revoke bk
nichePackages.create POST /niche-packages bk
nichePackages.list GET /niche-packages lq
nichePackages.remove DELETE /niche-packages/{}
nichePackages.update PATCH /niche-packages/{} b
plans.create POST /plans bk
plans.list GET /plans lq
plans.permissions.update PATCH /plans/{}/permissions b
plans.update PATCH /plans/{} b
plugins.list GET /plugins lq
settings.get GET /settings
settings.update PATCH /settings b
stats.get GET /stats
tenants.create POST /tenants bk
tenants.features GET /tenants/{}/features
tenants.features.replace PUT /tenants/{}/features b
tenants.get GET /tenants/{}
tenants.list GET /tenants lq
tenants.permissions.list GET /tenants/{}/permissions lq
tenants.plan.update PATCH /tenants/{}/plan b
tenants.pluginOverrides.remove DELETE /tenants/{}/plugin-overrides/{}
tenants.pluginOverrides.replace PUT /tenants/{}/plugin-overrides b
tenants.update PATCH /tenants/{} b
`;

const systemRoutes = `
licensing.activate POST /api/licensing/activate b
licensing.deactivate POST /api/licensing/deactivate b
licensing.heartbeat POST /api/licensing/heartbeat b
licensing.keys.list GET /api/licensing/keys lq
licensing.registry POST /api/licensing/registry b
licensing.registryToken POST /api/licensing/registry-token b
`;

/** Routes and events of platform. */
export const platform: Slice<{ admin: PlatformAdmin; storefront: PlatformStorefront; superAdmin: PlatformSuperAdmin; system: PlatformSystem }, PlatformEvents> = { plugin: 'platform', routes: { admin: adminRoutes, storefront: storefrontRoutes, superAdmin: superAdminRoutes, system: systemRoutes } };

/** Routes of platform for visitors of a shop: without those for staff and operators. */
export const platformStorefront: Slice<{ storefront: PlatformStorefront; system: PlatformSystem }, PlatformEvents> = { plugin: 'platform', routes: { storefront: storefrontRoutes, system: systemRoutes } };
