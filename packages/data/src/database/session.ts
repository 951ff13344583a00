import { type AnyDatabase, type Db, type SqlStatement, withTimeout } from '@storeloom/plugin-sdk';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { BatchResult, Statement } from './batch.ts';
import { currentFrame, Frame } from './frame.ts';
import { compile, statementName } from './pool.ts';
import { opening, type Scopes, scoping, type TxKind } from './scopes.ts';
import { SentBatches } from './sent-batches.ts';
import { kyselyOn } from './session-kysely.ts';
import { StaleTenantError } from './stale-tenant-error.ts';

export interface SessionOptions {
  /** True to use prepared statements. */
  prepare: boolean;
  scopes: Scopes;
  /** True for a read that uses one plan for all values. */
  onePlan?: boolean;
  /** True to read the revision of the tenant's configuration. */
  configured?: boolean;
  /** Revision of the cached tenant. If it has changed, every statement fails with StaleTenantError. */
  tenantRevision?: string | null | undefined;
  requestId?: string | undefined;
}
/** Changed entities of the unit of work, written before other statements. */
export interface PendingEntities {
  isDirty(): boolean;
  /** Writes the changes; undefined if there are none. */
  flush(): Promise<void> | undefined;
  /** Drops the entities after a rollback, so that they are loaded again. */
  clear(): void;
}
interface Waiting {
  statement: Statement;
  /** Frame of the call. */
  frame?: Frame | undefined;
  /** Absent for a statement whose result isn't needed. */
  done?(result: BatchResult): void;
  failed?(error: Error): void;
}

/**
 * Runs the statements of a unit of work on its connection. Round trips take longer than most statements, so statements requested in the same
 * turn are sent together, the transaction is opened with the first of them, and statements without a needed result are sent with the next one
 * or the commit.
 *
 * A read opens no transaction: each statement is its own, in the tenant's scope, and sees the same at this isolation level. The first
 * statement with an effect on the transaction (a lock, a setting) begins one.
 */
export class Session implements Db {
  private readonly client: pg.PoolClient;
  private readonly tenantId: string | null;
  private readonly readOnly: boolean;
  private readonly prepare: boolean;
  private readonly scopes: Scopes;
  private readonly onePlan: boolean;
  private readonly requestId: string | undefined;
  private waiting: Waiting[] = [];
  private readonly sent: SentBatches<Waiting>;
  /** True if the statements of this turn of the event loop will be sent together at its end. */
  private flushScheduled = false;
  /** True if a transaction is open on the server. */
  private open = false;
  /** Number of statements that open the transaction. */
  private opened = 0;
  /** True once the unit of work has ended. */
  private closed = false;
  private released = false;
  private kysely: Kysely<AnyDatabase> | undefined;
  /** Set once an entity manager is in use. */
  pending: PendingEntities | undefined;
  /** Queued statements that must follow pending entities. */
  private behindPending: Waiting[] = [];
  private readonly asked: Promise<string | null> | undefined;
  private readonly expected: string | null | undefined;
  /** True until the tenant's revision is compared. */
  private unchecked: boolean;
  private moved: StaleTenantError | undefined;
  /** The frame in which the session was opened: savepoints of outer frames belong to other sessions. */
  private readonly outer = currentFrame();
  /** True if a statement has failed and no savepoint was rolled back since. */
  private hasFailed = false;
  /** Frames with a savepoint, outermost first. */
  private readonly savepoints: Frame[] = [];
  /** Queued writes from outside the innermost savepoint. */
  private deferred: Waiting[] = [];
  /** Continues the statements from outside the innermost savepoint. */
  private turn = Promise.withResolvers<void>();

  constructor(
    client: pg.PoolClient,
    tenantId: string | null,
    kind: TxKind,
    { prepare, scopes, onePlan = false, configured, tenantRevision, requestId }: SessionOptions,
  ) {
    this.client = client;
    this.sent = new SentBatches(client);
    this.tenantId = tenantId;
    this.readOnly = kind === 'read';
    this.prepare = prepare;
    this.scopes = scopes;
    this.onePlan = onePlan;
    this.requestId = requestId;
    if (!this.readOnly) this.begin(kind);
    this.expected = tenantRevision;
    this.unchecked = tenantRevision !== undefined && tenantId !== null;
    if (tenantId !== null && (configured || this.unchecked)) {
      const asked = this.askRevision(tenantId);
      if (configured) this.asked = asked;
    }
  }
  /** Reads the revision with the first statements, even if it isn't used. */
  private askRevision(tenantId: string): Promise<string | null> {
    const asked = new Promise<string | null>((answer, failed) => {
      const statement = this.named({
        text: `select (select revision from core_configuration where tenant_id = $1) as revision,
          (select revision from core_tenant_revision where tenant_id = $1) as tenant_revision`,
        values: [tenantId],
      });
      const done = ({ rows }: BatchResult): void => {
        const [row] = rows as { revision: string | null; tenant_revision: string | null }[];
        if (this.unchecked && (row?.tenant_revision ?? null) !== this.expected) this.moved = new StaleTenantError(tenantId);
        this.unchecked = false;
        answer(row?.revision ?? null);
      };
      this.waiting.push({ statement, done, failed });
    });
    // The error is reported to the caller that awaits the result.
    asked.catch(() => undefined);
    this.opened++;
    return asked;
  }
  /** Reads the revision of the tenant's configuration; null if nothing is configured. Undefined if the unit of work doesn't need it. */
  get revision(): (() => Promise<string | null>) | undefined {
    const { asked } = this;
    if (!asked) return undefined;
    return () => {
      this.scheduleFlush();
      return asked;
    };
  }
  private begin(kind: TxKind): void {
    const { onePlan, nothingElse } = this.scopes;
    const byOnePlan = this.tenantId !== null && (kind === 'write' || this.onePlan);
    const scope = scoping(this.tenantId, byOnePlan ? onePlan : nothingElse);
    // Not prepared, since its text differs each time.
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
      // A statement that wasn't awaited would run in the next transaction of the connection.
      if (this.closed) throw notAwaited();
      if (this.moved) throw this.moved;
      frame?.assertOpen();
      if (!this.isOutside(frame)) break;
      await this.turn.promise;
    }
    this.setSavepoints(frame);
    try {
      return await this.push(statement, frame);
    } catch (error) {
      // The stack of the call, instead of that of the response.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }
  /** True if all statements are answered. */
  get isIdle(): boolean {
    return this.sent.isEmpty && this.waiting.length === 0;
  }
  private push(statement: Statement, frame?: Frame): Promise<BatchResult> {
    return new Promise<BatchResult>((done, failed) => {
      this.waiting.push({ statement: this.named(statement), frame, done, failed });
      this.scheduleFlush();
    });
  }
  /** Returns true if the frame is outside the innermost savepoint, whose rollback would include a statement that runs now. */
  private isOutside(frame: Frame | undefined): boolean {
    const innermost = this.savepoints.at(-1);
    return innermost !== undefined && !(frame?.isWithin(innermost) ?? false);
  }
  /** Adds savepoints for the undoable frames of a statement, sent with it. */
  private setSavepoints(frame: Frame | undefined): void {
    // A read without a transaction needs no savepoint.
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
    if (depth < 0 || this.closed) return undefined;
    const statement: Statement = { text: `release savepoint s${depth + 1}`, values: [] };
    if (this.hasFailed || this.waiting.some((each) => each.frame?.isWithin(frame)))
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
    if (depth < 0 || this.closed) return;
    this.hasFailed = false;
    // If the savepoint wasn't sent, no statement of the frame was.
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
  private scheduleFlush(): void {
    if (this.flushScheduled || this.waiting.length === 0) return;
    this.flushScheduled = true;
    process.nextTick(() => void this.flush());
  }
  private async flush(): Promise<void> {
    this.flushScheduled = false;
    if (this.sent.blocked) await this.sent.blocked;
    if (this.released) return this.drop(notAwaited());
    const leaving = this.waiting;
    if (leaving.length === 0) return;
    this.waiting = [];
    if (this.readOnly && !this.open) {
      const { readingOnly, readingByOnePlan } = this.scopes;
      leaving.unshift({ statement: this.named(scoping(this.tenantId, this.onePlan ? readingByOnePlan : readingOnly)) });
    }
    this.open ||= !this.readOnly;
    const { results, error } = await this.sent.send(leaving);
    // For the log in development. Not enumerable, so that nothing else writes it.
    if (error) Object.defineProperty(error, 'statement', { value: leaving[results.length]?.statement.text, configurable: true });
    for (const [i, { done, failed }] of leaving.entries()) {
      const result = results[i];
      if (result && !this.moved) done?.(result);
      else {
        this.hasFailed = true;
        failed?.(this.moved ?? error ?? new Error('the database sent no response'));
      }
    }
  }
  private drop(error: Error): void {
    for (const { failed } of this.waiting.splice(0)) failed?.(error);
  }
  /** Begins a transaction on the server, if none is open. */
  private ensureTransaction(): void {
    if (this.open || !this.readOnly) return;
    this.begin('read');
    this.open = true;
  }
  get query(): Kysely<AnyDatabase> {
    return (this.kysely ??= kyselyOn((statement) => this.execute(statement)));
  }
  /** Writes the changes of entities. Returns undefined if there is nothing to await. */
  flushPending(): Promise<void> | undefined {
    // Entities changed inside the innermost savepoint are written there.
    if (this.isOutside(currentFrame()) && !this.closed) return this.turn.promise.then(() => this.flushPending());
    const flushed = this.pending?.flush();
    if (!flushed && this.behindPending.length > 0) this.releaseBehindPending();
    return flushed;
  }
  async rows<R>(statement: SqlStatement): Promise<R[]> {
    const flushed = this.flushPending();
    if (flushed) await flushed;
    return (await this.send(compile(statement))).rows as R[];
  }
  async first<R>(statement: SqlStatement): Promise<R | undefined> {
    const flushed = this.flushPending();
    if (flushed) await flushed;
    return (await this.send(compile(statement))).rows[0] as R | undefined;
  }
  async run(statement: SqlStatement): Promise<number> {
    this.ensureTransaction();
    const flushed = this.flushPending();
    if (flushed) await flushed;
    return (await this.send(compile(statement))).count;
  }
  later(statement: SqlStatement): void {
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
  /** Sends a statement of the entity manager. */
  sendNow(statement: Statement): Promise<BatchResult> {
    this.ensureTransaction();
    for (let frame = currentFrame(); frame; frame = frame.parent) frame.usedEntities = true;
    return this.send(statement);
  }
  /** Sends a statement of the entity manager with the next one or the commit. */
  laterSend(statement: Statement): void {
    const frame = currentFrame();
    frame?.assertOpen();
    this.write({ statement, frame });
  }
  /** Queues the statements that waited for the entities. */
  releaseBehindPending(): void {
    for (const later of this.behindPending.splice(0)) this.write(later);
  }
  /**
   * Runs `fn` in a savepoint: if it throws, its writes and records are rolled back and the unit of work continues.
   * @throws SavepointTimeoutError after `ms` milliseconds; what `fn` still does then can't use the unit of work any more
   */
  async savepoint<T>(fn: () => Promise<T>, ms?: number): Promise<T> {
    await this.flushPending();
    const frame = new Frame({ undoable: true });
    try {
      const work = frame.run(fn);
      const late = (): never => {
        throw new SavepointTimeoutError(ms as number);
      };
      const result = await (ms === undefined ? work : withTimeout(work, ms, late));
      await this.complete(frame);
      return result;
    } catch (error) {
      this.fail(frame, new Error('the savepoint was rolled back: its work must be awaited inside it', { cause: error }));
      throw error;
    }
  }
  /** True if the connection can't be used for another unit of work. */
  get isTainted(): boolean {
    return this.sent.hasLateCancellation;
  }
  /** Completes a frame. Returns undefined if there is nothing to await; rejects if a statement failed: then call `fail`. */
  complete(frame: Frame): Promise<void> | undefined {
    const flushed = frame.run(() => this.flushPending());
    return flushed ? flushed.then(() => frame.complete()) : frame.complete();
  }
  /** Closes a frame and rolls back its writes. */
  fail(frame: Frame, reason: Error): void {
    this.behindPending = this.behindPending.filter((later) => !later.frame?.isWithin(frame));
    if (frame.usedEntities || this.pending?.isDirty()) this.pending?.clear();
    frame.fail(reason);
    // A statement of the frame that waits for a lock would delay what follows.
    const isLate = ({ frame: own }: Waiting): boolean => own?.isWithin(frame) ?? false;
    if (this.sent.hold({ some: isLate, every: (each) => isLate(each) || !each.done })) void this.sent.cancel();
  }
  /** Sends queued statements and the commit. @throws Error if a statement failed, since PostgreSQL then answers COMMIT with ROLLBACK */
  async commit(): Promise<void> {
    this.outer?.assertOpen();
    await this.flushPending();
    for (const { statement } of this.deferred.splice(0)) this.waiting.push({ statement: this.named(statement) });
    // No statement has compared the revision yet.
    if (this.unchecked) await this.execute({ text: 'select 1', values: [] });
    if (this.moved) throw this.moved;
    const idle = !this.open && (this.readOnly || this.waiting.length === this.opened);
    const last = idle ? undefined : this.push({ text: 'commit', values: [] });
    this.closed = true;
    this.released = idle;
    this.turn.resolve();
    if (!last) return;
    const { command } = await last;
    this.open = false;
    if (!this.readOnly && command !== 'COMMIT') throw new Error('a statement of the transaction failed: it was rolled back');
  }
  async rollback(): Promise<void> {
    this.closed = true;
    this.released = true;
    this.turn.resolve();
    // Their results are of no use any more.
    if (!this.sent.isEmpty) await this.sent.cancel();
    if (this.open) await this.client.query('rollback');
  }
}

function notAwaited(): Error {
  return new Error('the unit of work has ended: a statement was not awaited');
}

/** The work of a savepoint took too long. */
export class SavepointTimeoutError extends Error {
  constructor(ms: number) {
    super(`the savepoint took longer than ${ms} ms and was rolled back`);
    this.name = 'SavepointTimeoutError';
  }
}
