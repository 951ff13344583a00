import { type Ctx, problem, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { type Reservation, type ReservationState, reservationMachine } from '../placing/reservation.ts';
import type { Level, MovementReason } from './level.ts';

export interface Movement {
  level: Level;
  delta: number;
  reason: MovementReason;
  before: number;
  after: number;
  reference: string | null;
  note: string | null;
  source: string | null;
}
export type MovementCause = Pick<Movement, 'reason' | 'reference'> & { note?: string | null; source?: string | null };
type Counts = Pick<Level, 'onHand' | 'reserved' | 'backordered' | 'safetyStock' | 'reorderPoint'>;
const counts = ['onHand', 'reserved', 'backordered', 'safetyStock', 'reorderPoint'] as const;

/**
 * Unit of work over the locked levels of some variants. A flow opens it once with all of its variants (levels are locked in
 * ascending variant and warehouse id, so that concurrent flows can't deadlock), changes it in memory, and `writeBook` writes it in
 * one statement. Reservations of a variant change only under the locks of its levels.
 */
export class Book {
  readonly levels: readonly Level[];
  readonly movements: Movement[] = [];
  /** New and changed reservations, by id. */
  readonly rows = new Map<string, Reservation>();
  /** Reason in the status history of reservations that end. */
  reason: string | null = null;
  readonly transitions: { id: string; to: ReservationState }[] = [];
  /** Units newly reserved from available stock, by level id; the update checks that they are still available. */
  readonly taken = new Map<string, number>();
  private readonly initial: ReadonlyMap<string, Counts>;
  private readonly byId: ReadonlyMap<string, Level>;
  private readonly byVariant: ReadonlyMap<string, readonly Level[]>;
  private readonly ctx: Ctx;

  constructor(ctx: Ctx, levels: readonly Level[]) {
    this.ctx = ctx;
    this.levels = levels;
    this.byId = new Map(levels.map((each) => [each.id, each]));
    this.byVariant = Map.groupBy(levels, (each) => each.variantId);
    this.initial = new Map(levels.map((each) => [each.id, { ...each }]));
  }

  level(id: string): Level {
    const found = this.byId.get(id);
    if (!found) throw new Error(`Level ${id} is not part of this book`);
    return found;
  }
  levelOf(variantId: string, warehouseId: string): Level | undefined {
    return this.ofVariant(variantId).find((each) => each.warehouseId === warehouseId);
  }
  /** Levels of a variant. */
  ofVariant(variantId: string): readonly Level[] {
    return this.byVariant.get(variantId) ?? [];
  }
  before(level: Level): Counts {
    return this.initial.get(level.id) as Counts;
  }
  changed(): Level[] {
    return this.levels.filter((each) => counts.some((name) => each[name] !== this.before(each)[name]));
  }

  /** Changes onHand by `delta` and records the movement. */
  move(level: Level, delta: number, { reason, reference, note = null, source = null }: MovementCause): void {
    if (delta === 0) return;
    const before = level.onHand;
    level.onHand += delta;
    // One movement a level and cause, for any number of order lines.
    const known = this.movements.find((each) => each.level === level && each.reason === reason && each.source === source);
    if (known) {
      known.delta += delta;
      known.after = level.onHand;
    } else this.movements.push({ level, delta, reason, before, after: level.onHand, reference, note, source });
  }

  /** Adds an active reservation; `backordered` of its units are not in stock. */
  reserve(
    level: Level,
    units: { quantity: number; backordered: number },
    of: Pick<Reservation, 'orderId' | 'orderLineId' | 'country' | 'expiresAt'>,
  ): Reservation {
    level.reserved += units.quantity;
    level.backordered += units.backordered;
    return this.put(this.row(level, units, of, 'active', this.ctx.clock.now()));
  }

  /** Ends an active reservation or a part of it. The caller changes onHand. */
  end(
    row: Reservation,
    units: { quantity: number; backordered: number },
    state: Exclude<ReservationState, 'active'>,
  ): Reservation {
    reservationMachine.check(row.state, state);
    const at = this.level(row.levelId);
    at.reserved -= units.quantity;
    at.backordered -= units.backordered;
    let ended = row;
    if (units.quantity < row.quantity) {
      row.quantity -= units.quantity;
      row.backordered -= units.backordered;
      this.put(row);
      ended = this.row(at, { quantity: units.quantity, backordered: 0 }, row, state, row.createdAt);
    } else {
      row.state = state;
      row.backordered = 0;
    }
    this.transitions.push({ id: ended.id, to: state });
    return this.put(ended);
  }

  /** Adds a committed reservation for goods that were shipped without one. */
  recordCommitted(level: Level, quantity: number, of: Pick<Reservation, 'orderId' | 'orderLineId' | 'country'>): Reservation {
    const row = this.row(level, { quantity, backordered: 0 }, { ...of, expiresAt: null }, 'committed', this.ctx.clock.now());
    return this.put(row);
  }

  /** Covers backordered units by stock of this level or of another level of the variant. */
  cover(row: Reservation, at: Level, units: number): void {
    const from = this.level(row.levelId);
    from.backordered -= units;
    row.backordered -= units;
    if (from !== at) {
      from.reserved -= units;
      at.reserved += units;
      if (units === row.quantity) {
        row.levelId = at.id;
        row.warehouseId = at.warehouseId;
      } else {
        row.quantity -= units;
        this.put(this.row(at, { quantity: units, backordered: 0 }, row, 'active', row.createdAt));
      }
    }
    this.put(row);
  }

  put(row: Reservation): Reservation {
    this.rows.set(row.id, row);
    return row;
  }

  private row(
    level: Level,
    { quantity, backordered }: { quantity: number; backordered: number },
    { orderId, orderLineId, country, expiresAt }: Pick<Reservation, 'orderId' | 'orderLineId' | 'country' | 'expiresAt'>,
    state: ReservationState,
    createdAt: string,
  ): Reservation {
    const { id: levelId, variantId, warehouseId } = level;
    const id = uuidv7(this.ctx.clock.ms());
    return {
      id,
      orderId,
      orderLineId,
      levelId,
      variantId,
      warehouseId,
      quantity,
      backordered,
      restocked: 0,
      state,
      country,
      expiresAt,
      createdAt,
    };
  }
}

const columns = sql`l.id, l.variant_id as "variantId", l.warehouse_id as "warehouseId", l.on_hand as "onHand", l.reserved, l.backordered,
  l.safety_stock as "safetyStock", l.reorder_point as "reorderPoint", w.active and w.deleted_at is null as active,
  w.deleted_at is not null as gone, w.priority, w.countries`;
const joined = sql`inventory_level l join inventory_warehouse w on w.tenant_id = l.tenant_id and w.id = l.warehouse_id`;

/** Reads levels without a lock, for responses and for early refusals. */
export function readLevels(ctx: Ctx, variantIds: readonly string[]): Promise<Level[]> {
  return ctx.db.rows<Level>(
    sql`select ${columns} from ${joined} where l.tenant_id = ${ctx.tenant.id} and l.variant_id = any(${[...variantIds]}::uuid[])`,
  );
}

/** Locks the levels of the variants. Call it once a flow, with all of its variants. */
export async function openBook(ctx: Ctx, variantIds: readonly string[]): Promise<Book> {
  const levels = await ctx.db.rows<Level>(sql`
    select ${columns} from ${joined} where l.tenant_id = ${ctx.tenant.id} and l.variant_id = any(${[...new Set(variantIds)]}::uuid[])
    order by l.variant_id, l.warehouse_id for no key update of l`);
  return new Book(ctx, levels);
}

const rowColumns = sql`id, order_id as "orderId", order_line_id as "orderLineId", level_id as "levelId", variant_id as "variantId",
  warehouse_id as "warehouseId", quantity, backordered, restocked, state, country, expires_at as "expiresAt", created_at as "createdAt"`;

/** Reservations of an order, oldest first. Read them after the book was opened: they change only under its locks. */
export function reservationsOf(ctx: Ctx, orderId: string): Promise<Reservation[]> {
  return ctx.db.rows<Reservation>(
    sql`select ${rowColumns} from inventory_reservation where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by created_at, id`,
  );
}

/** Locks the levels of an order's reservations and of further variants. The calling flow has locked the order. */
export async function openOrderBook(
  ctx: Ctx,
  orderId: string,
  more: readonly string[] = [],
): Promise<{ book: Book; rows: Reservation[] }> {
  const variants = await ctx.db.rows<{ id: string }>(
    sql`select distinct variant_id as id from inventory_reservation where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
  const ids = [...variants.map(({ id }) => id), ...more];
  if (ids.length === 0) return { book: new Book(ctx, []), rows: [] };
  const book = await openBook(ctx, ids);
  return { book, rows: await reservationsOf(ctx, orderId) };
}

/** Reservations of the variants with backordered units, oldest first. */
export function backorderedReservations(ctx: Ctx, variantIds: readonly string[]): Promise<Reservation[]> {
  return ctx.db.rows<Reservation>(sql`select ${rowColumns} from inventory_reservation
    where tenant_id = ${ctx.tenant.id} and variant_id = any(${[...variantIds]}::uuid[]) and backordered > 0 order by created_at, id`);
}

/** Active reservations that expired before `before`. */
export function expiredReservations(ctx: Ctx, before: string, limit: number): Promise<Reservation[]> {
  return ctx.db.rows<Reservation>(sql`select ${rowColumns} from inventory_reservation
    where tenant_id = ${ctx.tenant.id} and state = 'active' and expires_at < ${before} order by expires_at, id limit ${limit}`);
}

/** Locked rows can't change, so a failed guard is a fault; the caller may retry. */
export const conflict = () => problem('conflict', { detail: 'The stock changed during the request. Try again.' });
