import type { EntityUnit } from '@storeloom/plugin-sdk';
import type { BatchResult, Statement } from '../database/batch.ts';
import type { Frame } from '../database/frame.ts';

/** One tenant's transaction as MikroORM's driver uses it. It is MikroORM's transaction context. */
export interface Unit extends EntityUnit {
  /** Sends a statement of the entity manager itself: nothing is flushed before it. */
  send(statement: Statement): Promise<BatchResult>;
  /** Sends it with the next statement or the commit. */
  later(statement: Statement): void;
  /** Keeps the work of a frame. Rejects if a statement failed: then call `fail`. */
  complete(frame: Frame): Promise<void> | undefined;
  /** Rolls back the work of a frame. */
  fail(frame: Frame, reason: Error): void;
  /** Inserts whose outcome only the commit needs: set during the last flush before it. */
  pipelined: boolean;
}

/** A transaction context of MikroORM: the unit of work, or a nested transaction inside it, which is a frame with a savepoint. */
export interface UnitContext {
  readonly unit: Unit;
  readonly frame?: Frame | undefined;
}

export const hasProperties = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/**
 * The unit of work of a transaction context, or of an entity manager.
 * @throws Error where there is none: the statement would run outside the tenant's scope
 */
export function unitOf(carrier: unknown): Unit {
  const unit = (carrier as Partial<UnitContext> | undefined | null)?.unit;
  if (!unit)
    throw new Error('MikroORM was called outside a unit of work. Use ctx.em inside a handler, a job or ctx.transaction.');
  return unit;
}

/** Marks an update or a delete that a plugin asked for by a condition: that it touches no row is a result, not a fault. */
export const byCondition = Symbol('by condition');
