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
import { currentFrame, Frame } from './frame.ts';
import { compile, statementName } from './pool.ts';
import { roles } from './roles.ts';
import { TenantMoved } from './tenant-moved.ts';

/**
 * `request`: a write that somebody waits for. It touches rows by their keys, where planning anew for each value costs more than the
 * statement itself: one plan serves all values.
 */
export type TxKind = 'read' | 'write' | 'request';

/** Begins the transaction. What the database logs of it, and shows while it runs, says whose it is. */
function opening(kind: TxKind, requestId: string | undefined): Statement {
  const whose = requestId !== undefined && /^[\w.:-]{1,64}$/.test(requestId) ? ` /* ${requestId} */` : '';
  return { text: `${kind === 'read' ? 'begin read only' : 'begin'}${whose}`, values: [] };
}
/** The settings of a unit of work beside its role and tenant, as SQL. */
interface Settings {
  platform: string;
  tenant: string;
}
function settingsOf(settings: Readonly<Record<string, string>>): Settings {
  const calls = (role: string): string =>
    Object.entries({ role, ...settings })
      .map(([name, value]) => `set_config('${name}', '${value}', true)`)
      .join(', ');
  return {
    platform: `select ${calls(roles.platform)}`,
    tenant: `select ${calls(roles.app)}, set_config('app.tenant_id', $1, true)`,
  };
}
/** What puts a unit of work into its scope. The runtime login holds no rights: without it every statement is refused. */
export interface Scopes {
  nothingElse: Settings;
  onePlan: Settings;
  readingOnly: Settings;
}
/** `settings`: what the connection doesn't have by itself. */
export const scopesWith = (settings: Readonly<Record<string, string>>): Scopes => ({
  nothingElse: settingsOf(settings),
  onePlan: settingsOf({ ...settings, plan_cache_mode: 'force_generic_plan' }),
  readingOnly: settingsOf({ ...settings, transaction_read_only: 'on' }),
});
function scoping(tenantId: string | null, { platform, tenant }: Settings): Statement {
  return tenantId === null ? { text: platform, values: [] } : { text: tenant, values: [tenantId] };
}
export interface SessionOptions {
  /** Statements are prepared by name. */
  prepare: boolean;
  scopes: Scopes;
  /** The revision of the tenant's configuration is asked for. */
  configured?: boolean;
  /** What the process remembers of the tenant was read at this revision. Where it has another by now, no statement is answered. */
  tenantRevision?: string | null | undefined;
  requestId?: string | undefined;
}
/** A savepoint of the entity manager. One of the two ends it. */
export interface EntitySavepoint {
  release(): Promise<void>;
  /** Undoes what was written since, and drops what still waits to be sent. */
  undo(cause: Error): Promise<void>;
}
/** The entities of the unit of work: their changes are written before other statements. */
export interface PendingEntities {
  isDirty(): boolean;
  /** Undefined where nothing is pending. */
  flush(): Promise<void> | undefined;
  /** Entities hold what was undone: they are loaded again. */
  clear(): void;
}
interface Waiting {
  statement: Statement;
  /** Where it was called from. */
  frame?: Frame | undefined;
  /** Unset where nobody waits for the outcome. */
  done?(result: BatchResult): void;
  failed?(error: Error): void;
}

/**
 * The statements of one unit of work on its connection. Round trips cost more than most statements do, so those that are asked for at
 * once go out together, what opens the transaction with the first of them, and what nobody waits for with the next or with the commit.
 *
 * A read opens no transaction: each statement is one by itself, in the tenant's scope, which at this isolation sees the same. The first
 * that runs for an effect on the transaction (a lock, a setting) makes it a lasting one.
 */
export class Session implements Db {
  private readonly client: pg.PoolClient;
  private readonly tenantId: string | null;
  private readonly readOnly: boolean;
  private readonly prepare: boolean;
  private readonly scopes: Scopes;
  private readonly requestId: string | undefined;
  private waiting: Waiting[] = [];
  /** What is asked for until the end of this turn of the event loop goes out together. */
  private leaving = false;
  /** The server has a transaction open. */
  private open = false;
  /** How many statements only open it. */
  private opened = 0;
  /** Nothing more is asked for, and nothing more is sent. */
  private over = false;
  private gone = false;
  private kysely: Kysely<AnyDatabase> | undefined;
  private depth = 0;
  /** Set once an entity manager is in use. */
  pending: PendingEntities | undefined;
  /** Statements for later that came while entities were pending: they go out behind those. */
  private behindPending: Waiting[] = [];
  private readonly asked: Promise<string | null> | undefined;
  private readonly expected: string | null | undefined;
  /** The tenant's revision is still to be compared. */
  private unchecked: boolean;
  private moved: TenantMoved | undefined;
  /** What it was opened in: the savepoints of frames around it are other sessions'. */
  private readonly outer = currentFrame();
  /** A statement has failed, and no savepoint was rolled back since. */
  private spoilt = false;
  /** Frames with a savepoint here, each inside the one before it. */
  private readonly savepoints: Frame[] = [];
  /** Later writes from outside the innermost savepoint. */
  private deferred: Waiting[] = [];
  /** Continues the statements from outside the innermost savepoint. */
  private turn = Promise.withResolvers<void>();

  constructor(
    client: pg.PoolClient,
    tenantId: string | null,
    kind: TxKind,
    { prepare, scopes, configured, tenantRevision, requestId }: SessionOptions,
  ) {
    this.client = client;
    this.tenantId = tenantId;
    this.readOnly = kind === 'read';
    this.prepare = prepare;
    this.scopes = scopes;
    this.requestId = requestId;
    if (!this.readOnly) this.begin(kind);
    this.expected = tenantRevision;
    this.unchecked = tenantRevision !== undefined && tenantId !== null;
    if (tenantId !== null && (configured || this.unchecked)) {
      const asked = this.askRevision(tenantId);
      if (configured) this.asked = asked;
    }
  }
  /** Travels with the first statements, whether or not anybody will look at it. */
  private askRevision(tenantId: string): Promise<string | null> {
    const asked = new Promise<string | null>((answer, failed) => {
      const statement = this.named({
        text: `select (select revision from core_configuration where tenant_id = $1) as revision,
          (select revision from core_tenant_revision where tenant_id = $1) as tenant_revision`,
        values: [tenantId],
      });
      const done = ({ rows }: BatchResult): void => {
        const [row] = rows as { revision: string | null; tenant_revision: string | null }[];
        if (this.unchecked && (row?.tenant_revision ?? null) !== this.expected) this.moved = new TenantMoved(tenantId);
        this.unchecked = false;
        answer(row?.revision ?? null);
      };
      this.waiting.push({ statement, done, failed });
    });
    // A failure is for whoever needs the answer.
    asked.catch(() => undefined);
    this.opened++;
    return asked;
  }
  /** Of the tenant's configuration; null before anything was configured. Undefined: this unit of work doesn't ask for it. */
  get revision(): (() => Promise<string | null>) | undefined {
    const { asked } = this;
    if (!asked) return undefined;
    return () => {
      this.leave();
      return asked;
    };
  }
  private begin(kind: TxKind): void {
    const { onePlan, nothingElse } = this.scopes;
    const scope = scoping(this.tenantId, kind === 'request' ? onePlan : nothingElse);
    // No two begin alike, so that is not prepared.
    const first = [{ statement: opening(kind, this.requestId) }, { statement: this.named(scope) }];
    this.waiting.unshift(...first);
    this.opened += first.length;
  }
  private named({ text, values }: Statement): Statement {
    return this.prepare ? { text, values, name: statementName(text) } : { text, values };
  }
  private async send(statement: Statement): Promise<BatchResult> {
    const frame = currentFrame();
    for (;;) {
      // A statement that was forgotten would run in whatever the connection does next.
      if (this.over) throw forgotten();
      if (this.moved) throw this.moved;
      frame?.assertOpen();
      if (!this.isOutside(frame)) break;
      await this.turn.promise;
    }
    this.setSavepoints(frame);
    try {
      return await this.push(statement, frame);
    } catch (error) {
      // Where it was called from, instead of where the answer was read.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }
  private push(statement: Statement, frame?: Frame): Promise<BatchResult> {
    return new Promise<BatchResult>((done, failed) => {
      this.waiting.push({ statement: this.named(statement), frame, done, failed });
      this.leave();
    });
  }
  /** Of the innermost savepoint: what runs now would be undone with it. */
  private isOutside(frame: Frame | undefined): boolean {
    const innermost = this.savepoints.at(-1);
    return innermost !== undefined && !(frame?.isWithin(innermost) ?? false);
  }
  /** Sets savepoints for the undoable frames around a statement; they travel with it. */
  private setSavepoints(frame: Frame | undefined): void {
    // A read without a transaction: each statement stands alone.
    if (frame === this.outer || (this.readOnly && !this.open)) return;
    const missing: Frame[] = [];
    for (let each = frame; each && each !== this.outer; each = each.parent)
      if (each.undoable && !this.savepoints.includes(each)) missing.unshift(each);
    for (const each of missing) {
      this.savepoints.push(each);
      this.waiting.push({ statement: this.named({ text: `savepoint s${this.savepoints.length}`, values: [] }), frame: each });
      each.attach({ release: () => this.release(each), rollback: (reason) => this.rollbackTo(each, reason) });
    }
  }
  private release(frame: Frame): Promise<void> | undefined {
    const depth = this.savepoints.indexOf(frame);
    if (depth < 0 || this.over) return undefined;
    const statement: Statement = { text: `release savepoint s${depth + 1}`, values: [] };
    if (this.spoilt || this.waiting.some((each) => each.frame?.isWithin(frame)))
      return this.push(statement, frame).then(() => this.endSavepoint(depth));
    this.waiting.push({ statement: this.named(statement) });
    this.endSavepoint(depth);
    return undefined;
  }
  private rollbackTo(frame: Frame, reason: Error): void {
    const unsent = this.waiting.filter((each) => each.frame?.isWithin(frame));
    this.waiting = this.waiting.filter((each) => !unsent.includes(each));
    for (const { failed } of unsent) failed?.(reason);
    const depth = this.savepoints.indexOf(frame);
    if (depth < 0 || this.over) return;
    this.spoilt = false;
    // Where the savepoint itself wasn't sent, nothing of the frame was.
    if (!unsent.some((each) => each.frame === frame && each.statement.text.startsWith('savepoint ')))
      for (const text of [`rollback to savepoint s${depth + 1}`, `release savepoint s${depth + 1}`])
        this.waiting.push({ statement: this.named({ text, values: [] }) });
    this.endSavepoint(depth);
  }
  private endSavepoint(depth: number): void {
    this.savepoints.length = depth;
    const { deferred, turn } = this;
    this.deferred = [];
    this.turn = Promise.withResolvers();
    for (const each of deferred) this.write(each);
    turn.resolve();
  }
  private write({ statement, frame }: Waiting): void {
    if (this.readOnly) throw new Error('a read writes nothing');
    if (this.isOutside(frame)) this.deferred.push({ statement, frame });
    else {
      this.setSavepoints(frame);
      this.waiting.push({ statement: this.named(statement), frame });
    }
  }
  private leave(): void {
    if (this.leaving || this.waiting.length === 0) return;
    this.leaving = true;
    process.nextTick(() => void this.flush());
  }
  private async flush(): Promise<void> {
    this.leaving = false;
    if (this.gone) return this.drop(forgotten());
    const leaving = this.waiting;
    this.waiting = [];
    if (this.readOnly && !this.open) leaving.unshift({ statement: this.named(scoping(this.tenantId, this.scopes.readingOnly)) });
    this.open ||= !this.readOnly;
    const { results, error } = await runBatch(
      this.client,
      leaving.map(({ statement }) => statement),
    );
    for (const [i, { done, failed }] of leaving.entries()) {
      const result = results[i];
      if (result && !this.moved) done?.(result);
      else {
        this.spoilt = true;
        failed?.(this.moved ?? error ?? new Error('the database gave no answer'));
      }
    }
  }
  private drop(error: Error): void {
    for (const { failed } of this.waiting.splice(0)) failed?.(error);
  }
  /** Makes the unit of work one transaction on the server, where it isn't yet. */
  private hold(): void {
    if (this.open || !this.readOnly) return;
    this.begin('read');
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
  /** Writes the changes of entities. Undefined where there are none, and nothing else is to be awaited. */
  flushPending(): Promise<void> | undefined {
    // Entities that are changed inside the innermost savepoint are written there.
    if (this.isOutside(currentFrame()) && !this.over) return this.turn.promise.then(() => this.flushPending());
    const flushed = this.pending?.flush();
    if (!flushed && this.behindPending.length > 0) this.releaseBehindPending();
    return flushed;
  }
  async rows<R>(statement: RawBuilder<unknown>): Promise<R[]> {
    const flushed = this.flushPending();
    if (flushed) await flushed;
    return (await this.send(compile(statement))).rows as R[];
  }
  async first<R>(statement: RawBuilder<unknown>): Promise<R | undefined> {
    const flushed = this.flushPending();
    if (flushed) await flushed;
    return (await this.send(compile(statement))).rows[0] as R | undefined;
  }
  async run(statement: RawBuilder<unknown>): Promise<number> {
    this.hold();
    const flushed = this.flushPending();
    if (flushed) await flushed;
    return (await this.send(compile(statement))).count;
  }
  later(statement: RawBuilder<unknown>): void {
    const later = { statement: compile(statement), frame: currentFrame() };
    later.frame?.assertOpen();
    if (this.behindPending.length > 0 || this.pending?.isDirty()) this.behindPending.push(later);
    else this.write(later);
  }
  async execute(statement: Statement): Promise<BatchResult> {
    const flushed = this.flushPending();
    if (flushed) await flushed;
    return this.send(statement);
  }
  /** A statement of the entity manager itself. */
  sendNow(statement: Statement): Promise<BatchResult> {
    this.hold();
    for (let frame = currentFrame(); frame; frame = frame.parent) frame.usedEntities = true;
    return this.send(statement);
  }
  /** The same, with the next statement or the commit. */
  laterSend(statement: Statement): void {
    const frame = currentFrame();
    frame?.assertOpen();
    this.write({ statement, frame });
  }
  /** What waited for the entities that have been written now. */
  releaseBehindPending(): void {
    for (const later of this.behindPending.splice(0)) this.write(later);
  }
  /** Opens a savepoint of the entity manager. They nest. */
  async openSavepoint(): Promise<EntitySavepoint> {
    this.hold();
    const name = `e${++this.depth}`;
    await this.send({ text: `savepoint ${name}`, values: [] });
    return {
      release: async () => {
        this.depth--;
        await this.send({ text: `release savepoint ${name}`, values: [] });
      },
      undo: async (cause) => {
        this.depth--;
        this.behindPending = [];
        this.drop(cause);
        this.spoilt = false;
        const undo = [`rollback to savepoint ${name}`, `release savepoint ${name}`];
        await Promise.all(undo.map((text) => this.send({ text, values: [] })));
      },
    };
  }
  /** Where `fn` throws, what it wrote and recorded is undone and the rest of the unit of work stands. */
  async savepoint<T>(fn: () => Promise<T>): Promise<T> {
    await this.flushPending();
    const frame = new Frame({ undoable: true });
    try {
      const result = await frame.run(fn);
      await this.complete(frame);
      return result;
    } catch (error) {
      this.fail(frame, new Error('the savepoint was rolled back: its work must be awaited inside it', { cause: error }));
      throw error;
    }
  }
  /** Keeps what was done in a frame. Undefined where nothing is to be awaited; rejects where a statement failed: then call `fail`. */
  complete(frame: Frame): Promise<void> | undefined {
    const flushed = frame.run(() => this.flushPending());
    return flushed ? flushed.then(() => frame.complete()) : frame.complete();
  }
  /** Undoes what was done in a frame, and closes it. */
  fail(frame: Frame, reason: Error): void {
    this.behindPending = this.behindPending.filter((later) => !later.frame?.isWithin(frame));
    if (frame.usedEntities || this.pending?.isDirty()) this.pending?.clear();
    frame.fail(reason);
  }
  /** Whatever still waits, and the commit. A transaction that a failed statement has spoilt is never taken for a committed one. */
  async commit(): Promise<void> {
    this.outer?.assertOpen();
    await this.flushPending();
    for (const { statement } of this.deferred.splice(0)) this.waiting.push({ statement: this.named(statement) });
    // Nothing was asked for so far, so nothing was compared.
    if (this.unchecked) await this.execute({ text: 'select 1', values: [] });
    if (this.moved) throw this.moved;
    const idle = !this.open && (this.readOnly || this.waiting.length === this.opened);
    const last = idle ? undefined : this.push({ text: 'commit', values: [] });
    this.over = true;
    this.gone = idle;
    this.turn.resolve();
    if (!last) return;
    const { command } = await last;
    this.open = false;
    if (!this.readOnly && command !== 'COMMIT') throw new Error('a statement of the transaction had failed: nothing was written');
  }
  async rollback(): Promise<void> {
    this.over = true;
    this.gone = true;
    this.turn.resolve();
    if (this.open) await this.client.query('rollback');
  }
}

function forgotten(): Error {
  return new Error('the unit of work is over: a statement was not awaited');
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
