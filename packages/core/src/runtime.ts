import type { Actor, AnyTable, Ctx, Db, Decision, Plugin, PluginStateRecord, RequestTokens, Tenant } from '@storeloom/plugin-sdk';
import type { PoolClient } from 'pg';

/** What the modules of the kernel share. Read `kernel.ts` for the order in which they meet. */

/** What is read of an installed plugin's package.json before any of its code runs. */
export interface Manifest {
  /** npm name. */
  readonly package: string;
  readonly version: string;
  /** Short name, `catalog`. */
  readonly name: string;
  readonly entitlement: string;
  readonly foundation: boolean;
  readonly upgradesFrom: string | null;
  /** Range on @storeloom/plugin-sdk. */
  readonly sdkRange: string | null;
  /** Required plugins: short name of the package → range. */
  readonly requires: readonly { package: string; name: string; range: string }[];
  readonly optional: readonly { package: string; name: string; range: string }[];
  /** Folder of the package. */
  readonly dir: string;
  /** Address of the module to import. */
  readonly entry: string;
}

export interface LoadedPlugin {
  readonly manifest: Manifest;
  readonly plugin: Plugin;
}

export interface Registry {
  /** Ready plugins in dependency order. */
  readonly loaded: readonly LoadedPlugin[];
  readonly byName: ReadonlyMap<string, LoadedPlugin>;
  /** Every plugin of the installation with its state. */
  states(): readonly PluginStateRecord[];
}

/** One unit of work: a request, a job, an event. Plugins see it as `Ctx`. */
export interface Scope {
  readonly tenant: Tenant | null;
  readonly actor: Actor;
  readonly tokens: RequestTokens;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly locale: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Decisions of the tenant: plugin → on. */
  readonly on: (plugin: string) => boolean;
  /** The open transaction; null between transactions. */
  tx: Tx | null;
  /** Permission of the route, the default action of audit rows. */
  action: string | null;
  /** Entities audited in this unit of work. */
  audited: number;
}

export interface Tx {
  readonly db: Db;
  readonly client: PoolClient;
  readonly readOnly: boolean;
  readonly onCommit: (() => void | Promise<void>)[];
  readonly dropTags: Set<string>;
}

export interface DecisionSource {
  all(tenantId: string): Promise<Decision[]>;
}

/** Makes the context of one plugin for a scope. */
export type ContextOf = (plugin: string, scope: Scope) => Ctx;

export type { AnyTable };
