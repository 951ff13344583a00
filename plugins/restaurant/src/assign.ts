/** The fields of a table that the assignment depends on. */
export interface Seats {
  id: string;
  label: string;
  seatsMin: number;
  seats: number;
  /** Chairs that can be added. */
  extraSeats: number;
  combinableWith: readonly string[];
  priority: number;
}

/** Most tables in a combination. */
const mostTables = 6;
/** Most combinations considered. */
const mostLooks = 20_000;

interface Choice {
  tables: readonly Seats[];
  key: readonly (number | string)[];
}

/**
 * Assigns free tables to a party: single tables before combinations; then tables not meant for larger parties, and without extra chairs;
 * then the fewest empty seats, fewest tables, lowest priority, fewest covers of the day, and the label. Tables combine along
 * `combinableWith` only. Null when none holds the party.
 */
export function assignTables<T extends Seats>(
  free: readonly T[],
  partySize: number,
  covers: ReadonlyMap<string, number> = new Map(),
): T[] | null {
  const tables = [...free].sort((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : a.id < b.id ? -1 : 1));
  let best: Choice | undefined;
  const look = (chosen: readonly Seats[]): boolean => {
    const key = keyOf(chosen, partySize, covers);
    if (key && (!best || before(key, best.key))) best = { tables: chosen, key };
    return key !== undefined && key[1] === 0;
  };
  for (const one of tables) look([one]);
  if (!best && mostRoom(tables) >= partySize) eachCombination(tables, look);
  return (best?.tables as T[] | undefined) ?? null;
}

/** Seats of the largest combination. */
function mostRoom(tables: readonly Seats[]): number {
  const rooms = tables.map(({ seats, extraSeats }) => seats + extraSeats).sort((a, b) => b - a);
  return rooms.slice(0, mostTables).reduce((sum, room) => sum + room, 0);
}

/** Rank of a choice, lowest first; undefined when it doesn't hold the party. */
function keyOf(chosen: readonly Seats[], partySize: number, covers: ReadonlyMap<string, number>): Choice['key'] | undefined {
  const sum = (of: (one: Seats) => number): number => chosen.reduce((total, one) => total + of(one), 0);
  const seats = sum((one) => one.seats);
  const all = seats + sum((one) => one.extraSeats);
  if (all < partySize) return undefined;
  return [
    sum((one) => one.seatsMin) > partySize ? 1 : 0,
    seats < partySize ? 1 : 0,
    (seats < partySize ? all : seats) - partySize,
    chosen.length,
    sum((one) => one.priority),
    sum((one) => covers.get(one.id) ?? 0),
    chosen.map((one) => one.label).join('\n'),
  ];
}

function before(a: Choice['key'], b: Choice['key']): boolean {
  for (const [i, value] of a.entries()) {
    const other = b[i] as number | string;
    if (value !== other) return value < other;
  }
  return false;
}

/**
 * Every connected set of two or more tables, each once: a set is extended by adjacent tables that come after its first table and weren't
 * adjacent before. A set that `suffices` isn't extended.
 */
function eachCombination(tables: readonly Seats[], suffices: (chosen: readonly Seats[]) => boolean): void {
  const index = new Map(tables.map(({ id }, i) => [id, i]));
  const near: Set<number>[] = tables.map(() => new Set());
  for (const [i, { combinableWith }] of tables.entries())
    for (const id of combinableWith) {
      const j = index.get(id);
      if (j === undefined || j === i) continue;
      near[i]?.add(j);
      near[j]?.add(i);
    }
  let looks = 0;
  const grow = (chosen: readonly number[], next: readonly number[], seen: ReadonlySet<number>): void => {
    const rest = [...next];
    for (let added = rest.shift(); added !== undefined; added = rest.shift()) {
      if (++looks > mostLooks) return;
      const more = [...chosen, added];
      const enough = suffices(more.map((i) => tables[i] as Seats).sort((a, b) => (a.label < b.label ? -1 : 1)));
      if (enough || more.length >= mostTables) continue;
      const fresh = [...(near[added] as Set<number>)].filter((i) => i > (chosen[0] as number) && !seen.has(i));
      grow(more, [...rest, ...fresh], new Set([...seen, ...fresh]));
    }
  };
  for (const i of tables.keys()) {
    const next = [...(near[i] as Set<number>)].filter((j) => j > i);
    grow([i], next, new Set([i, ...next]));
  }
}
