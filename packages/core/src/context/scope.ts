import type { Tx } from '@storeloom/data';
import type { Actor, AuditEntry, Tenant } from '@storeloom/plugin-sdk';
import type { StatusChange } from '../audit/status-history.ts';
import type { PluginContext } from './context.ts';

/** A unit of work: a request, a job, an event. Each plugin sees it through its own `Ctx`. */
export interface Scope {
  readonly tenant: Tenant | null;
  readonly hostTenant: Tenant | null;
  readonly actor: Actor;
  readonly tokens: { cart?: string; order?: string; manage?: string };
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly locale: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly on: (plugin: string) => boolean;
  /** Plugins that the tenant has on and that aren't ready: calls that need one fail. */
  readonly unavailable: ReadonlySet<string>;
  /** Permission of the route, the default action of audit rows. */
  readonly action: string | null;
  tx: Tx | null;
  /** Identifies the transaction that the scope runs or waits for. A scope has one at a time. */
  claim: object | null;
  /** Collected in this unit of work, written right before its commit. */
  audit: (AuditEntry & { actor: Actor })[];
  history: StatusChange[];
  events: { plugin: string; type: string; aggregate: string; data: Record<string, unknown> }[];
  contexts: Map<string, PluginContext>;
  services: Map<string, unknown>;
}

/** Of a scope without a tenant. */
export const noPlugins: ReadonlySet<string> = new Set();

/** Returns the scope of other work in the same transaction, with its own actor. Call it inside the transaction. */
export const sharedScope = (scope: Scope, actor: Actor): Scope => ({ ...scope, actor, contexts: new Map(), services: new Map() });

/** Returns the initial state of a scope. */
export const initialState = (): Pick<Scope, 'tx' | 'claim' | 'audit' | 'history' | 'events' | 'contexts' | 'services'> => ({
  tx: null,
  claim: null,
  audit: [],
  history: [],
  events: [],
  contexts: new Map(),
  services: new Map(),
});
