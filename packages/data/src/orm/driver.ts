import { type Dictionary, type EntityMetadata, isRaw, LockMode, raw, Utils } from '@mikro-orm/core';
import { AbstractSqlDriver, PostgreSqlPlatform } from '@mikro-orm/postgresql';
import { type AnyTable, entityName as nameOf, notFound, type Statements, valueAt } from '@storeloom/plugin-sdk';
import { UnitConnection } from './connection.ts';
import { UnitEntityManager } from './entity-manager.ts';
import { byCondition, hasProperties, type Unit, unitOf } from './unit.ts';
import { unsupported } from './unsupported.ts';

type Meta = EntityMetadata<Dictionary>;
/** The primary key of every entity. The tenant is the driver's. */
const primaryKey = 'id';
type Values = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: MikroORM's signatures are generic over entities that only a caller knows
type Any = any;

/** Options of a find that the text of the statement depends on, and that a plan can't hold. */
const unplanned = [
  'fields',
  'exclude',
  'groupBy',
  'having',
  'offset',
  'first',
  'last',
  'before',
  'after',
  'unionWhere',
  'indexHint',
  'using',
  'collation',
  'comments',
  'hintComments',
  'lockTableAliases',
  '_partitionLimit',
] as const;

/**
 * MikroORM's driver for tenants' tables. Filters of an entity manager can be switched off, so the tenant's condition is added here, to
 * every find, count, update and delete, and row-level security stands behind it. Soft deletion and append-only tables are kept here too.
 */
export class TenantDriver extends AbstractSqlDriver<UnitConnection, PostgreSqlPlatform> {
  /** By the entity's class. Set once the entities are known. */
  tables: ReadonlyMap<unknown, AnyTable> = new Map();
  statements!: Statements;
  constructor(config: Any) {
    super(config, new PostgreSqlPlatform(), UnitConnection, ['kysely', 'pg']);
  }
  override createEntityManager(useContext?: boolean): Any {
    return new UnitEntityManager(this.config, this as Any, this.metadata, useContext);
  }
  /** Database errors keep their SQLSTATE and constraint: the pipeline reads them. */
  override convertException(exception: Error): Any {
    return exception;
  }
  override rethrow<T>(promise: Promise<T>): Promise<T> {
    return promise;
  }

  private table(meta: Meta): AnyTable {
    const table = this.tables.get(meta.class);
    if (!table) throw new Error(`${meta.className} is not a table of a plugin`);
    return table;
  }
  private assertChangeable(meta: Meta): void {
    const table = this.table(meta);
    if (table.appendOnly)
      throw new Error(`The table of ${nameOf(table)} is append-only: its rows can't be changed or deleted. Insert another row.`);
  }
  private scope(meta: Meta, where: Any, unit: Unit): Any {
    const scope: Values = { tenantId: unit.tenantId };
    if (this.table(meta).softDelete) scope.deletedAt = null;
    const wanted = Utils.isPrimaryKey(where) ? { [primaryKey]: where } : (where ?? {});
    if (!Utils.isPlainObject(wanted)) return { $and: [wanted, scope] };
    // A condition on another tenant is one that no row meets.
    return 'tenantId' in wanted || 'deletedAt' in wanted ? { $and: [wanted, scope] } : { ...(wanted as Values), ...scope };
  }

  override async find(entityName: Any, where: Any, options: Any = {}): Promise<Any> {
    const meta = this.metadata.get(entityName) as Meta;
    const unit = unitOf(options.ctx);
    const scoped = this.scope(meta, where, unit);
    const known = this.findPlan(meta, scoped, options);
    if (!known) return super.find(entityName, scoped, options);
    const { rows } = await unit.send(known);
    return rows.map((row) => this.mapResult(row as Any, meta as Any));
  }
  override async count(entityName: Any, where: Any, options: Any = {}): Promise<number> {
    const meta = this.metadata.get(entityName) as Meta;
    return super.count(entityName, this.scope(meta, where, unitOf(options.ctx)), options);
  }

  /** The statement of a find whose text depends on its shape alone. */
  private findPlan(meta: Meta, where: Any, options: Any) {
    for (const option of unplanned) if (options[option] !== undefined) return undefined;
    if (!Array.isArray(options.populate) || options.populate.some((hint: Any) => hint.strategy === 'joined' || hint.filter))
      return undefined;
    if (options.strategy === 'joined' || hasProperties(options.populateFilter)) return undefined;
    const lock = options.lockMode === LockMode.PESSIMISTIC_WRITE;
    if (options.lockMode !== undefined && !lock) return undefined;
    const condition = flatCondition(meta, where);
    if (!condition) return undefined;
    const order = flatOrder(meta, options.orderBy);
    if (order === undefined) return undefined;
    const { values } = condition;
    const key = `${meta.tableName} em find${condition.key} ${order}${options.limit == null ? '' : ' limit'}${lock ? ' lock' : ''}`;
    const count = values.length;
    if (options.limit != null) values.push(options.limit);
    const plan = this.statements.plan(key, () => {
      const builder = this.createQueryBuilder(meta.class, options.ctx, 'write', false, undefined, 't');
      builder
        .select(this.buildFields(meta as Any, [], [], builder as Any, 't', {} as Any) as Any)
        .where(condition.filter(0) as Any);
      if (order !== '') builder.orderBy(options.orderBy);
      if (options.limit != null) builder.limit(valueAt<number>(count));
      if (lock) builder.setLockMode(LockMode.PESSIMISTIC_WRITE, ['t']);
      return builder as Any;
    });
    return { text: plan.text, values: plan.order.map((position) => values[position]) };
  }

  override async nativeInsert(entityName: Any, data: Any, options: Any = {}): Promise<Any> {
    return this.nativeInsertMany(entityName, [data], options);
  }
  override async nativeInsertMany(entityName: Any, data: Any[], options: Any = {}, transform?: Any): Promise<Any> {
    if (options.upsert || transform) throw unsupported('upsert');
    const meta = this.metadata.get(entityName) as Meta;
    const unit = unitOf(options.ctx);
    for (const row of data) {
      // The row of another tenant doesn't exist here.
      if (row.tenantId !== undefined && row.tenantId !== unit.tenantId) throw notFound();
      row.tenantId = unit.tenantId;
      for (const prop of meta.props)
        if (prop.onCreate && prop.persist !== false && prop.kind === 'scalar' && row[prop.name] === undefined)
          row[prop.name] = prop.onCreate(row, { unit } as Any);
    }
    return super.nativeInsertMany(entityName, data, options);
  }

  override async nativeUpdate(entityName: Any, where: Any, data: Any, options: Any = {}): Promise<Any> {
    if (options.upsert) throw unsupported('upsert');
    const meta = this.metadata.get(entityName) as Meta;
    this.assertChangeable(meta);
    if (data.tenantId !== undefined) throw new Error(`${meta.tableName}: a row stays with its tenant`);
    if (!hasProperties(data)) return { affectedRows: 0, row: {} };
    const unit = unitOf(options.ctx);
    return this.update(meta, this.scope(meta, where, unit), { ...data, updatedAt: data.updatedAt ?? unit.clock.now() }, options);
  }
  private async update(meta: Meta, where: Any, data: Values, options: Any): Promise<Any> {
    const unit = unitOf(options.ctx);
    const condition = flatCondition(meta, where);
    const change = options.convertCustomTypes ? undefined : flatChange(meta, data);
    if (!condition || !change) return super.nativeUpdate(meta.class, where, data, options);
    const { values } = change;
    const count = values.length;
    values.push(...condition.values);
    const plan = this.statements.plan(`${meta.tableName} em update${change.key} where${condition.key}`, () => {
      const builder = this.createQueryBuilder(meta.class, options.ctx, 'write', false, undefined, 't');
      const returned = meta.props
        .filter((prop) => prop.version || (prop.returning && prop.name in data))
        .map((prop) => prop.name);
      return builder
        .update(change.data() as Any)
        .where(condition.filter(count) as Any)
        .returning(returned as Any) as Any;
    });
    const { rows, count: affectedRows } = await unit.send({
      text: plan.text,
      values: plan.order.map((position) => values[position]),
    });
    return { affectedRows, insertId: undefined, row: rows[0] ?? {}, rows };
  }
  override async nativeUpdateMany(): Promise<never> {
    throw unsupported('upsert');
  }
  override async nativeClone(): Promise<never> {
    throw unsupported('clone');
  }

  override async nativeDelete(entityName: Any, where: Any, options: Any = {}): Promise<Any> {
    const meta = this.metadata.get(entityName) as Meta;
    this.assertChangeable(meta);
    const unit = unitOf(options.ctx);
    const scoped = this.scope(meta, where, unit);
    const result = this.table(meta).softDelete
      ? await this.update(meta, scoped, { deletedAt: unit.clock.now(), version: raw('version + 1') }, { ctx: options.ctx })
      : await super.nativeDelete(entityName, scoped, options);
    // The unit of work removes rows by key: a missing one belongs to another tenant, or was removed by another request.
    const keys = options[byCondition] ? undefined : where?.[primaryKey]?.$in;
    if (keys && result.affectedRows < keys.length) throw notFound();
    return result;
  }
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';

interface FlatCondition {
  key: string;
  values: unknown[];
  filter(position: number): Values;
}

/** A condition whose members are compared with scalars, null or lists of scalars. Undefined: it has another shape. */
function flatCondition(meta: Meta, where: Any): FlatCondition | undefined {
  if (!Utils.isPlainObject(where) || Object.getOwnPropertySymbols(where).length > 0) return undefined;
  const values: unknown[] = [];
  let key = '';
  for (const member in where as Values) {
    const prop = meta.properties[member] as Any;
    if (prop?.fieldNames?.length !== 1 || prop.kind === '1:m' || prop.embedded) return undefined;
    const value = (where as Values)[member];
    if (value === null) key += `|${member}:null`;
    else if (isScalar(value)) {
      key += `|${member}`;
      values.push(value);
    } else {
      const list = (value as Any)?.$in;
      if (!Array.isArray(list) || Object.keys(value as object).length !== 1 || !list.every(isScalar)) return undefined;
      key += `|${member}[]`;
      values.push(list);
    }
  }
  return {
    key,
    values,
    filter(position) {
      let next = position;
      const parts = Object.entries(where as Values).map(([member, value]): Values => {
        if (value === null) return { [member]: null };
        if (isScalar(value)) return { [member]: valueAt(next++) };
        const [column] = (meta.properties[member] as Any).fieldNames as [string];
        return { [raw(`t."${column}" = any(?)`, [valueAt(next++)])]: [] };
      });
      return { $and: parts };
    },
  };
}

/** The order as a part of the key: empty where there is none, undefined where it has another shape. */
function flatOrder(meta: Meta, orderBy: Any): string | undefined {
  if (orderBy == null) return '';
  let key = '';
  for (const part of Array.isArray(orderBy) ? orderBy : [orderBy]) {
    if (!Utils.isPlainObject(part)) return undefined;
    for (const [member, direction] of Object.entries(part as Values)) {
      if (!(meta.properties as Values)[member] || typeof direction !== 'string') return undefined;
      key += `,${member} ${direction}`;
    }
  }
  return key;
}

/** A change whose values are scalars or null, and `version + 1`. Undefined: it has another shape. */
function flatChange(meta: Meta, data: Values): { key: string; values: unknown[]; data(): Values } | undefined {
  const values: unknown[] = [];
  let key = '';
  for (const member in data) {
    const value = data[member];
    if ((meta.properties as Any)[member]?.fieldNames?.length !== 1) return undefined;
    if (member === 'version' && isRaw(value)) key += ',version+1';
    else if (value === null || isScalar(value)) {
      key += `,${member}`;
      values.push(value);
    } else return undefined;
  }
  return {
    key,
    values,
    data() {
      let next = 0;
      return Object.fromEntries(
        Object.entries(data).map(([member, value]) => [
          member,
          member === 'version' && isRaw(value) ? raw('version + 1') : valueAt(next++),
        ]),
      );
    },
  };
}
