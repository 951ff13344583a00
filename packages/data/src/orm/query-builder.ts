import { checkFilter, checkOrder } from './filters.ts';

// biome-ignore lint/suspicious/noExplicitAny: a builder is generic over entities that only a caller knows
type Any = any;

const filters = ['where', 'andWhere', 'orWhere', 'having', 'andHaving', 'orHaving'];
const orders = ['orderBy', 'andOrderBy'];
/** Their third argument is a condition. */
const joins = [
  'join',
  'innerJoin',
  'leftJoin',
  'innerJoinLateral',
  'leftJoinLateral',
  'joinAndSelect',
  'innerJoinAndSelect',
  'leftJoinAndSelect',
  'innerJoinLateralAndSelect',
  'leftJoinLateralAndSelect',
];
/** They pass the driver, which keeps version, soft deletion and append-only tables. */
const writes = ['insert', 'insertFrom', 'update', 'delete', 'truncate'];

/**
 * Checks the filters, join conditions and orders of MikroORM's query builder as those of the entity manager are, and refuses writes. Row-level
 * security limits its statements to the tenant.
 */
export function guardBuilder(entity: unknown, builder: Any): Any {
  const wrap = (method: string, check: (args: unknown[]) => void): void => {
    const original = builder[method] as (...args: unknown[]) => unknown;
    builder[method] = (...args: unknown[]) => {
      check(args);
      return original.apply(builder, args);
    };
  };
  for (const method of filters) wrap(method, ([filter]) => checkFilter(entity, filter));
  for (const method of orders) wrap(method, ([order]) => checkOrder(order));
  for (const method of joins) wrap(method, (args) => checkFilter(entity, args[2]));
  wrap('populate', ([, ...conditions]) => checkFilter(entity, conditions));
  for (const method of writes)
    wrap(method, () => {
      throw new Error(
        `A query builder of ctx.em only reads: ${method} would skip version, soft deletion and append-only rules. Use em.nativeUpdate, em.nativeDelete, em.insert or ctx.rows.`,
      );
    });
  const clone = builder.clone.bind(builder) as (...args: unknown[]) => Any;
  builder.clone = (...args: unknown[]) => guardBuilder(entity, clone(...args));
  return builder;
}
