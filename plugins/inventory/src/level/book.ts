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
export type Why = Pick<Movement, 'reason' | 'reference'> & { note?: string | null; source?: string | null };
type Counts = Pick<Level, 'onHand' | 'reserved' | 'backordered' | 'safetyStock' | 'reorderPoint'>;
const counts = ['onHand', 'reserved', 'backordered', 'safetyStock', 'reorderPoint'] as const;

/**
 * The locked levels of some variants, and what a flow does to them: opened once (every level of the variants, in ascending variant and
 * warehouse id, so that two flows never wait for each other in a circle), changed in memory, written in one statement by `writeBook`. Reservations of
 * a variant change under the locks of its levels only.
 */
export class Book {
  readonly levels: readonly Level[];
  readonly movements: Movement[] = [];
  /** New and changed reservations. */
  readonly rows = new Map<string, Reservation>();
  /** Why reservations end, for the history. */
  reason: string | null = null;
  readonly moves: { id: string; to: ReservationState }[] = [];
  /** Units that orders take from what is available, by level: the guard of the update. */
  readonly taken = new Map<string, number>();
  private readonly before: ReadonlyMap<string, Counts>;
  private readonly byId: ReadonlyMap<string, Level>;
  private readonly ctx: Ctx;

  constructor(ctx: Ctx, levels: readonly Level[]) {
    this.ctx = ctx;
    this.levels = levels;
    this.byId = new Map(levels.map((each) => [each.id, each]));
    this.before = new Map(levels.map((each) => [each.id, { ...each }]));
  }

  level(id: string): Level {
    const found = this.byId.get(id);
    if (!found) throw new Error('a level was not opened with the book');
    return found;
  }
  levelOf(variantId: string, warehouseId: string): Level | undefined {
    return this.levels.find((each) => each.variantId === variantId && each.warehouseId === warehouseId);
  }
  was(level: Level): Counts {
    return this.before.get(level.id) as Counts;
  }
  changed(): Level[] {
    return this.levels.filter((each) => counts.some((name) => each[name] !== this.was(each)[name]));
  }

  /** Goods come or go. */
  move(level: Level, delta: number, { reason, reference, note = null, source = null }: Why): void {
    if (delta === 0) return;
    const before = level.onHand;
    level.onHand += delta;
    // One row a level and cause, however many lines there are.
    const known = this.movements.find((each) => each.level === level && each.reason === reason && each.source === source);
    if (known) {
      known.delta += delta;
      known.after = level.onHand;
    } else this.movements.push({ level, delta, reason, before, after: level.onHand, reference, note, source });
  }

  /** A new active reservation; `backordered` of its units aren't there. */
  reserve(
    level: Level,
    units: { quantity: number; backordered: number },
    of: Pick<Reservation, 'orderId' | 'orderLineId' | 'country' | 'expiresAt'>,
  ): Reservation {
    level.reserved += units.quantity;
    level.backordered += units.backordered;
    return this.put(this.row(level, units, of, 'active', this.ctx.clock.now()));
  }

  /** Ends units of an active reservation, `backordered` of them being such. Goods that leave are moved by the caller. */
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
    this.moves.push({ id: ended.id, to: state });
    return this.put(ended);
  }

  /** Goods that weren't reserved leave for an order: what is known of them afterwards. */
  committed(level: Level, quantity: number, of: Pick<Reservation, 'orderId' | 'orderLineId' | 'country'>): Reservation {
    const row = this.row(level, { quantity, backordered: 0 }, { ...of, expiresAt: null }, 'committed', this.ctx.clock.now());
    return this.put(row);
  }

  /** Backordered units are there now, at this level or at another one of the variant. */
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

/** Levels as they are, without a lock: for answers and for refusals that need no guard. */
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

/** Reservations of an order, oldest first. Read after the book was opened: they change under its locks only. */
export function reservationsOf(ctx: Ctx, orderId: string): Promise<Reservation[]> {
  return ctx.db.rows<Reservation>(
    sql`select ${rowColumns} from inventory_reservation where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by created_at, id`,
  );
}

/** Locks the levels behind an order's reservations, and those of further variants. The order itself is locked by the flow. */
export async function openBookOf(
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

/** Reservations of the book's variants that wait for goods, oldest first. */
export function waitingRows(ctx: Ctx, variantIds: readonly string[]): Promise<Reservation[]> {
  return ctx.db.rows<Reservation>(sql`select ${rowColumns} from inventory_reservation
    where tenant_id = ${ctx.tenant.id} and variant_id = any(${[...variantIds]}::uuid[]) and backordered > 0 order by created_at, id`);
}

/** Reservations whose term is over at `before`. */
export function dueRows(ctx: Ctx, before: string, limit: number): Promise<Reservation[]> {
  return ctx.db.rows<Reservation>(sql`select ${rowColumns} from inventory_reservation
    where tenant_id = ${ctx.tenant.id} and state = 'active' and expires_at < ${before} order by expires_at, id limit ${limit}`);
}

/** Nothing that was locked can have changed: a guard that fails is a fault, and the caller may try again. */
export const conflict = () => problem('conflict', { detail: 'The stock has changed in the meantime. Try again.' });
