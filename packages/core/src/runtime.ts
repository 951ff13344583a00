import type { Db, Plugin, PluginStateRecord } from '@storeloom/plugin-sdk';
import type { BatchResult, Statement } from './database/batch.ts';
import type { Outside } from './database/outside.ts';
import type { Session } from './database/session.ts';
import type { UnitEntities } from './orm/entities.ts';

/** Types that the kernel's modules share. `kernel.ts` shows how they are connected. */

/** The parts of a plugin's package.json that are read before its code runs. */
export interface Manifest {
  /** npm name. */
  readonly package: string;
  readonly version: string;
  /** Short name, `catalog`. */
  readonly name: string;
  readonly entitlement: string;
  readonly foundation: boolean;
  readonly upgradesFrom: string | null;
  /** Range on @storeloom/plugin-sdk. */
  readonly sdkRange: string | null;
  /** Required plugins: short name of the package → range. */
  readonly requires: readonly { package: string; name: string; range: string }[];
  readonly optional: readonly { package: string; name: string; range: string }[];
  /** Folder of the package. */
  readonly dir: string;
  /** Address of the module to import. */
  readonly entry: string;
}

export interface LoadedPlugin {
  readonly manifest: Manifest;
  readonly plugin: Plugin;
}

export interface Registry {
  /** Ready plugins in dependency order. */
  readonly loaded: readonly LoadedPlugin[];
  readonly byName: ReadonlyMap<string, LoadedPlugin>;
  /** Every plugin of the installation with its state. */
  states(): readonly PluginStateRecord[];
}

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
