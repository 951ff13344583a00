import { describe, expect, it } from 'vitest';
import { f } from '../field.ts';
import { definePlugin } from '../plugin.ts';
import { type AnyTable, table } from '../table.ts';
import { compileEntities } from './compile-entities.ts';
import { entityOf, isOffered } from './entity.ts';
import { isOperator, op } from './operators.ts';
import { many, one } from './relations.ts';

let count = 0;
/** Assigns the tables to a plugin of their own. */
const owned = (...tables: object[]): AnyTable[] => {
  definePlugin({ name: `owner-${++count}`, tables: tables as AnyTable[], locales: { ro: {}, en: {} } });
  return tables as AnyTable[];
};
const compile = (tables: AnyTable[]) =>
  compileEntities(tables, {
    unitOf: () => {
      throw new Error('no unit of work here');
    },
  });

describe('entityOf', () => {
  it('gives one entity a table, which is declared once', () => {
    const room = table('room', { number: f.text() });
    const Room = entityOf(room, { offered: true });
    expect(entityOf(room)).toBe(Room);
    expect(() => entityOf(room, { offered: false })).toThrow('The entity of table room is declared twice');
    expect([isOffered(room), isOffered(table('other', {}) as AnyTable)]).toEqual([true, false]);
  });

  it('refuses relations that lead out of the plugin, or through no field', () => {
    const [foreign] = owned(table('foreign', {}));
    const out = table('out', { foreignId: f.id() });
    entityOf(out, { relations: { foreign: one(foreign as AnyTable, 'foreignId') } });
    expect(() => compile(owned(out))).toThrow("relation foreign leads to a table that is none of the plugin's");

    const room = table('room', {});
    const stay = table('stay', { roomId: f.id() });
    entityOf(stay, { relations: { room: one(room, 'room') } });
    expect(() => compile(owned(room, stay))).toThrow('relation room goes through room, which is no field');

    const hotel = table('hotel', {});
    const floor = table('floor', { hotelId: f.id() });
    entityOf(hotel, { relations: { floors: many(floor, 'hotelId') } });
    expect(() => compile(owned(hotel, floor))).toThrow(/relation floors needs hotelId to be f\.ref\('owner-\d+\.hotel'\)/);
  });

  it('refuses a relation with the name of a field', () => {
    const room = table('room', {});
    const stay = table('stay', { roomId: f.id(), room: f.text() });
    entityOf(stay, { relations: { room: one(room, 'roomId') } });
    expect(() => compile(owned(room, stay))).toThrow('The relation room has the name of a field');
  });
});

describe('op', () => {
  it('marks what it makes', () => {
    for (const made of [op.ne(1), op.between('a', 'b'), op.in([1]), op.notIn([1]), op.ilike('%a%'), op.and({ a: 1 }), op.or()])
      expect(isOperator(made)).toBe(true);
    expect(isOperator({ $ne: 1 })).toBe(false);
    expect(isOperator(JSON.parse(JSON.stringify(op.ne(1))) as object)).toBe(false);
  });
});
