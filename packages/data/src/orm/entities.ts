import type { AnyTable, Clock } from '@storeloom/plugin-sdk';
import type { PendingEntities, Session } from '../database/session.ts';
import type { UnitEntityManager } from './entity-manager.ts';
import type { Orm } from './orm.ts';
import type { Unit } from './unit.ts';

/** The entities of one transaction, for all plugins that take part in it. */
export class UnitEntities implements PendingEntities {
  private readonly orm: Orm;
  private readonly unit: Unit;
  private readonly session: Session;
  private readonly managers = new Map<string, UnitEntityManager>();
  private first: UnitEntityManager | undefined;
  private flushing: Promise<void> | undefined;

  constructor(orm: Orm, session: Session, tenantId: string, clock: Clock) {
    this.orm = orm;
    this.session = session;
    this.unit = {
      tenantId,
      clock,
      send: (statement) => session.sendNow(statement),
      later: (statement) => session.laterSend(statement),
      complete: (frame) => session.complete(frame),
      fail: (frame, reason) => session.fail(frame, reason),
      pipelined: false,
    };
    session.pending = this;
  }
  of(plugin: string): UnitEntityManager {
    let em = this.managers.get(plugin);
    if (!em) {
      em = this.first ? this.orm.sharedWith(this.first, plugin) : this.orm.entityManager(this.unit, plugin);
      this.first ??= em;
      this.managers.set(plugin, em);
    }
    return em;
  }
  isDirty(): boolean {
    return this.first?.isDirty() ?? false;
  }
  flush(): Promise<void> | undefined {
    if (this.flushing) return this.flushing;
    if (!this.first?.isDirty()) return undefined;
    this.flushing = this.write(this.first).finally(() => {
      this.flushing = undefined;
    });
    return this.flushing;
  }
  private async write(em: UnitEntityManager): Promise<void> {
    await em.flush();
    this.session.releaseBehindPending();
  }
  /** Before the commit: inserts go out with what follows them, and fail there. */
  async flushLast(): Promise<void> {
    this.unit.pipelined = true;
    try {
      await this.flush();
    } finally {
      this.unit.pipelined = false;
    }
  }
  clear(): void {
    this.first?.clear();
  }
  forget(table: AnyTable, id: string | undefined): void {
    this.first?.forget(table, id);
  }
}
