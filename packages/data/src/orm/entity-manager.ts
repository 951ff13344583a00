import { LockMode, OptimisticLockError, TransactionPropagation } from '@mikro-orm/core';
import { SqlEntityManager } from '@mikro-orm/postgresql';
import { type AnyTable, EntityHandle, entityName, isOffered, notFound, Problem } from '@storeloom/plugin-sdk';
import { currentFrame, Frame } from '../database/frame.ts';
import { checkFilter, checkOrder } from './filters.ts';
import { guardBuilder } from './query-builder.ts';
import { byCondition, hasProperties, type Unit } from './unit.ts';
import { unsupported } from './unsupported.ts';

// biome-ignore lint/suspicious/noExplicitAny: MikroORM's signatures are generic over entities that only a caller knows
type Any = any;

/** What the entity managers of one unit of work share. */
export interface UnitState {
  readonly unit: Unit;
  /** Classes of this kernel's entities, by name. */
  readonly classes: ReadonlyMap<string, unknown>;
  /** The manager whose identity map counts: of the unit, or of the nested transaction that is open. */
  current: UnitEntityManager;
  /** Shared with forks, which use the same connection. */
  readonly activity: Activity;
}

/** What a unit of work's entity managers are doing: one operation at a time. */
interface Activity {
  /** The operation in progress. */
  operation: string | undefined;
  /** Frame of the innermost open `em.transactional`. */
  nested: Frame | undefined;
}

/**
 * `ctx.em`: MikroORM's entity manager on the transaction of a unit of work. All plugins of the unit share one identity map; each has a
 * manager of its own.
 */
export class UnitEntityManager extends SqlEntityManager {
  /** Unset: the root, which only makes the others. */
  state: UnitState | undefined;
  plugin = '';

  get unit(): Unit | undefined {
    return this.state?.unit;
  }
  override getContext(): this {
    return (this.state?.current ?? this) as this;
  }

  /** The class of an entity that the plugin may use. Classes come from MikroORM itself. */
  private entity(name: Any): Any {
    if (!(name instanceof EntityHandle)) return name;
    // A tap that missed its deadline changes nothing any more.
    currentFrame()?.assertOpen();
    const { state, plugin } = this;
    const found = state?.classes.get(entityName(name.table));
    if (!found) throw new Error(`The entity ${entityName(name.table)} belongs to no plugin that is loaded.`);
    const [owner] = entityName(name.table).split('.');
    if (owner !== plugin && !isOffered(name.table))
      throw new Error(
        `${plugin} can't use the entity ${entityName(name.table)}: ${owner} doesn't offer it. Ask its service, or let its contract export entityOf(table, { offered: true }).`,
      );
    return found;
  }
  /** Runs one operation at a time; the calls that MikroORM itself makes meanwhile are a part of it. */
  private async alone<T>(operation: string, name: Any, fn: () => Promise<T>): Promise<T> {
    const { state } = this;
    if (!state)
      throw new Error('MikroORM was called outside a unit of work. Use ctx.em inside a handler, a job or ctx.transaction.');
    const { activity } = state;
    if (activity.operation !== undefined) {
      // The loader requests related rows by class.
      if (typeof name === 'function') return fn();
      throw new Error(
        `ctx.em is used in parallel: ${operation} was called while ${activity.operation} was in progress. Await one before you begin the next; ctx.db, ctx.rows, hooks and services flush changed entities first.`,
      );
    }
    this.assertInNested(operation);
    activity.operation = operation;
    try {
      return await fn();
    } catch (error) {
      throw error instanceof OptimisticLockError ? new Problem('version_conflict') : error;
    } finally {
      activity.operation = undefined;
    }
  }
  /** @throws Error if a nested transaction is open and the call isn't inside it: a rollback of the transaction would include its work */
  private assertInNested(operation: string): void {
    const nested = this.state?.activity.nested;
    if (nested && !currentFrame()?.isWithin(nested))
      throw new Error(
        `ctx.em is used in parallel: ${operation} was called beside an open em.transactional. Await the nested transaction first, or move the call into its function.`,
      );
  }
  /** Checks filters and orders of a plugin; those of MikroORM's loader, inside another operation, are its own. */
  private check(name: Any, where: unknown, options: Any = {}): void {
    if (this.state?.activity.operation !== undefined) return;
    for (const filter of [where, options.where, options.having, options.populateWhere, options.populateFilter])
      checkFilter(name, filter);
    checkOrder(options.orderBy);
    checkOrder(options.populateOrderBy);
  }

  /** A locked read sees the row as it is now: pending changes are written first, and entities that are loaded take over what is read. */
  private async reading(options: Any): Promise<Any> {
    if (options.lockMode !== LockMode.PESSIMISTIC_WRITE && !options.refresh) return options;
    if (this.isDirty()) await super.flush();
    return { ...options, refresh: true };
  }

  override async find(name: Any, where: Any, options: Any = {}): Promise<Any> {
    const entity = this.entity(name);
    this.check(name, where, options);
    return this.alone('find', name, async () => super.find(entity, where, await this.reading(options)));
  }
  override async findOne(name: Any, where: Any, options: Any = {}): Promise<Any> {
    const entity = this.entity(name);
    this.check(name, where, options);
    return this.alone('findOne', name, async () => super.findOne(entity, where, await this.reading(options)));
  }
  override async findOneOrFail(name: Any, where: Any, options: Any = {}): Promise<Any> {
    this.check(name, where, options);
    return super.findOneOrFail(this.entity(name), where, options);
  }
  override async findAndCount(name: Any, where: Any, options: Any = {}): Promise<Any> {
    const entity = this.entity(name);
    this.check(name, where, options);
    return this.alone('findAndCount', name, () => super.findAndCount(entity, where, options));
  }
  override async findByCursor(name: Any, options: Any): Promise<Any> {
    const entity = this.entity(name);
    this.check(name, options?.where, options);
    return this.alone('findByCursor', name, () => super.findByCursor(entity, options));
  }
  override async count(name: Any, where: Any = {}, options: Any = {}): Promise<number> {
    const entity = this.entity(name);
    this.check(name, where, options);
    return this.alone('count', name, () => super.count(entity, where, options));
  }
  override async populate(entities: Any, populate: Any, options: Any = {}): Promise<Any> {
    this.check(undefined, options.where, options);
    return this.alone('populate', undefined, () => super.populate(entities, populate, options));
  }
  override create(name: Any, data: Any, options: Any = {}): Any {
    this.assertInNested('create');
    // The row of another tenant doesn't exist here.
    if (data.tenantId !== undefined && data.tenantId !== this.unit?.tenantId) throw notFound();
    return super.create(this.entity(name), data, options);
  }
  override persist(entity: Any): this {
    this.assertInNested('persist');
    return super.persist(entity);
  }
  override remove(entity: Any): this {
    this.assertInNested('remove');
    return super.remove(entity);
  }
  override getReference(name: Any, id: Any, options: Any = {}): Any {
    return super.getReference(this.entity(name), id, options);
  }
  override merge(name: Any, data?: Any, options?: Any): Any {
    return super.merge(this.entity(name), data, options);
  }
  override map(name: Any, result: Any, options: Any = {}): Any {
    return super.map(this.entity(name), result, options);
  }
  override getRepository(name: Any): Any {
    return super.getRepository(this.entity(name));
  }
  override canPopulate(name: Any, property: string): boolean {
    return super.canPopulate(this.entity(name), property);
  }
  override createQueryBuilder(name: Any, alias?: Any, type?: Any, loggerContext?: Any): Any {
    const builder = super.createQueryBuilder(this.entity(name), alias, type, loggerContext);
    // MikroORM's own, inside an operation whose filter was checked.
    if (typeof name === 'function' && this.state?.activity.operation !== undefined) return builder;
    return guardBuilder(name, builder);
  }
  override async countBy(name: Any, groupBy: Any, options: Any = {}): Promise<Any> {
    const entity = this.entity(name);
    this.check(name, options.where, options);
    return this.alone('countBy', name, () => super.countBy(entity, groupBy, options));
  }
  override async insert(name: Any, data?: Any, options: Any = {}): Promise<Any> {
    return this.alone('insert', undefined, () => super.insert(this.entity(name), data, options));
  }
  override async insertMany(name: Any, data?: Any, options: Any = {}): Promise<Any> {
    return this.alone('insertMany', undefined, () => super.insertMany(this.entity(name), data, options));
  }
  override async nativeUpdate(name: Any, where: Any, data: Any, options: Any = {}): Promise<number> {
    const entity = this.entity(name);
    this.check(name, where, options);
    return this.alone('nativeUpdate', name, () => super.nativeUpdate(entity, where, data, options));
  }
  override async nativeDelete(name: Any, where: Any, options: Any = {}): Promise<number> {
    const entity = this.entity(name);
    this.check(name, where, options);
    return this.alone('nativeDelete', name, () => super.nativeDelete(entity, where, { ...options, [byCondition]: true }));
  }
  override async lock(entity: Any, lockMode: Any, options: Any = {}): Promise<void> {
    return this.alone('lock', undefined, () => super.lock(entity, lockMode, options));
  }
  override async refresh(entity: Any, options: Any = {}): Promise<Any> {
    return this.alone('refresh', undefined, () => super.refresh(entity, options));
  }
  override async flush(): Promise<void> {
    return this.alone('flush', undefined, () => super.flush());
  }

  /** Before a find, inside it: the result contains what is pending. */
  override async tryFlush(_name: Any, options: Any): Promise<void> {
    if ((options.flushMode ?? 'auto') !== 'commit' && this.isDirty()) await super.flush();
  }

  /** Returns true if a flush would write rows. */
  isDirty(): boolean {
    const em = this.getContext();
    const uow = em.getUnitOfWork(false);
    if (uow.getPersistStack().size > 0 || uow.getRemoveStack().size > 0 || uow.getOrphanRemoveStack().size > 0) return true;
    const comparator = em.getComparator();
    for (const entity of uow.getIdentityMap()) {
      const { __originalEntityData: original, __meta: meta } = (entity as Any).__helper;
      if (!original) continue;
      if (hasProperties(comparator.diffEntities(meta.class, original, comparator.prepareEntity(entity)))) return true;
    }
    return false;
  }
  /** Rows were written past the manager: it loads them again when they are next asked for. */
  forget(table: AnyTable, id: string | undefined): void {
    const em = this.getContext();
    const uow = em.getUnitOfWork(false);
    const entityClass = this.state?.classes.get(entityName(table));
    for (const entity of [...uow.getIdentityMap()])
      if ((entity as Any).__meta.class === entityClass && (id === undefined || (entity as Any).id === id))
        uow.unsetIdentity(entity);
  }

  /** Nested: a savepoint. What is pending is written before it, so that undoing it undoes nothing else. */
  override async transactional<T>(fn: (em: this) => Promise<T>, options: Any = {}): Promise<T> {
    const { state } = this;
    if (!state) throw new Error('MikroORM was called outside a unit of work. Use ctx.transaction.');
    const { propagation } = options;
    if (propagation === TransactionPropagation.REQUIRES_NEW || propagation === TransactionPropagation.NOT_SUPPORTED)
      throw new Error(
        `ctx.em has no propagation ${propagation}: a unit of work is one transaction. Use ctx.enqueue for work after it.`,
      );
    this.assertInNested('transactional');
    await this.flush();
    // Without a savepoint of its own it is a part of the transaction around it.
    if (propagation !== undefined && propagation !== TransactionPropagation.NESTED) return super.transactional(fn, options);
    const { activity, current: outer } = state;
    const { nested: outerFrame } = activity;
    const frame = new Frame({ undoable: true });
    activity.nested = frame;
    try {
      return await frame.run(() =>
        super.transactional(async (em: Any) => {
          // All managers of the unit of work use the innermost nested transaction.
          em.state = state;
          state.current = em;
          return fn(em);
        }, options),
      );
    } catch (error) {
      // What its entities hold was undone in the database. While the nested manager is the current one, `clear` would empty that one.
      state.current = outer;
      outer.clear();
      throw error;
    } finally {
      state.current = outer;
      activity.nested = outerFrame;
    }
  }
  override fork(options: Any = {}): this {
    const fork = super.fork(options) as this;
    const { state } = this;
    fork.plugin = this.plugin;
    if (state) {
      fork.state = { ...state, current: fork as UnitEntityManager };
      fork.setTransactionContext({ unit: state.unit } as Any);
    }
    return fork;
  }
  override getKysely(): never {
    throw new Error('Use ctx.db.query: Kysely on the same transaction.');
  }
  override async begin(): Promise<never> {
    throw new Error('The unit of work is the transaction. Use ctx.savepoint or em.transactional.');
  }
  override async commit(): Promise<never> {
    return this.begin();
  }
  override async rollback(): Promise<never> {
    return this.begin();
  }
  override async upsert(): Promise<never> {
    throw unsupported('upsert');
  }
  override async upsertMany(): Promise<never> {
    throw unsupported('upsertMany');
  }
  override async clone(): Promise<never> {
    throw unsupported('clone');
  }
}
