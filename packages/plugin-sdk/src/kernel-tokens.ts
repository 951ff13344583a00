import type { Readable } from 'node:stream';
import type { Ctx } from './context.ts';
import type { Screen } from './plugin.ts';
import { bail, collect, series, service } from './token.ts';

/** Whose data is meant: any of these names the person. */
export interface Person {
  customerId?: string;
  userId?: string;
  emails: string[];
  phones: string[];
}
/** Rows of one resource on a person, and the documents that belong to them. */
export interface PersonExport {
  resource: string;
  rows: Record<string, unknown>[];
  /** Opened inside the transaction, where files are wanted. */
  files?: { name: string; open(): Promise<Buffer> }[];
}
export const peopleExport = collect<Person, PersonExport>('kernel:people.export', {
  deadline: 60_000,
});
/** Safe to repeat. Each tap reports what it erased through `report`. */
export const peopleErase = series<
  Person & { report(entry: { resource: string; erased: number; kept?: { count: number; reason: string; until: string } }): void }
>('kernel:people.erase', { deadline: 60_000 });
/** A time at which somebody is taken, half-open and without a reason. */
export interface BusyTime {
  /** Of the two, what the plugin knows of the person; the e-mail address in lower case. */
  userId?: string;
  email?: string;
  /** Instants. */
  start: string;
  end: string;
  /** `<plugin>.<resource>` of what takes the time. */
  kind: string;
}
/**
 * When people are taken, asked of every plugin that books them, for times that overlap `[from, to)`. People are named by user, else by
 * e-mail address. The answer is advice: it is read without a lock, and a plugin that fails to answer is left out.
 * `busyElsewhere` of `/calendar` asks, and knows whose is whose.
 */
export const calendarBusy = collect<
  {
    from: string;
    to: string;
    people: { userId?: string; email?: string }[];
    /** The plugin that asks, which knows its own times: it answers itself with nothing. */
    by?: string;
  },
  BusyTime
>('kernel:calendar.busy', { policy: 'skip' });
export const invoicingDraft = bail<
  { source: { type: string; id: string }; lines: { description: string; quantity: string; amount: number }[]; currency: string },
  { id: string; number: string | null }
>('kernel:invoicing.draft');

/** A person and all by which their traces are known. */
export interface PersonTraces extends Person {
  /** Names, streets, companies: erased where one is the whole of a text. */
  texts: string[];
  report(entry: { resource: string; erased: number }): void;
}
/** For foundation plugins: what the kernel itself keeps on a person, in mails, events and notifications of providers. */
export interface PersonalData {
  export(ctx: Ctx, person: Person): Promise<PersonExport[]>;
  /** Safe to repeat. */
  erase(ctx: Ctx, traces: PersonTraces): Promise<void>;
}
export const personalData = service<PersonalData>('kernel:personal-data');

export interface Mail {
  to: string;
  /** `<plugin>.<name>`: subject and body are the messages `mail.<name>.subject` and `mail.<name>.text` of the plugin's locales, with `{member}` filled from data. */
  template: string;
  locale?: string;
  data: Record<string, unknown>;
  /** `content` in base64. */
  attachments?: { name: string; type: string; content: string }[];
  /**
   * Of every mail that nobody asked for: the address that ends mails of its kind by a POST of `List-Unsubscribe=One-Click`, without signing in
   * (RFC 8058). It becomes `List-Unsubscribe` and `List-Unsubscribe-Post`.
   */
  unsubscribe?: string;
  /** One mail a key. */
  key: string;
}
export interface Mailer {
  /** Queues one mail a key in the caller's transaction. */
  send(mail: Mail): Promise<void>;
  readonly configured: boolean;
}
export const mailer = service<Mailer>('kernel:mailer');

export interface StoredFile {
  key: string;
  size: number;
  contentType: string;
}
export interface FileRecord {
  key: string;
  name: string;
  contentType: string;
  size: number;
  public: boolean;
  purpose: string | null;
  createdAt: string;
}
export interface Files {
  /** A key for bytes that are stored later, with the extension of the name. */
  newKey(name: string): string;
  /** Stores bytes under a new key of the tenant's prefix, or under one of `newKey`. `public` files have a URL. */
  put(
    content: Readable | Buffer,
    options: { name: string; contentType: string; public: boolean; purpose?: string | null; key?: string },
  ): Promise<StoredFile>;
  /**
   * A form by which a browser sends one private file of exactly this size to the storage itself; undefined where the storage is the local
   * disk. The file is there, for `find`, `exists` and `open`, once it was sent.
   */
  presign(file: {
    name: string;
    contentType: string;
    size: number;
    purpose?: string | null;
    seconds: number;
  }): Promise<{ url: string; fields: Record<string, string>; key: string; expiresAt: string } | undefined>;
  open(key: string): Promise<{ stream: Readable; size: number; contentType: string; name: string }>;
  find(key: string): Promise<FileRecord | undefined>;
  remove(key: string): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** Path on the tenant's host of a public file. */
  url(key: string): string;
}
export const files = service<Files>('kernel:files');
/** Who shows or sells an uploaded file: every plugin that keeps keys or addresses of files says how often, by the path of the resource. */
export const fileUses = collect<{ key: string; url: string }, { resource: string; count: number }>('kernel:files.uses');

export interface GuardedHttp {
  /** Whether `fetch` would connect now: 422 `validation_failed` with the same codes where not. For an address that is to be kept. */
  check(url: string): Promise<void>;
  /** fetch through the guard: public https addresses only, no redirects, size and time capped. */
  fetch(
    url: string,
    options?: {
      method?: string;
      headers?: Record<string, string>;
      body?: string | Buffer;
      timeoutMs?: number;
      maxBytes?: number;
    },
  ): Promise<{ status: number; headers: Record<string, string>; body: Buffer }>;
}
export const http = service<GuardedHttp>('kernel:http');

/** For foundation plugins: identity's answer to the pipeline. */
export interface Authenticated {
  tenantId: string | null;
  actor:
    | { type: 'staff'; userId: string; permissions: readonly string[]; authAt?: string }
    | { type: 'customer'; customerId: string; authAt: string }
    | { type: 'operator'; userId: string };
  sessionId: string;
}
export type Audience = 'admin' | 'storefront' | 'super-admin';
/** The cookies that carry the refresh token, one an audience: an admin and a shop may share a host. */
export const sessionCookieNames: Readonly<Record<Audience, string>> = Object.freeze({
  storefront: 'storeloom_session',
  admin: 'storeloom_admin',
  'super-admin': 'storeloom_super_admin',
});
/** The cookie that carries the token of a guest's cart. */
export const cartCookieName = 'cart';
export interface Authenticator {
  /** Undefined: not a valid token of this audience. Called outside any transaction. */
  authenticate(token: string, audience: Audience): Promise<Authenticated | undefined>;
  /** The CSRF token that belongs to a session cookie or cart cookie. */
  checkCsrf(cookies: Readonly<Record<string, string>>, header: string | undefined): boolean;
  /** Bearer-equivalent of the session cookie, for cookie-carried credentials. */
  tokenOfCookie?(cookies: Readonly<Record<string, string>>, audience: Audience): string | undefined;
}
export const authenticator = service<Authenticator>('kernel:authenticator');

export interface TenantRecord {
  id: string;
  slug: string;
  name: string;
  status: string;
  hosts: string[];
  timezone: string;
  currency: string;
  locales: string[];
  defaultLocale: string;
  priceMode: 'gross' | 'net';
  planId: string | null;
  nichePackageId: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}
export interface Decision {
  plugin: string;
  on: boolean;
  why: string;
}
export interface NicheRecord {
  id: string;
  code: string;
  name: Record<string, string>;
  /** `{items}`: what a dashboard begins with. */
  preset: Record<string, unknown> | null;
}
export interface Tenants {
  list(): Promise<TenantRecord[]>;
  get(id: string): Promise<TenantRecord | undefined>;
  bySlug(slug: string): Promise<TenantRecord | undefined>;
  niche(by: { id: string } | { code: string }): Promise<NicheRecord | undefined>;
  create(values: {
    name: string;
    slug: string;
    hosts: string[];
    planId?: string | null;
    nichePackageId?: string | null;
    timezone?: string;
    currency?: string;
    locales?: string[];
    defaultLocale?: string;
    priceMode?: 'gross' | 'net';
    status?: string;
  }): Promise<TenantRecord>;
  /** Felt by every process on its next request. */
  update(id: string, change: Partial<Omit<TenantRecord, 'id' | 'createdAt' | 'updatedAt' | 'version'>>): Promise<TenantRecord>;
}
export const tenants = service<Tenants>('kernel:tenants');

export interface Decisions {
  /** The decision for every plugin of the installation. */
  all(tenantId: string): Promise<Decision[]>;
  /** The tenant's own switch; null leaves it to plan and niche. */
  setSwitch(tenantId: string, plugin: string, enabled: boolean | null): Promise<void>;
  switches(tenantId: string): Promise<Record<string, boolean>>;
  overrides(tenantId: string): Promise<{ plugin: string; enabled: boolean; reason: string }[]>;
  setOverride(tenantId: string, plugin: string, enabled: boolean, reason: string): Promise<void>;
  removeOverride(tenantId: string, plugin: string): Promise<boolean>;
}
export const decisions = service<Decisions>('kernel:decisions');

export interface PluginStateRecord {
  name: string;
  package: string;
  version: string | null;
  state: 'not_installed' | 'incompatible' | 'unlicensed' | 'blocked' | 'failed' | 'ready';
  reason: { code: string; message: string } | null;
  entitlement: string;
  foundation: boolean;
  requires: string[];
}
export interface PluginStates {
  all(): PluginStateRecord[];
  /** Screens that a loaded plugin brings for the administration. */
  screens(plugin: string): readonly Screen[];
}
export const pluginStates = service<PluginStates>('kernel:plugin-states');

export interface SettingEntry {
  /** `<plugin>.<name>`. */
  key: string;
  value: unknown;
  schema: Record<string, unknown>;
  version: number;
  store: boolean;
}
export interface SettingsRegistry {
  /** Settings of plugins that are on; secrets masked. */
  all(ctx: Ctx): Promise<SettingEntry[]>;
  get(ctx: Ctx, key: string): Promise<SettingEntry | undefined>;
  /** 422 by the schema, 412 by `version`. Sending a mask back changes nothing. */
  put(ctx: Ctx, key: string, value: unknown, version?: number): Promise<SettingEntry>;
  ofPlugin(
    ctx: Ctx,
    plugin: string,
  ): Promise<{ settings: Record<string, unknown>; schema: Record<string, unknown>; version: number } | undefined>;
  putPlugin(ctx: Ctx, plugin: string, values: Record<string, unknown>, version?: number): Promise<void>;
  /** Every `.store()` setting of the loaded plugins, of those that are off too. */
  storeFields(): readonly { plugin: string; name: string }[];
}
export const settingsRegistry = service<SettingsRegistry>('kernel:settings-registry');

export interface Permissions {
  /** Every permission that plugins declare: name → plugin and title. */
  all(): readonly { name: string; plugin: string; title: string }[];
}
export const permissions = service<Permissions>('kernel:permissions');

export interface AuditLog {
  list(
    ctx: Ctx,
    query: {
      limit: number;
      cursor?: string;
      entity?: string;
      entityId?: string;
      actor?: string;
      action?: string;
      from?: string;
      to?: string;
    },
  ): Promise<{ rows: Record<string, unknown>[]; nextCursor: string | null }>;
  get(ctx: Ctx, id: string): Promise<Record<string, unknown> | undefined>;
}
export const auditLog = service<AuditLog>('kernel:audit-log');

export interface EventCatalogue {
  /** `sample`: data of such an event, made up by its fields. */
  all(): readonly { type: string; plugin: string; public: boolean; title: string | null; sample: Record<string, unknown> }[];
}
export const eventLog = service<EventCatalogue>('kernel:event-log');

/** A plugin's figures for the dashboard. */
export interface StatsEntry {
  /** `abandoned-cart`: the route is `/dashboard/abandoned-cart-stats`. */
  name: string;
  plugin: string;
  permission: string;
  /** The plugin's message `stats.<name>.title`, else its title. */
  title: Record<string, string>;
}
export interface StatsCatalogue {
  /** Of every loaded plugin, also of those that are off. */
  all(): readonly StatsEntry[];
  /** What the figure's route answers. Undefined: there is none of the name, its plugin is off, or the caller may not see it. */
  read(
    ctx: Ctx,
    name: string,
    query: { from: string | null; to: string | null },
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
}
export const statsCatalogue = service<StatsCatalogue>('kernel:stats-catalogue');

export interface Queues {
  all(
    tenantId: string,
  ): Promise<{ name: string; waiting: number; active: number; delayed: number; failed: number; paused: boolean }[]>;
  /** Of all tenants together. */
  totals(): Promise<{ waiting: number; active: number; delayed: number; failed: number }>;
}
export const queues = service<Queues>('kernel:queues');

export interface LicenceView {
  state: 'none' | 'valid' | 'renewal_due' | 'grace' | 'expired' | 'revoked';
  plan: string | null;
  plugins: Record<string, string>;
  /** `tenants`, `stores` (open to shoppers), `seats`. */
  limits: Record<string, number>;
  /** A shop's new hosts are these or below them; empty: any. */
  domains: string[];
  expiresAt: string | null;
  updatesUntil: string | null;
  installation: string;
  /** Theme → range of versions. */
  themes: Record<string, string>;
  /** The end of the activation key; null for a licence without one. */
  keyMasked: string | null;
  lastHeartbeatAt: string | null;
}
/** The licence of the installation. What asks a licence server is called outside any transaction. */
export interface Licence {
  view(): LicenceView;
  /** Why the stored licence was refused. */
  problem(): { code: string; message: string } | undefined;
  /** Whether a theme may be put on; `installed`: it was on before. */
  coversTheme(theme: { name: string; version: string }, installed?: boolean): { ok: true } | { ok: false; message: string };
  /**
   * An activation key, or a certificate that was made for this installation.
   * @throws Problem `activation_limit`, `license_required {reason}`, `validation_failed`, `provider_not_configured`, `unavailable`
   */
  activate(key: string): Promise<LicenceView>;
  /** @throws Problem `unavailable` (the state says since when), `no_activation` */
  heartbeat(): Promise<LicenceView>;
  /** Takes effect here at once; the server hears of it as soon as it can be reached. */
  deactivate(): Promise<LicenceView>;
  /** What is due: a heartbeat, word of a deactivation, the newest time seen. Called hourly by one process. */
  tend(seen: { newestOrderAt: string | null }): Promise<void>;
}
export const licence = service<Licence>('kernel:licence');

/** Keys by which this installation issues licences to others. */
export interface LicenceIssuer {
  /** `iss` of what it signs. */
  readonly id: string;
  /** Public keys, the current one and the next first. */
  keys(): { kid: string; x: string }[];
  sign(type: string, claims: Record<string, unknown>): Promise<string>;
  /** The list of public keys, once a key that still signs it. `at` in milliseconds. */
  keyLists(at: number): Promise<string[]>;
}
export const licenceIssuer = service<LicenceIssuer>('kernel:licence-issuer');

/** Keys of the installation, for identity and platform. */
export interface Keyring {
  /** EdDSA JWT with `kid` of the audience's key set. `expiresIn` in seconds. */
  issue(keySet: string, claims: Record<string, unknown>, options: { type: string; expiresIn: number }): Promise<string>;
  /** Claims of a valid token of the key set and type; undefined for anything else. */
  verify(keySet: string, token: string, options: { type: string }): Promise<Record<string, unknown> | undefined>;
  /** The installation's pair for web push (VAPID, P-256): public key as an uncompressed point, private key as its scalar, base64url. */
  pushKeys(): { publicKey: string; privateKey: string };
}
export const keyring = service<Keyring>('kernel:keyring');
export interface SetupToken {
  /** Constant-time comparison. */
  matches(token: string | undefined): boolean;
}
export const setupToken = service<SetupToken>('kernel:setup-token');

/** What RATE_LIMIT_FACTOR says, for limits that aren't a route's: 1 as documented, 0 off. */
export interface RateLimits {
  readonly factor: number;
}
export const rateLimits = service<RateLimits>('kernel:rate-limits');

/** Figures of `/metrics` that a foundation plugin tells. */
export interface PluginMetrics {
  /** One try of a webhook. */
  webhookDelivery(outcome: 'succeeded' | 'retrying' | 'dead'): void;
}
export const pluginMetrics = service<PluginMetrics>('kernel:metrics');

/** A theme of the installation, with what it takes from its parents. */
export interface ThemeRecord {
  name: string;
  package: string;
  version: string | null;
  /** Key in the licence's themes. */
  entitlement: string;
  /** The storefront's own, which needs no licence. */
  foundation: boolean;
  /** What a shop has before it chooses. */
  isDefault: boolean;
  title: Record<string, string>;
  /** Design tokens in groups, each with a `$value`. */
  tokens: Record<string, unknown>;
  /** JSON Schema of its settings. */
  settings: Record<string, unknown>;
  templates: string[];
  /** Sections that staff may place, each with the JSON Schema of its settings and the templates that it may stand on (null: all). */
  sections: Record<string, { settings: Record<string, unknown>; enabledOn: string[] | null }>;
  /** Sections that a template shows while nothing is saved for it. */
  presets: Record<string, { type: string; settings: Record<string, unknown> }[]>;
  /** Why it can't be put on; empty where it can. */
  problems: readonly { code: string; message: string }[];
}
export interface ThemeCatalogue {
  all(): readonly ThemeRecord[];
}
export const themeCatalogue = service<ThemeCatalogue>('kernel:theme-catalogue');
