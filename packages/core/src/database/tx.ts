import type { Db } from '@storeloom/plugin-sdk';
import type { UnitEntities } from '../orm/entities.ts';
import type { BatchResult, Statement } from './batch.ts';
import type { Outside } from './outside.ts';
import type { Session } from './session.ts';

/** An open transaction of a unit of work. */
export interface Tx {
  readonly db: Db;
  readonly session: Session;
  /** A statement that a library wrote. */
  execute(statement: Statement): Promise<BatchResult>;
  /** What `fn` writes is undone where it throws; the transaction goes on. */
  savepoint<T>(fn: () => Promise<T>): Promise<T>;
  readonly readOnly: boolean;
  /** The same in all attempts at the unit of work. */
  readonly outside: Outside;
  /** Revision of the tenant's configuration, in units of work that only read that. */
  readonly revision: (() => Promise<string | null>) | undefined;
  /** What such a unit of work has read or made, by plugin and key. */
  readonly memo: Map<string, unknown> | undefined;
  readonly onCommit: (() => void | Promise<void>)[];
  readonly dropTags: Set<string>;
  /** Set by the first use of `ctx.em`. */
  entities: UnitEntities | undefined;
}
