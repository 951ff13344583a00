import type { Collection, EntityName, OptionalProps } from '@mikro-orm/core';
import type { Field, RowOf, Shape } from '../field.ts';
import type { AnyTable, BaseRow, Table } from '../table.ts';

/** The relation to one row of a table of the same plugin, through the member that holds its id. */
export interface OneRelation<S extends Shape = Shape> {
  /** Tells the two kinds apart. */
  readonly kind: 'one';
  /** The table that the relation leads to. */
  readonly table: AnyTable;
  /** The field of the entity that holds the other row's id. */
  readonly member: string;
  /** Type only. */
  readonly _fields?: S;
}
/** The relation to the rows of a table of the same plugin that hold this row's id in `member`. */
export interface ManyRelation<S extends Shape = Shape> {
  /** Tells the two kinds apart. */
  readonly kind: 'many';
  /** The table that the relation leads to. */
  readonly table: AnyTable;
  /** The field of the other rows that holds the entity's id. */
  readonly member: string;
  /** Type only. */
  readonly _fields?: S;
  /** Default: by id, which is the order of creation. */
  readonly orderBy: Readonly<Record<string, 'asc' | 'desc'>> | undefined;
}
/** Relations of an entity by name. */
export type Relations = Readonly<Record<string, OneRelation | ManyRelation>>;

/** `one(room, 'roomId')`: the room whose id is in `roomId`, for `populate`. */
export function one<S extends Shape>(table: Table<S>, member: string): OneRelation<S> {
  return { kind: 'one', table: table, member };
}

/** `many(night, 'reservationId')`: the nights that hold this row's id in `reservationId`. Sorted by id unless `orderBy` says otherwise. */
export function many<S extends Shape>(
  table: Table<S>,
  member: string & keyof S,
  options: { orderBy?: Readonly<Partial<Record<keyof S | keyof BaseRow, 'asc' | 'desc'>>> } = {},
): ManyRelation<S> {
  return { kind: 'many', table: table, member, orderBy: options.orderBy as ManyRelation['orderBy'] };
}

type OptionalKeys<S extends Shape> = {
  [K in keyof S]: S[K] extends Field<unknown, infer M> ? (M extends 'required' ? never : K) : never;
}[keyof S];

/** An entity without relations: a row in wire shape. Secrets are sealed text (`ctx.seal`). */
export type RowEntity<S extends Shape> = RowOf<S> & BaseRow & { [OptionalProps]?: OptionalKeys<S> | keyof BaseRow };

/** The entity of a table, with the relations it was declared with. */
export type EntityOf<S extends Shape, R extends Relations = Record<never, never>> = RowOf<S> &
  BaseRow & {
    [K in keyof R]: R[K] extends OneRelation<infer T>
      ? RowEntity<T> | null
      : R[K] extends ManyRelation<infer T>
        ? Collection<RowEntity<T>>
        : never;
  } & { [OptionalProps]?: OptionalKeys<S> | keyof BaseRow | keyof R };

/** The type of an entity's instances: `EntityRow<typeof Reservation>`. */
export type EntityRow<E> = E extends EntityName<infer T> ? T : never;
