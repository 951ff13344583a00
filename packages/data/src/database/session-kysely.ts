import type { AnyDatabase } from '@storeloom/plugin-sdk';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { BatchResult, Statement } from './batch.ts';

type Execute = (statement: Statement) => Promise<BatchResult>;

/** Returns a query builder whose statements `execute` runs. */
export function kyselyOn(execute: Execute): Kysely<AnyDatabase> {
  return new Kysely<AnyDatabase>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new UnitDriver(execute),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** Runs Kysely on the session's connection; Kysely manages no transactions. */
class UnitDriver implements Driver {
  private readonly execute: Execute;
  constructor(execute: Execute) {
    this.execute = execute;
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    const { execute } = this;
    return {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, count } = await execute({ text: query.sql, values: query.parameters });
        return { rows: rows as R[], numAffectedRows: BigInt(count) };
      },
      // biome-ignore lint/correctness/useYield: refusing is the point
      async *streamQuery(): AsyncIterableIterator<never> {
        throw new Error('streams are not supported inside a unit of work');
      },
    };
  }
  async beginTransaction(): Promise<void> {
    throw new Error('the unit of work is the transaction; use ctx.transaction');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
