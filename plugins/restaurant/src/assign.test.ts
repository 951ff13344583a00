import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import data from '../test/testdata/cases.json' with { type: 'json' };
import { assignTables, type Seats } from './assign.ts';

type Given = { label: string; seats: number; combinableWith?: string[] } & Partial<Seats>;
const table = ({ label, ...more }: Given): Seats => ({
  id: label,
  label,
  seatsMin: 1,
  extraSeats: 0,
  combinableWith: [],
  priority: 0,
  ...more,
});
const assigned = (tables: Given[], partySize: number, covers?: Map<string, number>) =>
  assignTables(tables.map(table), partySize, covers)?.map(({ label }) => label) ?? null;

describe('cases', () => {
  for (const { id, given, expect: expected } of data.cases)
    if (given.kind === 'assign_table')
      it(id, () => {
        expect(assigned(given.tables as Given[], given.partySize as number)).toEqual(
          (expected as { tables?: string[] }).tables ?? null,
        );
      });
});

describe('the order of preference', () => {
  it('is a single table before a combination that fits better', () => {
    const pair = [
      { label: 'a', seats: 2, combinableWith: ['b'] },
      { label: 'b', seats: 3 },
    ];
    expect(assigned([...pair, { label: 'c', seats: 10 }], 5)).toEqual(['c']);
    expect(assigned(pair, 5)).toEqual(['a', 'b']);
  });
  it('is fewest seats left over, then priority, covers of the day, label', () => {
    const like = (label: string, more: Partial<Given> = {}): Given => ({ label, seats: 4, ...more });
    expect(assigned([like('b'), like('a'), like('c', { seats: 3 })], 3)).toEqual(['c']);
    expect(assigned([like('a', { priority: 2 }), like('b', { priority: 1 })], 3)).toEqual(['b']);
    expect(assigned([like('a'), like('b')], 3, new Map([['a', 4]]))).toEqual(['b']);
    expect(assigned([like('b'), like('a')], 3)).toEqual(['a']);
  });
  it('uses chairs and tables for larger parties only when nothing else is free', () => {
    expect(
      assigned(
        [
          { label: 'a', seats: 2, extraSeats: 1 },
          { label: 'b', seats: 6 },
        ],
        3,
      ),
    ).toEqual(['b']);
    expect(assigned([{ label: 'a', seats: 2, extraSeats: 1 }], 3)).toEqual(['a']);
    expect(
      assigned(
        [
          { label: 'a', seats: 4, seatsMin: 3 },
          { label: 'b', seats: 6 },
        ],
        2,
      ),
    ).toEqual(['b']);
    expect(assigned([{ label: 'a', seats: 4, seatsMin: 3 }], 2)).toEqual(['a']);
  });
  it('combines fewest tables first where as many seats are left', () => {
    const tables = [
      { label: 'a', seats: 2, combinableWith: ['b', 'd'] },
      { label: 'b', seats: 2, combinableWith: ['c'] },
      { label: 'c', seats: 2 },
      { label: 'd', seats: 4 },
    ];
    expect(assigned(tables, 6)).toEqual(['a', 'd']);
  });
  it('never combines what no path connects', () => {
    const tables = [
      { label: 'a', seats: 4, combinableWith: ['b'] },
      { label: 'b', seats: 4 },
      { label: 'c', seats: 4, combinableWith: ['d'] },
      { label: 'd', seats: 4 },
    ];
    expect(assigned(tables, 9)).toBeNull();
    expect(assigned([...tables, { label: 'e', seats: 1, combinableWith: ['b', 'c'] }], 9)).toEqual(['a', 'b', 'e']);
  });
  it('finds every connected set once, in every order of the same tables', () => {
    const chain = Array.from({ length: 6 }, (_, i) => ({
      label: `t${i}`,
      seats: 2,
      ...(i > 0 ? { combinableWith: [`t${i - 1}`] } : {}),
    }));
    expect(assigned(chain, 12)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5']);
    expect(assigned([...chain].reverse(), 11)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5']);
    expect(assigned(chain, 13)).toBeNull();
  });
  it('comes to an end in a hall where everything can be combined', () => {
    const labels = Array.from({ length: 40 }, (_, i) => `t${String(i).padStart(2, '0')}`);
    const hall = labels.map((label) => ({ label, seats: 2, combinableWith: labels }));
    expect(assigned(hall, 10)).toHaveLength(5);
    expect(assigned(hall, 200)).toBeNull();
  });
});

describe('beside every set of tables there is', () => {
  const floor = fc
    .array(
      fc.record({
        seats: fc.integer({ min: 1, max: 5 }),
        extraSeats: fc.integer({ min: 0, max: 2 }),
        seatsMin: fc.integer({ min: 1, max: 3 }),
        near: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((tables) =>
      tables.map(({ near, ...one }, i) => table({ label: `t${i}`, ...one, combinableWith: near.map((j) => `t${j}`) })),
    );
  const sum = (set: readonly Seats[], of: (one: Seats) => number): number => set.reduce((total, one) => total + of(one), 0);
  const isJoined = (set: readonly Seats[]): boolean => {
    const reached = new Set([set[0]?.id]);
    for (let grew = true; grew; ) {
      grew = false;
      for (const one of set)
        if (
          !reached.has(one.id) &&
          set.some(
            ({ id, combinableWith }) => reached.has(id) && (combinableWith.includes(one.id) || one.combinableWith.includes(id)),
          )
        )
          grew = reached.add(one.id).size > 0;
    }
    return reached.size === set.length;
  };

  it('none is better, and one is found where there is any', () => {
    fc.assert(
      fc.property(floor, fc.integer({ min: 1, max: 20 }), (tables, partySize) => {
        const sets = Array.from({ length: 2 ** tables.length - 1 }, (_, bits) =>
          tables.filter((__, i) => ((bits + 1) >> i) % 2 === 1),
        );
        const room = (set: readonly Seats[]) => sum(set, ({ seats, extraSeats }) => seats + extraSeats);
        const good = sets.filter((set) => isJoined(set) && room(set) >= partySize);
        const singles = good.filter((set) => set.length === 1);
        const pool = singles.length > 0 ? singles : good;
        const cost = (set: readonly Seats[]): number[] => {
          const seats = sum(set, (one) => one.seats);
          const small = seats < partySize;
          return [
            sum(set, (one) => one.seatsMin) > partySize ? 1 : 0,
            small ? 1 : 0,
            (small ? room(set) : seats) - partySize,
            set.length,
          ];
        };
        const best = pool.map(cost).sort((a, b) => a.map((value, i) => value - (b[i] as number)).find((d) => d !== 0) ?? 0)[0];
        const found = assignTables(tables, partySize);
        expect(found && cost(found)).toEqual(best ?? null);
        if (found) expect(isJoined(found)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
