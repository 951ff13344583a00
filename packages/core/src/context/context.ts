import type { ConfigurationMemory, Database, Orm, Tx, UnitEntityManager, UnitOptions } from '@storeloom/data';
import { currentFrame, UnitEntities } from '@storeloom/data';
import type {
  Actor,
  AnyHook,
  AuditEntry,
  Clock,
  CreateOf,
  Ctx,
  Db,
  EmitData,
  EnqueueOptions,
  Entities,
  EventToken,
  HookInput,
  HookResult,
  JobToken,
  Log,
  PlatformCtx,
  Provider,
  Rows,
  Service,
  Shape,
  Table,
  Tenant,
} from '@storeloom/plugin-sdk';
import { Problem, type RowsHost, rowsOf, uuidv7 } from '@storeloom/plugin-sdk';
import { actorId } from '../audit/actor-id.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Scope } from './scope.ts';

/** The kernel's services get the context of the plugin that uses them; a plugin's get its own. */
export type ServiceProvider =
  | { readonly plugin: null; readonly make: (ctx: PluginContext) => unknown }
  | { readonly plugin: string; readonly make: Provider[1] };

/** Services of the kernel for contexts. */
export interface ContextHost {
  readonly database: Database;
  readonly memory: ConfigurationMemory;
  readonly orm: Orm;
  readonly clock: Clock;
  readonly log: Log;
  readonly entities: (scope: Scope) => Entities;
  readonly hooks: Hooks;
  /** Service id → provider. */
  readonly services: ReadonlyMap<string, ServiceProvider>;
  /** Returns the state of a plugin that isn't ready; undefined for one that is ready, new, or not in the installation. */
  unavailableState(plugin: string): string | undefined;
  settingsOf<S extends Shape>(tenantId: string, plugin: string, shape: S, db?: Db): CreateOf<S>;
  saveSettings(ctx: Ctx, plugin: string, values: Record<string, unknown>): Promise<void>;
  /** @throws Error for an event that the plugin doesn't declare */
  checkEvent(plugin: string, type: string): void;
  enqueue(scope: Scope, plugin: string, job: string, data: Record<string, unknown>, options: EnqueueOptions): Promise<void>;
  seal(text: string): string;
  unseal(sealed: string): string;
  sign(purpose: string, text: string): string;
  scopeOf(tenantId: string, actor: Actor, from?: Scope): Promise<Scope>;
  /** Runs right before the commit and writes what must come last. */
  beforeCommit(scope: Scope, tx: Tx): Promise<void>;
}

/** The context of a plugin in a unit of work. */
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
    return this.openTx().db;
  }
  get em(): UnitEntityManager {
    const tx = this.openTx();
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
    return currentFrame()?.signal(this.scope.signal) ?? this.scope.signal;
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
  /** @throws Error if the frame is closed: a tap that missed its deadline can no longer change the unit of work */
  private get open(): Scope {
    currentFrame()?.assertOpen();
    return this.scope;
  }
  /** @throws Error if the scope's transaction was opened by a parallel call, which would commit or roll back this one's work */
  private get tx(): Tx | null {
    const { tx } = this.open;
    if (tx && !this.host.database.isInside(tx)) throw new ParallelTransactionError();
    return tx;
  }
  private openTx(): Tx {
    const { tx } = this;
    if (!tx) throw new Error('No transaction is open here. Use ctx.transaction.');
    return tx;
  }
  /** Adds an entry to a list of the unit of work; a rollback of the savepoint removes it. */
  private record<T>(list: T[], entry: T): void {
    this.openTx();
    list.push(entry);
    currentFrame()?.onUndo(() => {
      const index = list.indexOf(entry);
      if (index >= 0) list.splice(index, 1);
    });
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
    currentFrame()?.assertOpen();
    return this.host.saveSettings(this as Ctx, this.plugin, values);
  }
  use<T>(token: Service<T>): T | undefined {
    const { open: scope } = this;
    const provider = this.host.services.get(token.id);
    if (!provider || (provider.plugin !== null && scope.tenant && !scope.on(provider.plugin))) {
      // A read shows what there is; a write that goes on without the plugin would lose stock, tax or money.
      if (!scope.tx?.readOnly) this.assertAvailable(token);
      return undefined;
    }
    const key = provider.plugin === null ? `${this.plugin} ${token.id}` : token.id;
    let made = scope.services.get(key);
    if (made === undefined) {
      made =
        provider.plugin === null
          ? provider.make(this)
          : provider.make(contextOf(this.host, provider.plugin, scope) as Ctx | PlatformCtx);
      scope.services.set(key, made);
    }
    return made as T;
  }
  require<T>(token: Service<T>): T {
    const found = this.use(token);
    if (found === undefined) this.assertAvailable(token);
    if (found === undefined) throw new Problem('provider_not_configured', { provider: token.id.split(':')[0] });
    return found;
  }
  /** @throws Problem 503 `plugin_unavailable` if the tenant has the owner of the service on, and it isn't ready */
  private assertAvailable({ id }: Service<unknown>): void {
    const plugin = id.slice(0, id.indexOf(':'));
    const state = this.scope.unavailable.has(plugin) ? this.host.unavailableState(plugin) : undefined;
    if (state !== undefined) throw new Problem('plugin_unavailable', { plugin, state, retryAfter: 60 });
  }
  async call<H extends AnyHook>(hook: H, input: HookInput<H>): Promise<HookResult<H>> {
    const { open: scope, plugin } = this;
    // Write the pending entities of the hook's owner outside the frame of a tap.
    const flushed = this.tx?.session.flushPending();
    if (flushed) await flushed;
    return (await this.host.hooks.call(hook, input, { plugin, scope })) as HookResult<H>;
  }
  rows<S extends Shape>(table: Table<S>): Rows<S> {
    const { tenantId } = this;
    const tx = this.openTx();
    const { db } = tx;
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
  async emit<S extends Shape>({ id: type }: EventToken<S>, { id, data }: { id: string; data: EmitData<S> }): Promise<void> {
    this.host.checkEvent(this.plugin, type);
    this.record(this.open.events, { plugin: this.plugin, type, aggregate: id, data: { ...data } });
  }
  enqueue<D extends object>(job: JobToken<D>, data: NoInfer<D>, options: EnqueueOptions = {}): Promise<void> {
    this.openTx();
    return this.host.enqueue(this.scope, this.plugin, job.name, Object.fromEntries(Object.entries(data)), options);
  }
  async audit(entry: AuditEntry): Promise<void> {
    this.record(this.open.audit, { ...entry, actor: this.scope.actor });
  }
  async history(entry: {
    entity: string;
    entityId: string;
    from: string | null;
    to: string;
    reason?: string | null;
  }): Promise<void> {
    if (this.openTx().readOnly) throw new Error("a read-only unit of work can't change a status");
    const { entity, entityId, from, to, reason = null } = entry;
    const at = this.clock.now();
    const id = uuidv7(this.clock.ms());
    const { actor } = this.scope;
    const change = { id, entity, entity_id: entityId, from_status: from, to_status: to, at, reason };
    this.record(this.scope.history, { ...change, actor_type: actor.type, actor_id: actorId(actor) });
  }
  can(permission: string): boolean {
    const { actor } = this.scope;
    return actor.type === 'staff' ? actor.can(permission) : actor.type === 'system' || actor.type === 'operator';
  }
  onCommit(fn: () => void | Promise<void>): void {
    this.record(this.openTx().onCommit, async () => {
      try {
        await fn();
      } catch (error) {
        this.log.error({ err: error, plugin: this.plugin }, 'work after a commit failed');
      }
    });
  }
  async transaction<T>(fn: (ctx: this) => Promise<T>, options: { readOnly?: boolean } = {}): Promise<T> {
    return this.tx ? fn(this) : inTransaction(this.host, this.scope, () => fn(this), options);
  }
  async savepoint<T>(fn: () => Promise<T>): Promise<T> {
    return this.openTx().savepoint(fn);
  }
  remember<T>(key: string, load: () => Promise<T>): Promise<T> {
    const { revision } = this.openTx();
    if (!revision) return load();
    const find = (): Promise<T> => this.host.memory.get(`${this.tenantId} ${this.plugin} ${key}`, revision(), load);
    return this.once(`remembered ${key}`, find) as Promise<T>;
  }
  async withoutTransaction<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const { tx } = this.open;
    // Beside a transaction of a parallel call none is open for this one.
    const inside = tx && this.host.database.isInside(tx) ? tx : null;
    return inside ? (inside.externalCalls.get(`${this.plugin} ${key}`, ask) as T) : ask();
  }
  once<T>(key: string, make: () => T): T | undefined {
    const memo = this.tx?.memo;
    if (!memo) return undefined;
    const own = `${this.plugin} ${key}`;
    if (!memo.has(own)) memo.set(own, make());
    return memo.get(own) as T;
  }
  dropCache(...tags: string[]): void {
    for (const tag of tags) this.tx?.dropTags.add(tag);
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
    const scope = await this.host.scopeOf(tenantId, this.scope.actor, this.open);
    return inTransaction(this.host, scope, () => fn(contextOf(this.host, this.plugin, scope) as Ctx), options);
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

/** A scope has one transaction at a time: with two, each would commit or roll back records of the other. */
class ParallelTransactionError extends Error {
  constructor() {
    super(
      'Another transaction of this context is in progress, and this call is not inside its function. Await that ctx.transaction first, or move this call into its function. Run external calls in parallel before it or after it.',
    );
    this.name = 'ParallelTransactionError';
  }
}

/**
 * Runs `fn` in the scope's transaction: the tenant's, or the platform's without a tenant. Repeats it after 40001 and 40P01, and after external
 * calls. `last` runs immediately before the commit.
 *
 * @throws ParallelTransactionError if the scope has a transaction that this call isn't inside
 */
export async function inTransaction<T>(
  host: ContextHost,
  scope: Scope,
  fn: () => Promise<T>,
  options: UnitOptions & { last?: (db: Db) => Promise<void> } = {},
): Promise<T> {
  const { database } = host;
  const outer = scope.tx;
  if (outer && !database.isInside(outer)) throw new ParallelTransactionError();
  const claim = {};
  const begin = (): void => {
    if (scope.claim && scope.claim !== claim) throw new ParallelTransactionError();
    scope.claim = claim;
  };
  const end = (): void => {
    if (scope.claim === claim) scope.claim = null;
  };
  const unit = async (tx: Tx): Promise<T> => {
    if (!outer) {
      // External calls and callbacks after the commit may open transactions of their own.
      begin();
      tx.onCommit.push(end);
      // A repeated unit of work starts empty.
      scope.audit.length = 0;
      scope.history.length = 0;
      scope.events.length = 0;
    }
    scope.tx = tx;
    try {
      const result = await fn();
      if (tx.readOnly && !outer && tx.entities?.isDirty())
        throw new Error('Entities were changed in a read-only unit of work. Set writes: true on its route.');
      if (!tx.readOnly && !outer) {
        await tx.entities?.flushLast();
        await host.beforeCommit(scope, tx);
        await options.last?.(tx.db);
      }
      return result;
    } finally {
      scope.tx = outer;
      if (tx.externalCalls.hasPending) end();
    }
  };
  const { requestId } = scope;
  if (!outer) begin();
  try {
    return await (scope.tenant
      ? database.withTenant(scope.tenant.id, unit, { ...options, requestId })
      : database.withPlatform(unit, { ...options, requestId }));
  } finally {
    end();
  }
}
