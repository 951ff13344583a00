import type { AnyDatabase, Db } from '@storeloom/plugin-sdk';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
} from 'kysely';
import type pg from 'pg';
import { type BatchResult, runBatch, type Statement } from './batch.ts';
import { compile, statementName } from './pool.ts';
import { roles } from './roles.ts';

/**
 * `request`: a write that somebody waits for. It touches rows by their keys, where planning anew for each value costs more than the
 * statement itself: one plan serves all values.
 */
export type TxKind = 'read' | 'write' | 'request';

/** Begins the transaction, in the tenant's scope. The runtime login holds no rights: without it every statement is refused. */
function opening(tenantId: string | null, kind: TxKind): Statement[] {
  const settings: Record<string, string> = kind === 'request' ? { plan_cache_mode: 'force_generic_plan' } : {};
  return [{ text: kind === 'read' ? 'begin read only' : 'begin', values: [] }, scoping(tenantId, settings)];
}
function scoping(tenantId: string | null, settings: Readonly<Record<string, string>>): Statement {
  const all = { role: tenantId === null ? roles.platform : roles.app, ...settings };
  const calls = Object.entries(all).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  if (tenantId === null) return { text: `select ${calls.join(', ')}`, values: [] };
  return { text: `select ${calls.join(', ')}, set_config('app.tenant_id', $1, true)`, values: [tenantId] };
}
/**
 * The statements of one unit of work on its connection. Round trips cost more than most statements do, so what opens the transaction
 * goes out with the first statement, and what nobody waits for with the next one or with the commit.
 *
 * A read opens no transaction: each statement is one by itself, in the tenant's scope, which at this isolation sees the same. The first
 * that runs for an effect on the transaction (a lock, a setting) makes it a lasting one.
 */
export class Session implements Db {
  private readonly client: pg.PoolClient;
  private readonly tenantId: string | null;
  private readonly readOnly: boolean;
  private readonly prepare: boolean;
  private waiting: Statement[];
  /** The server has a transaction open. */
  private open = false;
  private over = false;
  private kysely: Kysely<AnyDatabase> | undefined;

  constructor(client: pg.PoolClient, tenantId: string | null, kind: TxKind, prepare: boolean) {
    this.client = client;
    this.tenantId = tenantId;
    this.readOnly = kind === 'read';
    this.prepare = prepare;
    this.waiting = this.readOnly ? [] : opening(tenantId, kind).map((statement) => this.named(statement));
  }
  private named({ text, values }: Statement): Statement {
    return this.prepare ? { text, values, name: statementName(text) } : { text, values };
  }
  private async send(...statements: Statement[]): Promise<BatchResult> {
    // A statement that was forgotten would run in whatever the connection does next.
    if (this.over) throw new Error('the unit of work is over: a statement was not awaited');
    const before =
      this.readOnly && !this.open ? [this.named(scoping(this.tenantId, { transaction_read_only: 'on' }))] : this.waiting;
    this.waiting = [];
    this.open ||= !this.readOnly;
    const results = await runBatch(this.client, [...before, ...statements.map((statement) => this.named(statement))]);
    return results.at(-1) as BatchResult;
  }
  /** Makes the unit of work one transaction on the server, where it isn't yet. */
  private hold(): void {
    if (this.open || !this.readOnly) return;
    this.waiting = opening(this.tenantId, 'read').map((statement) => this.named(statement));
    this.open = true;
  }
  get query(): Kysely<AnyDatabase> {
    return (this.kysely ??= new Kysely<AnyDatabase>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new SessionDriver(this),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }));
  }
  async rows<R>(statement: RawBuilder<unknown>): Promise<R[]> {
    return (await this.send(compile(statement))).rows as R[];
  }
  async first<R>(statement: RawBuilder<unknown>): Promise<R | undefined> {
    return (await this.send(compile(statement))).rows[0] as R | undefined;
  }
  async run(statement: RawBuilder<unknown>): Promise<number> {
    this.hold();
    return (await this.send(compile(statement))).count;
  }
  later(statement: RawBuilder<unknown>): void {
    if (this.readOnly) throw new Error('a read writes nothing');
    this.waiting.push(this.named(compile(statement)));
  }
  execute(statement: Statement): Promise<BatchResult> {
    return this.send(statement);
  }
  async savepoint<T>(fn: () => Promise<T>): Promise<T> {
    this.hold();
    await this.send({ text: 'savepoint s', values: [] });
    try {
      const result = await fn();
      await this.send({ text: 'release savepoint s', values: [] });
      return result;
    } catch (error) {
      this.waiting = [];
      await this.send({ text: 'rollback to savepoint s', values: [] }, { text: 'release savepoint s', values: [] });
      throw error;
    }
  }
  /** Whatever still waits, and the commit. A transaction that a failed statement has spoilt is never taken for a committed one. */
  async commit(): Promise<void> {
    const idle = !this.open && (this.readOnly || this.waiting.length === 2);
    const last = idle ? undefined : await this.send({ text: 'commit', values: [] });
    this.over = true;
    this.open = false;
    if (!last) return;
    if (last.command !== 'COMMIT') throw new Error('a statement of the transaction had failed: nothing was written');
  }
  async rollback(): Promise<void> {
    this.over = true;
    if (!this.open) return;
    await this.client.query('rollback');
  }
}

/** Kysely over the open connection: the transaction is ours, not Kysely's. */
class SessionDriver implements Driver {
  readonly session: Session;
  constructor(session: Session) {
    this.session = session;
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    const { session } = this;
    return {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, count } = await session.execute({ text: query.sql, values: query.parameters });
        return { rows: rows as R[], numAffectedRows: BigInt(count) };
      },
      // biome-ignore lint/correctness/useYield: refusing is the point
      async *streamQuery(): AsyncIterableIterator<never> {
        throw new Error('streams are not taken inside a unit of work');
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
