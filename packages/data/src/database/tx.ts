import type { Db } from '@storeloom/plugin-sdk';
import type { UnitEntities } from '../orm/entities.ts';
import type { BatchResult, Statement } from './batch.ts';
import type { ExternalCalls } from './external-calls.ts';
import type { Session } from './session.ts';

/** An open transaction of a unit of work. */
export interface Tx {
  readonly db: Db;
  readonly session: Session;
  /** Runs a statement of a library. */
  execute(statement: Statement): Promise<BatchResult>;
  /** Runs `fn` in a savepoint: if it throws, its writes are rolled back and the transaction continues. */
  savepoint<T>(fn: () => Promise<T>): Promise<T>;
  readonly readOnly: boolean;
  /** Shared by all attempts of the unit of work. */
  readonly externalCalls: ExternalCalls;
  /** Reads the revision of the tenant's configuration, in units of work that don't change it. */
  readonly revision: (() => Promise<string | null>) | undefined;
  /** Values of `ctx.remember` and `ctx.once` in such a unit of work, by plugin and key. */
  readonly memo: Map<string, unknown> | undefined;
  readonly onCommit: (() => void | Promise<void>)[];
  readonly dropTags: Set<string>;
  /** Set by the first use of `ctx.em`. */
  entities: UnitEntities | undefined;
}
