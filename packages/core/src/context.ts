import type {
  Actor,
  AnyHook,
  AuditEntry,
  Clock,
  CreateOf,
  Ctx,
  Db,
  EnqueueOptions,
  Entities,
  HookInput,
  HookResult,
  Log,
  Rows,
  Service,
  Shape,
  Table,
  Tenant,
} from '@storeloom/plugin-sdk';
import { Problem, type RowsHost, rowsOf, uuidv7 } from '@storeloom/plugin-sdk';
import type { ConfigurationMemory } from './database/configuration-memory.ts';
import type { Database, UnitOptions } from './database/database.ts';
import { callHook, type HookHost, type Tap } from './hooks.ts';
import { UnitEntities } from './orm/entities.ts';
import type { UnitEntityManager } from './orm/entity-manager.ts';
import type { Orm } from './orm/orm.ts';
import type { Tx } from './runtime.ts';
import type { Scope } from './scope.ts';

/** What contexts need of the kernel. */
export interface ContextHost {
  readonly database: Database;
  readonly memory: ConfigurationMemory;
  readonly orm: Orm;
  readonly clock: Clock;
  readonly log: Log;
  readonly entities: (scope: Scope) => Entities;
  readonly taps: ReadonlyMap<string, readonly Tap[]>;
  /** Service id → provider. */
  readonly services: ReadonlyMap<string, { plugin: string | null; make: (ctx: never) => unknown }>;
  settingsOf<S extends Shape>(tenantId: string, plugin: string, shape: S, db?: Db): CreateOf<S>;
  saveSettings(ctx: Ctx, plugin: string, values: Record<string, unknown>): Promise<void>;
  /** Throws for an event that the plugin doesn't declare. */
  checkEvent(plugin: string, type: string): void;
  enqueue(scope: Scope, plugin: string, job: string, data: Record<string, unknown>, options: EnqueueOptions): Promise<void>;
  seal(text: string): string;
  unseal(sealed: string): string;
  sign(purpose: string, text: string): string;
  scopeOf(tenantId: string, actor: Actor, from?: Scope): Promise<Scope>;
  /** Runs right before a commit: what must be written last. */
  beforeCommit(scope: Scope, tx: Tx): Promise<void>;
  onHookFault: HookHost['onFault'];
  onHookCall?: HookHost['onCall'];
  isExpected(error: unknown): boolean;
}

/** The context of one plugin in one unit of work. */
export class PluginContext {
  readonly plugin: string;
  readonly scope: Scope;
  readonly host: ContextHost;
  private entitiesCache: Entities | undefined;
  constructor(host: ContextHost, plugin: string, scope: Scope) {
    this.host = host;
    this.plugin = plugin;
    this.scope = scope;
  }
  get tenant(): Tenant | null {
    return this.scope.tenant;
  }
  get hostTenant(): Tenant | null {
    return this.scope.hostTenant;
  }
  get actor(): Actor {
    return this.scope.actor;
  }
  get tokens(): Scope['tokens'] {
    return this.scope.tokens;
  }
  get db(): Db {
    if (!this.scope.tx) throw new Error('no transaction is open here: use ctx.transaction');
    return this.scope.tx.db;
  }
  get em(): UnitEntityManager {
    const { tx } = this.scope;
    if (!tx) throw new Error('no transaction is open here: use ctx.transaction');
    tx.entities ??= new UnitEntities(this.host.orm, tx.session, this.tenantId, this.host.clock);
    return tx.entities.of(this.plugin);
  }
  get log(): Log {
    return this.host.log;
  }
  get clock(): Clock {
    return this.host.clock;
  }
  get signal(): AbortSignal {
    return this.scope.signal;
  }
  get locale(): string {
    return this.scope.locale;
  }
  get requestId(): string {
    return this.scope.requestId;
  }
  get ip(): string | null {
    return this.scope.ip;
  }
  get userAgent(): string | null {
    return this.scope.userAgent;
  }
  get entities(): Entities {
    return (this.entitiesCache ??= this.host.entities(this.scope));
  }
  private get tenantId(): string {
    if (!this.scope.tenant) throw new Error('there is no tenant here: use ctx.withTenant');
    return this.scope.tenant.id;
  }
  isOn(plugin: string): boolean {
    return this.scope.on(plugin);
  }
  settings<S extends Shape>(shape: S): CreateOf<S> {
    return this.host.settingsOf(this.tenantId, this.plugin, shape, this.scope.tx?.db);
  }
  saveSettings(values: Record<string, unknown>): Promise<void> {
    return this.host.saveSettings(this as unknown as Ctx, this.plugin, values);
  }
  use<T>(token: Service<T>): T | undefined {
    const provider = this.host.services.get(token.id);
    if (!provider || (provider.plugin !== null && this.scope.tenant && !this.scope.on(provider.plugin))) return undefined;
    const key = provider.plugin === null ? `${this.plugin} ${token.id}` : token.id;
    let made = this.scope.services.get(key);
    if (made === undefined) {
      made = provider.make((provider.plugin === null ? this : contextOf(this.host, provider.plugin, this.scope)) as never);
      this.scope.services.set(key, made);
    }
    return made as T;
  }
  require<T>(token: Service<T>): T {
    const found = this.use(token);
    if (found === undefined) throw new Problem('provider_not_configured', { provider: token.id.split(':')[0] });
    return found;
  }
  async call<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>> {
    const { host, scope } = this;
    // What the owner of the hook has pending is written as its own doing, not as a tap's.
    await scope.tx?.session.flushPending();
    const hookHost: HookHost = {
      contextOf: (plugin) => (scope.on(plugin) ? (contextOf(host, plugin, scope) as unknown as Ctx) : undefined),
      isExpected: host.isExpected,
      onFault: host.onHookFault,
      ...(host.onHookCall ? { onCall: host.onHookCall } : {}),
    };
    return (await callHook(hookHost, hook, host.taps.get(hook.id) ?? [], input)) as HookResult<H>;
  }
  rows<S extends Shape>(table: Table<S>): Rows<S> {
    const { db, tenantId } = this;
    const tx = this.scope.tx as Tx;
    const { clock, seal, orm } = this.host;
    const host: RowsHost = {
      db,
      tenantId,
      clock,
      seal,
      statements: orm.statements,
      written: (of, id) => tx.entities?.forget(of, id),
    };
    return rowsOf(host, table);
  }
  async emit(type: string, event: { id: string; data: Record<string, unknown> }): Promise<void> {
    this.host.checkEvent(this.plugin, type);
    this.scope.events.push({ plugin: this.plugin, type, aggregate: event.id, data: event.data });
  }
  enqueue(job: string, data: Record<string, unknown>, options: EnqueueOptions = {}): Promise<void> {
    return this.host.enqueue(this.scope, this.plugin, job, data, options);
  }
  async audit(entry: AuditEntry): Promise<void> {
    this.scope.audit.push(entry);
  }
  async history(entry: {
    entity: string;
    entityId: string;
    from: string | null;
    to: string;
    reason?: string | null;
  }): Promise<void> {
    if (!this.scope.tx || this.scope.tx.readOnly) throw new Error('a read changes no status');
    const { entity, entityId, from, to, reason = null } = entry;
    const at = this.clock.now();
    const id = uuidv7(this.clock.ms());
    this.scope.history.push({ id, entity, entity_id: entityId, from_status: from, to_status: to, at, reason });
  }
  can(permission: string): boolean {
    const { actor } = this.scope;
    return actor.type === 'staff' ? actor.can(permission) : actor.type === 'system' || actor.type === 'operator';
  }
  onCommit(fn: () => void | Promise<void>): void {
    const { tx } = this.scope;
    if (!tx) throw new Error('no transaction is open here');
    tx.onCommit.push(async () => {
      try {
        await fn();
      } catch (error) {
        this.log.error({ err: error, plugin: this.plugin }, 'work after a commit failed');
      }
    });
  }
  async transaction<T>(fn: (ctx: never) => Promise<T>, options: { readOnly?: boolean } = {}): Promise<T> {
    if (this.scope.tx) return fn(this as never);
    return inTransaction(this.host, this.scope, () => fn(this as never), options);
  }
  async savepoint<T>(fn: () => Promise<T>): Promise<T> {
    const { tx } = this.scope;
    if (!tx) throw new Error('no transaction is open here');
    const audited = this.scope.audit.length;
    const moved = this.scope.history.length;
    const announced = this.scope.events.length;
    const hooks = tx.onCommit.length;
    try {
      return await tx.savepoint(fn);
    } catch (error) {
      this.scope.audit.length = audited;
      this.scope.history.length = moved;
      this.scope.events.length = announced;
      tx.onCommit.length = hooks;
      throw error;
    }
  }
  remember<T>(key: string, load: () => Promise<T>): Promise<T> {
    const { tx } = this.scope;
    if (!tx) throw new Error('no transaction is open here');
    const { revision } = tx;
    if (!revision) return load();
    const find = (): Promise<T> => this.host.memory.get(`${this.tenantId} ${this.plugin} ${key}`, revision(), load);
    return this.once(`remembered ${key}`, find) as Promise<T>;
  }
  async withoutTransaction<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const { tx } = this.scope;
    return tx ? (tx.outside.get(`${this.plugin} ${key}`, ask) as T) : ask();
  }
  once<T>(key: string, make: () => T): T | undefined {
    const memo = this.scope.tx?.memo;
    if (!memo) return undefined;
    const own = `${this.plugin} ${key}`;
    if (!memo.has(own)) memo.set(own, make());
    return memo.get(own) as T;
  }
  dropCache(...tags: string[]): void {
    for (const tag of tags) this.scope.tx?.dropTags.add(tag);
  }
  seal(text: string): string {
    return this.host.seal(text);
  }
  unseal(sealed: string): string {
    return this.host.unseal(sealed);
  }
  sign(purpose: string, text: string): string {
    return this.host.sign(purpose, text);
  }
  /** Platform contexts only: a unit of work in one tenant's scope. */
  async withTenant<T>(tenantId: string, fn: (ctx: Ctx) => Promise<T>, options: { readOnly?: boolean } = {}): Promise<T> {
    const scope = await this.host.scopeOf(tenantId, this.scope.actor, this.scope);
    return inTransaction(this.host, scope, () => fn(contextOf(this.host, this.plugin, scope) as unknown as Ctx), options);
  }
}

export function contextOf(host: ContextHost, plugin: string, scope: Scope): PluginContext {
  let ctx = scope.contexts.get(plugin);
  if (!ctx) {
    ctx = new PluginContext(host, plugin, scope);
    scope.contexts.set(plugin, ctx);
  }
  return ctx;
}

/**
 * Runs `fn` in the scope's transaction: the tenant's, or the platform's where there is no tenant. Repeats after 40001 and 40P01,
 * and with the answers to what was asked outside. `last` is the very last thing before the commit.
 */
export async function inTransaction<T>(
  host: ContextHost,
  scope: Scope,
  fn: () => Promise<T>,
  options: UnitOptions & { last?: (db: Db) => Promise<void> } = {},
): Promise<T> {
  const unit = async (tx: Tx): Promise<T> => {
    const outer = scope.tx;
    if (!outer) {
      // A unit that runs again begins anew.
      scope.audit.length = 0;
      scope.history.length = 0;
      scope.events.length = 0;
    }
    scope.tx = tx;
    try {
      const result = await fn();
      if (tx.readOnly && !outer && tx.entities?.isDirty())
        throw new Error('Entities were changed in a unit of work that only reads. Say writes: true on its route.');
      if (!tx.readOnly && !outer) {
        await tx.entities?.flushLast();
        await host.beforeCommit(scope, tx);
        await options.last?.(tx.db);
      }
      return result;
    } finally {
      scope.tx = outer;
    }
  };
  const { requestId } = scope;
  return scope.tenant
    ? host.database.withTenant(scope.tenant.id, unit, { ...options, requestId })
    : host.database.withPlatform(unit, { ...options, requestId });
}
