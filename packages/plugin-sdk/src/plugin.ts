import type { Ctx } from './context.ts';
import type { BatchSubscription, EventToken, Subscription } from './event.ts';
import type { LocalText, Shape } from './field.ts';
import type { Job, PlatformJob } from './job.ts';
import { assertKnownProperties } from './known-properties.ts';
import type { ProblemType } from './problem.ts';
import { isResource, type Resource } from './resource.ts';
import type { Inbound, Route, SchemaLike } from './route.ts';
import type { PluginRouters } from './router/index.ts';
import { type AnyTable, claimTable } from './table.ts';
import type { AnyHook, Provider, TapFn } from './token.ts';

/** How a tap is ordered among the taps of its hook. */
export interface TapOptions {
  /** Orders the taps of one hook, lower first; taps of one stage run in dependency order of their plugins. Default 50. */
  stage?: number;
  /**
   * Plugins whose taps of this hook run after this one, independent of their stage. Plugins that aren't installed are ignored; taps that name
   * each other in a circle are refused at load.
   */
  before?: string | readonly string[];
}

/** One call of a hook. All callbacks of the call get the same object, so that it can be a key. */
export interface HookCall {
  /** Id of the hook, `checkout:lines.resolve`. */
  readonly hook: string;
  /** The plugin that called the hook. */
  readonly plugin: string;
  /** Null outside a tenant. */
  readonly tenantId: string | null;
  /** The request or job that the call belongs to. */
  readonly requestId: string;
}
/** Result of a tap or of a whole call. */
export type HookOutcome = 'succeeded' | 'failed' | 'timed_out';
/** How a tap, or a whole call, ended. */
export interface HookEnd {
  /** Duration in seconds. */
  readonly seconds: number;
  /** `timed_out`: the tap missed the deadline of its hook. */
  readonly outcome: HookOutcome;
}

/** Observes the calls of a hook, for traces and metrics. It can't change them; its errors are logged. */
export interface HookObserver {
  /** Before the first tap. */
  call?(call: HookCall): void;
  /** Before the tap of `plugin`. The taps of a call run one after the other. */
  tap?(call: HookCall, plugin: string): void;
  /** After the tap of `end.plugin`. */
  tapped?(call: HookCall, end: HookEnd & { readonly plugin: string }): void;
  /** After the call. */
  done?(call: HookCall, end: HookEnd): void;
}

/** Registers taps on hooks. */
export interface Taps {
  /** Adds a tap to a hook. The hook's token defines what an error or a missed deadline does (`HookOptions`). */
  on<H extends AnyHook>(hook: H, tap: TapFn<H>, options?: TapOptions): void;
  /** Adds an observer to a hook, or to all (`*`). It sees the calls of tenants for which its plugin is on. */
  intercept(hook: AnyHook | '*', observer: HookObserver): void;
}

/** An SQL file that changes the plugin's tables. */
export interface Migration {
  /** File name; identifies the migration in the ledger. */
  readonly name: string;
  /** Location of the file. */
  readonly url: URL;
}
/**
 * Lists the SQL files of the package's `migrations` folder: `migrations(import.meta.url, ['0001_init.sql'])`. The list is
 * append-only.
 */
export function migrations(base: string, files: readonly string[]): Migration[] {
  return files.map((name) => ({ name, url: new URL(`../migrations/${name}`, base) }));
}

/** Dashboard figures of a plugin. */
export interface StatsResult {
  /** Single figures. */
  metrics: Record<string, unknown>;
  /** Rows by day, for charts. */
  series?: Record<string, unknown>;
  /** Rankings and other lists. */
  lists?: Record<string, unknown>;
  /** Keys hidden from the caller. */
  masked?: string[];
}
/** A period of civil dates in the tenant's time zone. */
export interface StatsPeriod {
  /** First civil date. */
  from: string;
  /** Last civil date, included. */
  to: string;
  /** IANA time zone of the tenant. */
  timezone: string;
  /** First instant of the period. */
  start: string;
  /** First instant after the period. */
  end: string;
}
/** Calculates dashboard figures for a period. */
export type StatsProvider = (ctx: Ctx, period: StatsPeriod) => Promise<StatsResult>;

/** A screen of the administration. */
export interface Screen {
  /** Unique key within the plugin. */
  key: string;
  /** Layout of the screen. */
  kind: ScreenKind;
  /** Title by locale. */
  title: LocalText;
  /** Options of the layout. */
  options?: Readonly<Record<string, unknown>>;
}
/** Layouts of screens. */
export type ScreenKind =
  | 'board'
  | 'calendar'
  | 'detail'
  | 'form'
  | 'gallery'
  | 'kanban'
  | 'master-detail'
  | 'matrix'
  | 'report'
  | 'resource-timeline'
  | 'stat-cards'
  | 'table'
  | 'timeline'
  | 'wizard';
/** Messages by key. */
export type Messages = Record<string, string>;

/** Everything a plugin contributes. */
export interface PluginDefinition {
  /** Short name, as in package.json. */
  name: string;
  /** Settings of the plugin; `<plugin>.<name>` in the API. */
  settings?: Shape;
  /** Tables that no resource owns. */
  tables?: readonly AnyTable[];
  /** SQL files in order; append-only. */
  migrations?: readonly Migration[];
  /** Resources and routes under `/api/admin`. */
  admin?: readonly (Resource | Route)[];
  /** Resources and routes under `/api/storefront`. */
  storefront?: readonly (Resource | Route)[];
  /** Routes under `/api/super-admin`. */
  superAdmin?: readonly Route[];
  /** Routes under `/api/auth`. */
  auth?: readonly Route[];
  /** Routes outside the families, with full paths. */
  system?: readonly Route[];
  /** Notifications of providers, under `/api/webhooks`. */
  webhooks?: Readonly<Record<string, Inbound>>;
  /**
   * The escape hatch for routes that `route()` can't express: middleware, nested routers, streams. Called once at load; the routes are
   * compiled into the kernel's route table, behind the same admission as every other route.
   */
  router?(r: PluginRouters): void;
  /** Taps hooks of other plugins. */
  hooks?(taps: Taps): void;
  /** Events that the plugin publishes and handles. */
  events?: {
    /** Event types of the plugin. Those that its resources publish are declared only to make them public or to describe their data. */
    emits?: readonly EventToken[];
    /** Handlers of own and other plugins' events: `[on(orderPlaced, countOrder)]`. `everyPublicEvent` stands for all that are public. */
    on?: readonly Subscription[];
    /** Jobs that handle the events of a transaction together: `[onMany(productEvents.updated, queued.products, ({ id }) => id)]`. */
    onMany?: readonly BatchSubscription[];
    /**
     * Returns which of these types the handler of `everyPublicEvent` handles, called in the transaction that publishes them; no delivery is stored for the others.
     * Without it: all.
     */
    wants?(ctx: Ctx, types: readonly string[]): Promise<readonly string[]>;
  };
  /** Jobs by name. */
  jobs?: Readonly<Record<string, Job | PlatformJob>>;
  /** Services for other plugins. */
  provides?: readonly Provider[];
  /** Dashboard figures by name: `GET /api/admin/dashboard/<name>-stats`. */
  stats?: Readonly<Record<string, StatsProvider>>;
  /** Permissions beyond those of resources and routes: name → title. */
  permissions?: Readonly<Record<string, string>>;
  /** Problem codes of the domain. A code is never reused with another meaning. */
  errors?: Readonly<Record<string, ProblemType>>;
  /** Demo data. Runs through services and routes, and must be safe to repeat. */
  seeds?: { demo?(ctx: Ctx): Promise<void> };
  /** Screens of the administration. */
  screens?: readonly Screen[];
  /** Messages by locale. */
  locales?: { ro: Messages; en: Messages; [locale: string]: Messages };
  /** Schemas of the plugin's public documents, for OpenAPI. */
  schemas?: Readonly<Record<string, SchemaLike>>;
}

/** A plugin, as `definePlugin` returns it. */
export interface Plugin extends Readonly<PluginDefinition> {
  /** Version of the plugin contract. */
  readonly contract: 1;
}

const properties: Readonly<Record<keyof PluginDefinition, true>> = {
  name: true,
  settings: true,
  tables: true,
  migrations: true,
  admin: true,
  storefront: true,
  superAdmin: true,
  auth: true,
  system: true,
  webhooks: true,
  router: true,
  hooks: true,
  events: true,
  jobs: true,
  provides: true,
  stats: true,
  permissions: true,
  errors: true,
  seeds: true,
  screens: true,
  locales: true,
  schemas: true,
};
const eventProperties: Readonly<Record<keyof NonNullable<PluginDefinition['events']>, true>> = {
  emits: true,
  on: true,
  onMany: true,
  wants: true,
};

/**
 * Defines a plugin as one frozen value: the kernel reads everything it contributes without running it.
 *
 * @throws Error for an unknown property
 */
export function definePlugin(definition: PluginDefinition): Plugin {
  const what = `definePlugin of ${definition.name}`;
  // A defined plugin may be part of the definition of another one.
  assertKnownProperties(what, definition, { ...properties, contract: true });
  assertKnownProperties(`${what}, events`, definition.events ?? {}, eventProperties);
  for (const owned of definition.tables ?? []) claimTable(definition.name, owned);
  for (const item of [...(definition.admin ?? []), ...(definition.storefront ?? [])]) {
    if (!isResource(item)) continue;
    for (const owned of item.tables()) claimTable(definition.name, owned);
  }
  return Object.freeze({ ...definition, contract: 1 });
}
