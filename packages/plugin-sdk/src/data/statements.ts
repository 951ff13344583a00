import { isRaw, type LockMode, type RawQueryFragment, raw } from '@mikro-orm/core';
import type { SqlStatement } from '../context.ts';
import type { AnyTable } from '../table.ts';

type Values = Readonly<Record<string, unknown>>;

/** The part of MikroORM's query builder that statements are written with, on a table's entity under the alias `t`. Core makes it. */
export interface StatementBuilder {
  /** Begins a select. */
  select(columns: RawQueryFragment): StatementBuilder;
  /** Begins an insert. */
  insert(data: Values): StatementBuilder;
  /** Begins an update. */
  update(data: Values): StatementBuilder;
  /** Begins a delete. */
  delete(): StatementBuilder;
  /** Adds a condition. */
  where(filter: Values): StatementBuilder;
  /** Sets the order: `asc` or `desc` by property. */
  orderBy(terms: readonly Values[]): StatementBuilder;
  /** Sets the maximum number of rows. */
  limit(rows: number): StatementBuilder;
  /** Locks the rows of these aliases. */
  setLockMode(mode: LockMode, aliases: string[]): StatementBuilder;
  /** Returns columns of the written rows. */
  returning(columns: RawQueryFragment[]): StatementBuilder;
  /** Returns the SQL with `?` and its parameters. */
  toQuery(): { sql: string; params: readonly unknown[] };
}

/** A statement whose text is known: values go in by position. */
export interface Plan {
  /** SQL with `$1`, `$2` …. */
  readonly text: string;
  /** For each parameter of the text the position of its value. */
  readonly order: readonly number[];
}

/** Placeholders are numbers that no value of a shape has; what is added to it is the value's position. */
const firstPlace = 900_000_000_000;
/** A statement of PostgreSQL's protocol takes no more parameters. */
const mostParameters = 65_535;

/** Returns a placeholder for the value at this position, as the type that the query builder takes there. */
export function valueAt<T = RawQueryFragment>(position: number): T {
  return raw<T>('?', [firstPlace + position]);
}

/**
 * SQL with `?` and its parameters → text with `$n` and the plain values. Parameters that are SQL themselves (`version + 1`) are put in
 * their place.
 */
export function bindParameters(sql: string, parameters: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  let text = '';
  const write = (part: string, given: readonly unknown[]): void => {
    let next = 0;
    let from = 0;
    let quoted = false;
    for (let at = 0; at < part.length; at++) {
      const char = part[at];
      if (char === "'") quoted = !quoted;
      else if (char === '\\' && part[at + 1] === '?') {
        text += `${part.slice(from, at)}?`;
        from = ++at + 1;
      } else if (char === '?' && !quoted) {
        text += part.slice(from, at);
        const value = given[next++];
        if (part[at + 1] === '?') {
          text += identifier(value);
          at++;
        } else if (isRaw(value)) write(value.sql, value.params);
        else text += `$${values.push(value)}`;
        from = at + 1;
      }
    }
    text += part.slice(from);
    if (next !== given.length) throw new Error(`the statement has ${next} placeholders and ${given.length} values: ${part}`);
  };
  write(sql, parameters);
  return { text, values };
}

function identifier(name: unknown): string {
  return String(name)
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
}

/** A plan with its values, as `Db` takes it: nothing is left to compile. */
export function withValues({ text, order }: Plan, values: readonly unknown[]): SqlStatement {
  const parameters = order.map((position) => values[position]);
  return { compile: () => ({ sql: text, parameters }) };
}

/** How many plans a process keeps. A plan is some hundred bytes; statements of lists are not among them. */
const mostPlans = 1000;

/**
 * The statements of all tables. Each is written by MikroORM's query builder once a shape (which columns, which conditions) and kept: its
 * text depends on the shape alone, so that one prepared statement serves all values.
 */
export class Statements {
  private readonly plans = new Map<string, Plan>();
  /** A new builder on the table's entity. */
  readonly builder: (table: AnyTable) => StatementBuilder;
  constructor(builder: (table: AnyTable) => StatementBuilder) {
    this.builder = builder;
  }
  /** How many plans are kept now. */
  get size(): number {
    return this.plans.size;
  }
  /**
   * The plan of a shape. `key` names the shape, the table included; `write` builds the statement with `valueAt`.
   * @throws Error where the statement holds a value that is no placeholder: it would be the same for every caller
   */
  plan(key: string, write: () => Pick<StatementBuilder, 'toQuery'>): Plan {
    const known = this.plans.get(key);
    if (known) return known;
    const { sql, params } = write().toQuery();
    const { text, values } = bindParameters(sql, params);
    const order = values.map((value) => {
      const position = typeof value === 'number' ? value - firstPlace : -1;
      if (position < 0 || position > mostParameters) throw new Error(`${key}: a value of the statement is no placeholder`);
      return position;
    });
    return this.keep(key, { text, order });
  }
  /** A plan that is derived from another one. */
  derived(key: string, make: () => Plan): Plan {
    return this.plans.get(key) ?? this.keep(key, make());
  }
  private keep(key: string, plan: Plan): Plan {
    if (this.plans.size >= mostPlans) this.plans.delete(this.plans.keys().next().value as string);
    this.plans.set(key, plan);
    return plan;
  }
}
