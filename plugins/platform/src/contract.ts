import { collect, type SettingEntry, service } from '@storeloom/plugin-sdk';

/** A service outside the shop, as `GET /api/admin/integrations/` shows it. No secrets. */
export interface Integration {
  /** `payment-a`, `carrier-b`, `mail`. */
  code: string;
  kind: 'payment' | 'carrier' | 'marketplace' | 'mail' | 'tax' | 'storage' | 'search' | 'other';
  /** Has what it needs to work. */
  configured: boolean;
  enabled: boolean;
  /** Null: not known, for instance never used. */
  healthy: boolean | null;
  lastError: string | null;
}

/** Every plugin that talks to an outside service adds a row for each. */
export const integrationsCollect = collect<Record<never, never>, Integration>('platform:integrations.collect', {
  policy: 'skip',
});

/** Who is asked about: `key` keeps a partial roll-out stable, `attributes` are what rules name. */
export interface FlagSubject {
  key?: string;
  attributes?: Readonly<Record<string, string>>;
}
export interface Flags {
  /** The shop's own flag; one that it doesn't have is what its plan says of the feature, else off. */
  isOn(name: string, subject?: FlagSubject): Promise<boolean>;
}
export const flags = service<Flags>('platform:flags');

/** What other plugins tell a storefront through `tenant-config`: public, no secret. */
export interface TenantConfigPart {
  branding?: Record<string, unknown> | null;
  pushPublicKey?: string | null;
}
export const tenantConfigCollect = collect<Record<never, never>, TenantConfigPart>('platform:tenant-config.collect', {
  policy: 'skip',
});

export interface ActiveThemeView {
  name: string;
  version: string | null;
  templates: readonly string[];
  /** Sections that staff may place, each with the JSON Schema of its settings and the templates that it may stand on (null: all). */
  sections: Readonly<Record<string, { settings: Record<string, unknown>; enabledOn: readonly string[] | null }>>;
  /** Sections that a template shows while nothing is saved for it. */
  presets: Readonly<Record<string, readonly { type: string; settings: Record<string, unknown> }[]>>;
  settings: Readonly<Record<string, unknown>>;
}
export interface Themes {
  /** What the shop is drawn with; undefined where the installation has no theme. */
  active(): Promise<ActiveThemeView | undefined>;
  /**
   * What is stored for a value: checked by a theme's JSON Schema, texts marked `x-translatable` by language, HTML
   * (`contentMediaType: text/html`) sanitised, rows marked `x-ref: <plugin>.<resource>` looked up; an address (`format: uri`) is of http,
   * https, mailto or tel. These marks are followed through `properties` and `items`, no further. Null members count as left out.
   * @throws Problem 422 with pointers below `at`, 404 for a row that isn't there
   */
  read(schema: Readonly<Record<string, unknown>>, value: unknown, at: string): Promise<unknown>;
  /** As a visitor gets it: members that the schema names and no others, the default for what is missing or fits no more, texts in one language. */
  shown(schema: Readonly<Record<string, unknown>>, value: unknown): unknown;
  /** Settings of the active theme, keys `theme.<name>`. */
  settings(): Promise<SettingEntry[]>;
  /** Null puts the default back. Undefined: the active theme has no such setting. 422 with pointers below `/value`, 412 by `version`. */
  putSetting(key: string, value: unknown, version?: number): Promise<SettingEntry | undefined>;
}
export const themes = service<Themes>('platform:themes');

/** A token of the package registry. One that installs belongs to a licence, one that publishes names what it may publish. */
export interface RegistryToken {
  id: string;
  kind: 'install' | 'publish';
  licenseId: string | null;
  /** Names of packages, or `@scope/*`. */
  packages: readonly string[] | null;
  name: string;
  createdAt: string;
  revokedAt: string | null;
}
/** For the installation that issues licences; asked as the platform, outside any tenant. */
export interface RegistryTokens {
  /** The live token of a licence, made where it has none. @throws Problem 404 */
  ofLicence(licenseId: string): Promise<string>;
  /** A token that publishes. It is shown this once. @throws Problem 422 */
  publisher(publisher: { name: string; packages: readonly string[] }): Promise<{ id: string; token: string }>;
  all(): Promise<RegistryToken[]>;
  /** False where no live token has the id. */
  revoke(id: string): Promise<boolean>;
}
export const registryTokens = service<RegistryTokens>('platform:registry-tokens');

/** A tenant as the operator sees it. */
export interface OperatedTenant {
  id: string;
  slug: string;
  name: string;
  status: string;
  hosts: string[];
  createdAt: string;
}
/** What the operator does with tenants on the command line; asked as the platform, outside any tenant. */
export interface TenantOperations {
  /**
   * Creates a tenant and sends its owner an invitation. `plan`: code; can be left out while there is one open plan.
   * @throws Problem 422, 409 `duplicate`, 403 `license_required` or `quota_exceeded`
   */
  create(tenant: {
    name: string;
    slug: string;
    hosts: readonly string[];
    ownerEmail: string;
    plan?: string | undefined;
    nichePackage?: string | undefined;
  }): Promise<OperatedTenant>;
  /** The newest first. */
  list(): Promise<OperatedTenant[]>;
  /** Replaces the hosts of a tenant by what the function returns for the present ones. @throws Problem 404, 409, 422, 403 */
  changeHosts(slug: string, change: (hosts: readonly string[]) => string[]): Promise<OperatedTenant>;
}
export const tenantOperations = service<TenantOperations>('platform:tenant-operations');

/** What the operator who issues licences does on the command line; asked as the platform, outside any tenant. */
export interface LicenceDesk {
  /**
   * The certificate of a licence for an installation that can't reach the licence server. It takes an activation, once an installation.
   * @throws Problem 404, 422, 409 `activation_limit`
   */
  certificate(licenseId: string, installation: string): Promise<string>;
  /**
   * Moves the end of a licence to a later day (`2027-12-31`, inclusive, UTC), and the update period with it unless another day is given;
   * the update period never gets shorter.
   * @throws Problem 404, 422
   */
  extend(
    licenseId: string,
    days: { until: string; updatesUntil?: string | undefined },
  ): Promise<{ expiresAt: string; updatesUntil: string }>;
}
export const licenceDesk = service<LicenceDesk>('platform:licence-desk');
