import { isRaw, raw } from '@mikro-orm/core';
import { AbstractSqlConnection, NativeQueryBuilder } from '@mikro-orm/postgresql';
import { bindParameters } from '@storeloom/plugin-sdk';
import type { Statement } from '../database/batch.ts';
import { currentFrame, type Frame } from '../database/frame.ts';
import { type UnitContext, unitOf } from './unit.ts';

type Method = 'all' | 'get' | 'run';

/** Texts with `?` → with `$n`. Bounded: a statement with a list has a text for each length. */
const texts = new Map<string, string>();
const mostTexts = 2000;

function numbered(sql: string, params: readonly unknown[]): Statement {
  if (params.some(isRaw) || sql.includes('??')) return bindParameters(sql, params);
  let text = texts.get(sql);
  if (text === undefined) {
    ({ text } = bindParameters(sql, params));
    if (texts.size >= mostTexts) texts.delete(texts.keys().next().value as string);
    texts.set(sql, text);
  }
  return { text, values: params };
}

/**
 * MikroORM's connection on the kernel's unit of work: there is no pool, and the transaction is open already. Values are bound; MikroORM's
 * own connection writes them into the text (mikro-orm#8001), which costs prepared statements and safety.
 */
export class UnitConnection extends AbstractSqlConnection {
  override async connect(): Promise<void> {}
  override async ensureConnection(): Promise<void> {}
  override async isConnected(): Promise<boolean> {
    return true;
  }
  override async close(): Promise<void> {}
  override createKyselyDialect(): never {
    throw new Error('MikroORM has no connection of its own. Use ctx.db.query for Kysely.');
  }
  override getClient(): never {
    return this.createKyselyDialect();
  }

  // biome-ignore lint/suspicious/noExplicitAny: MikroORM's signature
  override async execute(query: any, params: any = [], method: Method = 'all', context?: any): Promise<any> {
    const unit = unitOf(context);
    const fragment = query instanceof NativeQueryBuilder ? query.toRaw() : query;
    const named = typeof fragment === 'string' && !Array.isArray(params) ? raw(fragment, params) : fragment;
    const statement = isRaw(named) ? numbered(named.sql, named.params) : numbered(named as string, params as unknown[]);
    if (unit.pipelined && method === 'run' && isPlainInsert(statement.text)) {
      unit.later(statement);
      return { affectedRows: 0, insertId: undefined, row: undefined, rows: [] };
    }
    const { rows, count } = await unit.send(statement);
    if (method === 'all') return rows;
    return method === 'get' ? rows[0] : { affectedRows: count, insertId: undefined, row: rows[0], rows };
  }
  // biome-ignore lint/correctness/useYield: refusing is the point
  override async *stream(): AsyncIterableIterator<never> {
    throw new Error('A unit of work streams no rows. Read pages by key instead.');
  }
  // biome-ignore-start lint/suspicious/noExplicitAny: MikroORM's transactions are those of its own connection
  /** The entity manager calls it inside the frame of the nested transaction; its first statement sets the savepoint. */
  override async begin({ ctx }: { ctx?: unknown } = {}): Promise<any> {
    return { unit: unitOf(ctx), frame: currentFrame() } satisfies UnitContext;
  }
  // biome-ignore-end lint/suspicious/noExplicitAny: MikroORM's transactions are those of its own connection
  override async commit(context: unknown): Promise<void> {
    await unitOf(context).complete(frameOf(context));
  }
  override async rollback(context: unknown): Promise<void> {
    unitOf(context).fail(
      frameOf(context),
      new Error('The nested transaction was rolled back: its work must be awaited inside it.'),
    );
  }
}

const isPlainInsert = (text: string): boolean => text.startsWith('insert ') && !text.includes(' returning ');

function frameOf(context: unknown): Frame {
  const { frame } = context as UnitContext;
  if (!frame) throw new Error('The kernel commits the unit of work. Throw to undo it.');
  return frame;
}
