// Generated from the OpenAPI document of the plugin workspace. Do not edit.

import type { CallOptions, LocalText, Pages, Slice, Upload } from '../index.ts';

export interface AdminDeleteUploadsInput {
  key?: string | null;
}

export interface AdminGetAuditLogsRow {
  id: string;
  position: number;
  actor: { type: string; id: string | null; };
  action: string;
  entity: string;
  entityId: string | null;
  changes: Record<string, unknown>;
  ip: string | null;
  requestId: string | null;
  at: string;
  prevHash: string;
  hash: string;
}

export interface AdminGetBrandingAnswer {
  logo: string | null;
  favicon: string | null;
  colors: Record<string, unknown>;
  fonts: { heading: string | null; body: string | null; } | null;
  emailFooter: LocalText | null;
  logoUrl: string | null;
  faviconUrl: string | null;
  warnings: { code: string; message: string; pointer: string | null; }[];
  version: number;
}

export interface AdminGetMetafieldsByEntityTypeByEntityIdRow {
  namespace: string;
  key: string;
  type: string;
  value: string | number | boolean | unknown[] | Record<string, unknown>;
}

export interface AdminGetNotificationsEventsRow {
  type: string;
  plugin: string;
  public: boolean;
  title: string | null;
}

export interface AdminGetNotificationsRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  type: string;
  title: LocalText;
  body: LocalText;
  link: string | null;
  readAt: string | null;
}

export interface AdminGetSettingsRow {
  key: string;
  value: unknown;
  schema: Record<string, unknown>;
  version: number;
  store: boolean;
}

export interface AdminGetSettingsStoreAnswer {
  name: string;
  timezone: string;
  currency: string;
  locales: string[];
  defaultLocale: string;
  priceMode: "gross" | "net";
  version: number;
  [name: string]: unknown;
}

export interface AdminPostUploadsAnswer {
  key: string;
  url: string | null;
  contentType: string;
  size: number;
  width: number | null;
  height: number | null;
}

export interface AdminPostUploadsPresignAnswer {
  url: string;
  fields: Record<string, unknown>;
  key: string;
  expiresAt: string;
}

export interface AdminPostUploadsPresignInput {
  filename: string;
  contentType: string;
  size: number;
  purpose: "image" | "document" | "digital" | "import";
}

export interface AdminPutBrandingReplacement {
  logo?: string | null;
  favicon?: string | null;
  colors?: Record<string, unknown>;
  fonts?: { heading?: string | null; body?: string | null; } | null;
  emailFooter?: string | Record<string, string> | null;
}

export interface AdminPutMetafieldsByEntityTypeByEntityIdReplacement {
  metafields: { namespace: string; key: string; value: string | number | boolean | unknown[] | Record<string, unknown>; }[];
}

export interface AdminPutNotificationsReadAllAnswer {
  read: number;
}

export interface AdminPutOnboardingDismissAnswer {
  steps: { key: string; done: boolean; skipped: boolean; }[];
  current: string | null;
  dismissedAt: string | null;
  version: number;
}

export interface AdminPutOnboardingStepReplacement {
  key: string;
  done?: boolean | null;
  skipped?: boolean | null;
}

export interface AdminPutSettingsByKeyReplacement {
  value: unknown;
}

export type AdminPutSettingsStoreReplacement = Record<string, unknown>;

export interface StorefrontGetAnalyticsConfigAnswer {
  tags: { purpose: string; provider: string; id: string; }[];
}

export interface SystemDeleteApiPushUnsubscribeInput {
  endpoint: string;
}

export interface SystemPostApiPushSubscribeAnswer {
  id: string;
  endpoint: string;
}

export interface SystemPostApiPushSubscribeInput {
  endpoint: string;
  keys: { p256dh: string; auth: string; };
  expirationTime?: string | number | boolean | unknown[] | Record<string, unknown> | null;
}

export interface WorkspaceMetafieldDefinition {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  entityType: string;
  namespace: string;
  key: string;
  type: "string" | "text" | "int" | "decimal" | "bool" | "date" | "datetime" | "json" | "url" | "color" | "money" | "reference";
  validations: { min: number | null; max: number | null; maxLength: number | null; values: string[] | null; entityType: string | null; } | null;
  required: boolean;
  visibleOnStorefront: boolean;
  filterable: boolean;
}

export interface WorkspaceMetafieldDefinitionInput {
  entityType: string;
  namespace: string;
  key: string;
  type: "string" | "text" | "int" | "decimal" | "bool" | "date" | "datetime" | "json" | "url" | "color" | "money" | "reference";
  validations?: { min?: number | null; max?: number | null; maxLength?: number | null; values?: string[] | null; entityType?: string | null; } | null;
  required?: boolean;
  visibleOnStorefront?: boolean;
  filterable?: boolean;
}

export interface WorkspaceMetafieldDefinitionRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  entityType: string;
  namespace: string;
  key: string;
  type: "string" | "text" | "int" | "decimal" | "bool" | "date" | "datetime" | "json" | "url" | "color" | "money" | "reference";
  validations: { min: number | null; max: number | null; maxLength: number | null; values: string[] | null; entityType: string | null; } | null;
  required: boolean;
  visibleOnStorefront: boolean;
  filterable: boolean;
}

export interface AdminGetAuditLogsQuery {
  limit?: number;
  cursor?: string;
  actor?: string;
  action?: string;
  entity?: string;
  entityId?: string;
  from?: string;
  to?: string;
}

export interface AdminGetMetafieldsDefinitionsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  entityType?: string | { ne?: string; in?: string | readonly string[]; };
  namespace?: string | { ne?: string; in?: string | readonly string[]; };
  key?: string | { ne?: string; in?: string | readonly string[]; };
  type?: "string" | "text" | "int" | "decimal" | "bool" | "date" | "datetime" | "json" | "url" | "color" | "money" | "reference" | { ne?: "string" | "text" | "int" | "decimal" | "bool" | "date" | "datetime" | "json" | "url" | "color" | "money" | "reference"; in?: ("string" | "text" | "int" | "decimal" | "bool" | "date" | "datetime" | "json" | "url" | "color" | "money" | "reference") | readonly ("string" | "text" | "int" | "decimal" | "bool" | "date" | "datetime" | "json" | "url" | "color" | "money" | "reference")[]; };
  visibleOnStorefront?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  filterable?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminDeleteMetafieldsDefinitionsByIdQuery {
  cascade?: boolean;
}

export interface AdminGetMetafieldsByEntityTypeByEntityIdQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetNotificationsEventsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetNotificationsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt") | readonly ("createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  type?: string | { ne?: string; in?: string | readonly string[]; };
  read?: boolean;
}

export interface AdminGetSettingsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminDeleteUploadsQuery {
  key?: string;
}

export interface WorkspaceAdmin {
  auditLogs: {
    /** One change. `GET /api/admin/audit-logs/{id}`, permission `workspace.audit-log.read`. */
    get(id: string, options?: CallOptions): Promise<AdminGetAuditLogsRow>;
    /** Who changed what, newest first. `GET /api/admin/audit-logs`, permission `workspace.audit-log.read`. */
    list(query?: AdminGetAuditLogsQuery, options?: CallOptions): Pages<AdminGetAuditLogsRow>;
  };
  branding: {
    /** Logo, colours and fonts. `GET /api/admin/branding`, permission `workspace.branding.read`. */
    get(options?: CallOptions): Promise<AdminGetBrandingAnswer>;
    /** Replace logo, colours and fonts; what is left out is cleared. `PUT /api/admin/branding`, permission `workspace.branding.update`. */
    replace(body?: AdminPutBrandingReplacement, options?: CallOptions): Promise<AdminGetBrandingAnswer>;
  };
  metafields: {
    definitions: {
      /** Create a definition. `POST /api/admin/metafields/definitions`, permission `workspace.metafield-definition.create`. */
      create(body: WorkspaceMetafieldDefinitionInput, options?: CallOptions): Promise<WorkspaceMetafieldDefinition>;
      /** List definitions. `GET /api/admin/metafields/definitions`, permission `workspace.metafield-definition.read`. */
      list(query?: AdminGetMetafieldsDefinitionsQuery, options?: CallOptions): Pages<WorkspaceMetafieldDefinitionRow>;
      /** Remove a definition, with cascade also its values. `DELETE /api/admin/metafields/definitions/{id}`, permission `workspace.metafield-definition.delete`. */
      remove(id: string, query?: AdminDeleteMetafieldsDefinitionsByIdQuery, options?: CallOptions): Promise<void>;
    };
    /** Own fields of a thing. `GET /api/admin/metafields/{entityType}/{entityId}`, permission `workspace.metafield.read`. */
    list(entityType: string, entityId: string, query?: AdminGetMetafieldsByEntityTypeByEntityIdQuery, options?: CallOptions): Pages<AdminGetMetafieldsByEntityTypeByEntityIdRow>;
    /** Remove one own field of a thing: namespace.key, or the key alone where one namespace has it. `DELETE /api/admin/metafields/{entityType}/{entityId}/{key}`, permission `workspace.metafield.delete`. */
    remove(entityType: string, entityId: string, key: string, options?: CallOptions): Promise<void>;
    /** Set own fields of a thing: the named ones, all or none. `PUT /api/admin/metafields/{entityType}/{entityId}`, permission `workspace.metafield.update`. */
    replace(entityType: string, entityId: string, body: AdminPutMetafieldsByEntityTypeByEntityIdReplacement, options?: CallOptions): Pages<AdminGetMetafieldsByEntityTypeByEntityIdRow>;
  };
  notifications: {
    events: {
      /** The types of events there are. `GET /api/admin/notifications/events`, permission `workspace.notification.read`. */
      list(query?: AdminGetNotificationsEventsQuery, options?: CallOptions): Pages<AdminGetNotificationsEventsRow>;
    };
    /** Own notifications. `GET /api/admin/notifications`, permission `workspace.notification.read`. */
    list(query?: AdminGetNotificationsQuery, options?: CallOptions): Pages<AdminGetNotificationsRow>;
    read: {
      /** Mark one as read. `PUT /api/admin/notifications/{id}/read`, permission `workspace.notification.update`. */
      replace(id: string, options?: CallOptions): Promise<AdminGetNotificationsRow>;
    };
    readAll: {
      /** Mark all as read. `PUT /api/admin/notifications/read-all`, permission `workspace.notification.update`. */
      replace(options?: CallOptions): Promise<AdminPutNotificationsReadAllAnswer>;
    };
  };
  onboarding: {
    dismiss: {
      /** Put the list away. `PUT /api/admin/onboarding/dismiss`, permission `workspace.onboarding.update`. */
      replace(options?: CallOptions): Promise<AdminPutOnboardingDismissAnswer>;
    };
    /** How far the shop is set up. `GET /api/admin/onboarding/status`, permission `workspace.onboarding.read`. */
    status(options?: CallOptions): Promise<AdminPutOnboardingDismissAnswer>;
    step: {
      /** Say that a step is done, or skipped. `PUT /api/admin/onboarding/step`, permission `workspace.onboarding.update`. */
      replace(body: AdminPutOnboardingStepReplacement, options?: CallOptions): Promise<AdminPutOnboardingDismissAnswer>;
    };
  };
  settings: {
    /** One setting. `GET /api/admin/settings/{key}`, permission `workspace.setting.read`. */
    get(key: string, options?: CallOptions): Promise<AdminGetSettingsRow>;
    /** Every setting of the plugins that are on, of the active theme, and the saved views. `GET /api/admin/settings`, permission `workspace.setting.read`. */
    list(query?: AdminGetSettingsQuery, options?: CallOptions): Pages<AdminGetSettingsRow>;
    /** Change one setting; null puts the default back. `PUT /api/admin/settings/{key}`, permission `workspace.setting.update`. */
    replace(key: string, body: AdminPutSettingsByKeyReplacement, options?: CallOptions): Promise<AdminGetSettingsRow>;
    store: {
      /** What a shop is. `GET /api/admin/settings/store`, permission `workspace.setting.read`. */
      (options?: CallOptions): Promise<AdminGetSettingsStoreAnswer>;
      /** Change what a shop is; members left out stay. `PUT /api/admin/settings/store`, permission `workspace.setting.update`. */
      replace(body: AdminPutSettingsStoreReplacement, options?: CallOptions): Promise<AdminGetSettingsStoreAnswer>;
    };
  };
  uploads: {
    /** Upload a file: a multipart form of `purpose` (image, document, digital, import) and `file`. `POST /api/admin/uploads`, permission `workspace.upload.create`. */
    create(body: Upload, options?: CallOptions): Promise<AdminPostUploadsAnswer>;
    /** A form by which a browser sends one file, within 15 minutes: post the fields, then `file`, to the address. `POST /api/admin/uploads/presign`, permission `workspace.upload.create`. */
    presign(body: AdminPostUploadsPresignInput, options?: CallOptions): Promise<AdminPostUploadsPresignAnswer>;
    /** Remove an uploaded file that nothing uses, by ?key= or {key}. `DELETE /api/admin/uploads`, permission `workspace.upload.delete`. */
    remove(body?: AdminDeleteUploadsInput, query?: AdminDeleteUploadsQuery, options?: CallOptions): Promise<void>;
  };
}

export interface WorkspaceStorefront {
  analyticsConfig: {
    /** Tracking ids by the consent that each needs. `GET /api/storefront/analytics-config`. */
    get(options?: CallOptions): Promise<StorefrontGetAnalyticsConfigAnswer>;
  };
}

export interface WorkspaceSystem {
  push: {
    /** Take push messages in this browser, for staff or a customer who is signed in; the body is the browser's own subscription. `POST /api/push/subscribe`. */
    subscribe(body: SystemPostApiPushSubscribeInput, options?: CallOptions): Promise<SystemPostApiPushSubscribeAnswer>;
    unsubscribe: {
      /** Take no push messages in this browser any more. `DELETE /api/push/unsubscribe`. */
      remove(body?: SystemDeleteApiPushUnsubscribeInput, options?: CallOptions): Promise<void>;
    };
  };
  uploads: {
    /** Takes the form of uploads/presign. `POST /api/uploads/direct`. */
    direct(body: Upload, options?: CallOptions): Promise<AdminPostUploadsAnswer>;
  };
}

export type WorkspaceEvents = object;

const adminRoutes = `
auditLogs.get GET /audit-logs/{}
auditLogs.list GET /audit-logs lq
branding.get GET /branding
branding.replace PUT /branding b
metafields.definitions.create POST /metafields/definitions bk
metafields.definitions.list GET /metafields/definitions lq
metafields.definitions.remove DELETE /metafields/definitions/{} q
metafields.list GET /metafields/{}/{} lq
metafields.remove DELETE /metafields/{}/{}/{}
metafields.replace PUT /metafields/{}/{} lb
notifications.events.list GET /notifications/events lq
notifications.list GET /notifications lq
notifications.read.replace PUT /notifications/{}/read
notifications.readAll.replace PUT /notifications/read-all
onboarding.dismiss.replace PUT /onboarding/dismiss
onboarding.status GET /onboarding/status
onboarding.step.replace PUT /onboarding/step b
settings.get GET /settings/{}
settings.list GET /settings lq
settings.replace PUT /settings/{} b
settings.store GET /settings/store
settings.store.replace PUT /settings/store b
uploads.create POST /uploads buk
uploads.presign POST /uploads/presign b
uploads.remove DELETE /uploads bq
`;

const storefrontRoutes = `
analyticsConfig.get GET /analytics-config
`;

const systemRoutes = `
push.subscribe POST /api/push/subscribe b
push.unsubscribe.remove DELETE /api/push/unsubscribe b
uploads.direct POST /api/uploads/direct bu
`;

/** Routes and events of workspace. */
export const workspace: Slice<{ admin: WorkspaceAdmin; storefront: WorkspaceStorefront; system: WorkspaceSystem }, WorkspaceEvents> = { plugin: 'workspace', routes: { admin: adminRoutes, storefront: storefrontRoutes, system: systemRoutes } };

/** Routes of workspace for visitors of a shop: without those for staff and operators. */
export const workspaceStorefront: Slice<{ storefront: WorkspaceStorefront; system: WorkspaceSystem }, WorkspaceEvents> = { plugin: 'workspace', routes: { storefront: storefrontRoutes, system: systemRoutes } };
