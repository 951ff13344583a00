import type { Ctx, PlatformCtx } from './context.ts';
import type { Shape } from './field.ts';
import type { ProblemType } from './problem.ts';
import { isResource, type Resource } from './resource.ts';
import type { Inbound, Route, SchemaLike } from './route.ts';
import type { PluginRouters } from './router/index.ts';
import { type AnyTable, claimTable } from './table.ts';
import type { AnyHook, Provider, TapFn } from './token.ts';

export interface Taps {
  /** `stage` orders the taps of one hook (default 50). */
  on<H extends AnyHook>(hook: H, tap: TapFn<H>, options?: { stage?: number }): void;
}

export interface EventType {
  /** Webhooks may subscribe; its payload is covered by the stability promise. */
  public?: boolean;
  title?: string;
  data: Shape;
}
export interface DomainEvent<D = Record<string, unknown>> {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly aggregate: string;
  readonly sequence: number;
  readonly data: D;
}
export type EventHandler = (ctx: Ctx, event: DomainEvent) => Promise<void>;

export interface Job {
  /** Cron in the tenant's zone (`perTenant`) or UTC. */
  cron?: string;
  perTenant?: boolean;
  platform?: undefined;
  retryLimit?: number;
  /** `none`: no transaction open; the job opens its own. Default: one tenant transaction, settled with the job. */
  transaction?: 'none';
  run(ctx: Ctx, data: Record<string, unknown>): Promise<void>;
}
export interface PlatformJob {
  cron?: string;
  platform: true;
  retryLimit?: number;
  run(ctx: PlatformCtx, data: Record<string, unknown>): Promise<void>;
}

export interface Migration {
  readonly name: string;
  /** Address of the SQL file. */
  readonly url: URL;
}
/** `migrations(import.meta.url, ['0001_init.sql'])`: an explicit, append-only list of files in the package's `migrations` folder. */
export function migrations(base: string, files: readonly string[]): Migration[] {
  return files.map((name) => ({ name, url: new URL(`../migrations/${name}`, base) }));
}

export interface StatsResult {
  metrics: Record<string, unknown>;
  series?: Record<string, unknown>;
  lists?: Record<string, unknown>;
  masked?: string[];
}
/** Civil dates of the tenant's zone, both included, and the instants that bound them (half-open). */
export interface StatsPeriod {
  from: string;
  to: string;
  timezone: string;
  start: string;
  end: string;
}
export type StatsProvider = (ctx: Ctx, period: StatsPeriod) => Promise<StatsResult>;

export interface Screen {
  key: string;
  kind: string;
  title: Record<string, string>;
  [option: string]: unknown;
}
export type Messages = Record<string, string>;

export interface PluginDefinition {
  name: string;
  settings?: Shape;
  /** Tables without routes of their own; those of resources are taken from the resources. */
  tables?: readonly AnyTable[];
  migrations?: readonly Migration[];
  admin?: readonly (Resource | Route)[];
  storefront?: readonly (Resource | Route)[];
  superAdmin?: readonly Route[];
  /** Under `/api/auth`. */
  auth?: readonly Route[];
  /** Full paths outside the families. */
  system?: readonly Route[];
  /** Under `/api/webhooks`. */
  webhooks?: Readonly<Record<string, Inbound>>;
  /**
   * The escape hatch for routes that `route()` can't express: middleware, nested routers, streams. Called once at load; the routes are
   * compiled into the kernel's route table, behind the same admission as every other route.
   */
  router?(r: PluginRouters): void;
  hooks?(taps: Taps): void;
  events?: {
    emits?: Readonly<Record<string, EventType>>;
    /** `on['*']` hears every public event of every plugin. */
    on?: Readonly<Record<string, EventHandler>>;
    /**
     * Which of some types `on['*']` is to hear, asked in the transaction that announces them: nothing is kept for the others.
     * Without it: all.
     */
    wants?(ctx: Ctx, types: readonly string[]): Promise<readonly string[]>;
  };
  jobs?: Readonly<Record<string, Job | PlatformJob>>;
  provides?: readonly Provider[];
  stats?: Readonly<Record<string, StatsProvider>>;
  /** Permissions beyond those of resources and routes: name → title. */
  permissions?: Readonly<Record<string, string>>;
  /** Domain codes: status and title. Never reused with another meaning. */
  errors?: Readonly<Record<string, ProblemType>>;
  seeds?: { demo?(ctx: Ctx): Promise<void> };
  screens?: readonly Screen[];
  locales?: { ro: Messages; en: Messages; [locale: string]: Messages };
  /** Schemas of the plugin's public documents, for OpenAPI. */
  schemas?: Readonly<Record<string, SchemaLike>>;
}

export interface Plugin extends Readonly<PluginDefinition> {
  readonly contract: 1;
}

/** Behaviour as one frozen value: the kernel reads all that a plugin contributes without running it. */
export function definePlugin(definition: PluginDefinition): Plugin {
  for (const owned of definition.tables ?? []) claimTable(definition.name, owned);
  for (const item of [...(definition.admin ?? []), ...(definition.storefront ?? [])]) {
    if (!isResource(item)) continue;
    for (const owned of item.tables()) claimTable(definition.name, owned);
  }
  return Object.freeze({ ...definition, contract: 1 });
}
