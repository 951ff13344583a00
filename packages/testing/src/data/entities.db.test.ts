import { Socket } from 'node:net';
import { type Ctx, LockMode, op, sql, uuidv7, wrap } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Artist, artist, Payment, Piece, Sketch, sketch } from '../../test/studio/src/index.ts';
import { studioShop } from '../../test/studio-shop.ts';
import type { TestShop } from '../index.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await studioShop();
});
afterAll(() => shop?.stop());

const run = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run('studio', fn);
const due = { amount: 0, currency: 'RON' };
let count = 0;
let name = '';
beforeEach(() => {
  name = `artist ${++count}`;
});
const stored = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await shop.rows('select * from studio_artist where id = $1', [id]))[0];
/** A new artist's id. */
const made = (values: { works?: number; profile?: unknown } = {}): Promise<string> =>
  run(async (ctx) => (await ctx.rows(artist).insert({ name, due, ...values })).id);

describe('entities', () => {
  it('are created, loaded, changed and removed, with one flush before the commit', async () => {
    const id = await run(async (ctx) => {
      const entity = ctx.em.create(Artist, { name, due });
      expect(entity).toMatchObject({ active: true, tags: [], note: null, fee: null, version: 1 });
      return entity.id;
    });
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id });
      expect(entity.due).toEqual(due);
      entity.note = 'new';
      entity.fee = { amount: 5, currency: 'RON' };
    });
    expect(await stored(id)).toMatchObject({ note: 'new', fee_amount: '5', fee_currency: 'RON', version: 2 });
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id });
      entity.fee = null;
      await ctx.em.flush();
      expect(entity.version).toBe(3);
      ctx.em.remove(entity);
    });
    expect(await stored(id)).toBeUndefined();
  });

  it('are written in responses as their rows are', async () => {
    const id = await run(async (ctx) => ctx.em.create(Artist, { name, due, title: { en: 'Painter' }, profile: [1] }).id);
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id });
      const row = await ctx.rows(artist).require(id);
      expect(JSON.parse(JSON.stringify(entity))).toEqual(row);
      expect(Object.keys(entity).sort()).toEqual([...Object.keys(row), 'pieces'].sort());
      expect(wrap(entity).toObject()).toEqual(row);
    });
  });

  it('load relations, and insert in the order of their keys', async () => {
    const id = await run(async (ctx) => {
      const { em } = ctx;
      const artistId = uuidv7();
      em.create(Piece, { artistId, title: 'two', position: 2 });
      em.create(Piece, { artistId, title: 'one', position: 1 });
      em.create(Artist, { id: artistId, name, due });
      return artistId;
    });
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id }, { populate: ['pieces'] });
      expect(entity.pieces.getItems().map(({ title }) => title)).toEqual(['one', 'two']);
    });
    await run(async (ctx) => {
      const [piece] = await ctx.em.find(Piece, { artistId: id }, { populate: ['artist'], orderBy: { position: 'desc' } });
      expect(piece?.artist?.name).toBe(name);
    });
  });

  it('are found by the comparisons of op', async () => {
    const ids = await run(async (ctx) =>
      [1, 2, 3].map((works) => ctx.em.create(Artist, { name: `${name} ${works}`, works, due }).id),
    );
    await run(async (ctx) => {
      const found = await ctx.em.find(Artist, { id: op.in(ids), works: op.gte(2) }, { orderBy: { works: 'asc' } });
      expect(found.map(({ works }) => works)).toEqual([2, 3]);
      expect(await ctx.em.count(Artist, { id: op.in(ids), works: op.ne(2) })).toBe(2);
      expect(await ctx.em.find(Artist, op.or({ id: ids[0] as string }, { name: `${name} 3` }))).toHaveLength(2);
    });
  });
});

describe('a find', () => {
  it('contains what is pending', async () => {
    await run(async ({ em }) => {
      const entity = em.create(Artist, { name, due });
      expect(await em.find(Artist, { name })).toEqual([entity]);
      entity.works = 8;
      expect(await em.find(Artist, { name, works: 8 })).toEqual([entity]);
      expect(await em.count(Artist, { name, works: 8 })).toBe(1);
      entity.note = 'locked';
      await em.findOneOrFail(Artist, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      expect(entity).toMatchObject({ works: 8, note: 'locked', version: 3 });
      await em.refresh(entity);
      expect(entity.note).toBe('locked');
    });
  });
});

/** A message of the PostgreSQL protocol. Types: P Parse, B Bind, E Execute, Q simple query. */
interface WireMessage {
  type: string;
  body: string;
}
/** Runs `work` and returns the messages that were written to PostgreSQL meanwhile. */
async function sentDuring(work: () => Promise<unknown>): Promise<WireMessage[]> {
  const write = vi.spyOn(Socket.prototype, 'write');
  let chunks: Buffer[];
  try {
    await work();
    chunks = write.mock.calls.map(([chunk]) => chunk as unknown).filter((chunk) => Buffer.isBuffer(chunk));
  } finally {
    write.mockRestore();
  }
  const messages: WireMessage[] = [];
  for (const chunk of chunks)
    for (let at = 0; at + 5 <= chunk.length; ) {
      const end = at + 1 + chunk.readInt32BE(at + 1);
      messages.push({ type: String.fromCharCode(chunk[at] as number), body: chunk.toString('utf8', at + 5, end) });
      at = end;
    }
  return messages;
}

describe('trap 1: parameters in the text', () => {
  it('travel apart from it: the same text serves all values, and each value is in a Bind alone', async () => {
    const notes = Array.from({ length: 6 }, (_, i) => `'; drop table studio_piece; -- ? $1 ${name} ${i}`);
    const sent = await sentDuring(() =>
      run(async ({ em }) => {
        for (const note of notes) em.create(Artist, { name: `${name} ${notes.indexOf(note)}`, note, due });
        await em.flush();
        em.clear();
        for (const note of notes) {
          const entity = await em.findOneOrFail(Artist, { note });
          entity.note = `${note} changed`;
          await em.flush();
        }
      }),
    );
    const withValue = sent.filter(({ body }) => body.includes('drop table'));
    expect(new Set(withValue.map(({ type }) => type))).toEqual(new Set(['B']));
    // At least one insert, and for each note a find and an update.
    expect(withValue.length).toBeGreaterThanOrEqual(1 + 2 * notes.length);
    // Parse: name of the statement, text, types. One text each for the insert, the find and the update.
    const texts = sent.filter(({ type }) => type === 'P').map(({ body }) => body.split('\0')[1] as string);
    expect(new Set(texts.filter((text) => text.includes('studio_artist'))).size).toBe(3);
    expect(sent.filter(({ type, body }) => type === 'Q' && body.includes('studio_artist'))).toEqual([]);
  });

  it('are bound, so that the statement is prepared and a value is never SQL', async () => {
    const note = `'; drop table studio_piece; -- ? $1 \\' ??`;
    const id = await run(async (ctx) => ctx.em.create(Artist, { name, note, due }).id);
    await run(async (ctx) => {
      for (let i = 0; i < 12; i++) {
        ctx.em.clear();
        expect((await ctx.em.findOneOrFail(Artist, { note })).id).toBe(id);
      }
      const prepared = await ctx.db.rows<{ statement: string }>(
        sql`select statement from pg_prepared_statements where statement like '%"studio_artist"%'`,
      );
      // A process names a bounded number of statements: in a run of many files none may be left for this one.
      expect(prepared.some(({ statement }) => statement.includes('drop table'))).toBe(false);
    });
  });
});

describe('trap 2: the transaction', () => {
  it('is that of ctx.db, and a nested one is a savepoint in it', async () => {
    await run(async (ctx) => {
      const outer = ctx.em.create(Artist, { name, due });
      await ctx.em
        .transactional(async (em) => {
          em.create(Artist, { name: `${name} nested`, due });
          await em.flush();
          throw new Error('undone');
        })
        .catch((error: Error) => expect(error.message).toBe('undone'));
      const rows = await ctx.rows(artist).find({ name: [name, `${name} nested`] });
      expect(rows.map(({ id }) => id)).toEqual([outer.id]);
    });
  });
  it('forgets statements for later with the savepoint that asked for them', async () => {
    await run(async (ctx) => {
      await ctx
        .savepoint(async () => {
          ctx.rows(artist).insertLater({ name: `${name} later`, due });
          throw new Error('undone');
        })
        .catch(() => undefined);
      await ctx.savepoint(async () => {
        ctx.em.create(Artist, { name: `${name} kept`, due });
        await ctx.savepoint(async () => void ctx.em.create(Artist, { name: `${name} inner`, due }));
      });
    });
    const rows = await shop.rows<{ name: string }>('select name from studio_artist where name like $1 order by 1', [`${name} %`]);
    expect(rows.map((row) => row.name)).toEqual([`${name} inner`, `${name} kept`]);
  });
});

describe('trap 3: column types', () => {
  const everything = {
    profile: '"1"',
    title: { ro: 'Pictor', en: 'Painter' },
    tags: ['a', '1'],
    born: '1980-02-29',
    opens: '24:00',
    joined: '2026-11-27T20:12:00.500Z',
    rate: '12.50',
    works: 7,
    fee: { amount: 9_007_199_254_740_991, currency: 'EUR' },
  };
  it('come back in wire shape and are not changed by being loaded', async () => {
    const id = await run(async (ctx) => ctx.em.create(Artist, { name, due, ...everything }).id);
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id });
      expect(entity).toMatchObject(everything);
      expect(entity.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect({ ...(await ctx.rows(artist).require(id)) }).toMatchObject(everything);
    });
    expect(await stored(id)).toMatchObject({ version: 1 });
  });
  it.each([['"1"'], ['1'], [1], [true], [{ b: 1, a: { d: [], c: null } }], [['x', { y: 1 }]], ['null']])(
    'keep the JSON %j',
    async (profile) => {
      const id = await run(async (ctx) => ctx.em.create(Artist, { name, due, profile }).id);
      await run(async (ctx) => expect((await ctx.em.findOneOrFail(Artist, { id })).profile).toEqual(profile));
      expect(await stored(id)).toMatchObject({ version: 1, profile });
    },
  );
  it('write JSON that was changed in place', async () => {
    const id = await made({ profile: { a: 1 } });
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id });
      (entity.profile as { a: number }).a = 2;
    });
    expect(await stored(id)).toMatchObject({ profile: { a: 2 }, version: 2 });
  });
  it('read back what the column makes of a decimal', async () => {
    await run(async (ctx) => {
      const entity = ctx.em.create(Artist, { name, due, rate: '3' });
      await ctx.em.flush();
      expect(entity.rate).toBe('3.00');
      entity.rate = '4.5';
      await ctx.em.flush();
      expect(entity.rate).toBe('4.50');
    });
  });
});

describe('trap 4: money', () => {
  it('is found and changed by its columns', async () => {
    const id = await run(async (ctx) => ctx.em.create(Artist, { name, due: { amount: 1234, currency: 'EUR' } }).id);
    await run(async (ctx) => {
      const [entity] = await ctx.em.find(Artist, { id, due: { amount: 1234 } });
      if (!entity) throw new Error('not found');
      entity.due.amount = 1;
    });
    expect(await stored(id)).toMatchObject({ due_amount: '1', due_currency: 'EUR' });
    expect(await run((ctx) => ctx.em.nativeUpdate(Artist, { id }, { due: { amount: 2, currency: 'USD' } }))).toBe(1);
    expect(await stored(id)).toMatchObject({ due_amount: '2', due_currency: 'USD' });
  });
});

describe('trap 5: version + 1', () => {
  it('is SQL in every statement, in any order', async () => {
    const ids = [await made()];
    name = `${name} second`;
    ids.push(await made());
    for (const expected of [2, 3])
      for (const id of ids) {
        await run(async (ctx) => {
          const entity = await ctx.em.findOneOrFail(Artist, { id });
          entity.works++;
          await ctx.em.flush();
          expect(entity.version).toBe(expected);
        });
        expect(await stored(id)).toMatchObject({ version: expected });
      }
  });
});

describe('trap 6: the tenant', () => {
  const other = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.b.run('studio', fn);
  it('is on every read and write of the entity manager', async () => {
    const id = await made({ works: 5 });
    await other(async ({ em }) => {
      expect(await em.findOne(Artist, { id })).toBeNull();
      expect(await em.findOne(Artist, id)).toBeNull();
      expect(await em.find(Artist, { id }, { filters: false })).toEqual([]);
      expect(await em.find(Artist, op.or({ id }, { works: 5 }), { filters: false })).toEqual([]);
      expect(await em.count(Artist, { id }, { filters: false })).toBe(0);
      expect(await em.nativeUpdate(Artist, { id }, { works: 6 })).toBe(0);
      expect(await em.nativeDelete(Artist, { id })).toBe(0);
      expect(await em.createQueryBuilder(Artist).where({ id }).getResult()).toEqual([]);
      await expect(em.findOneOrFail(Artist, { id })).rejects.toMatchObject({ code: 'not_found' });
    });
    expect(await stored(id)).toMatchObject({ works: 5, version: 1 });
  });
  it('can not be used by any plugin', async () => {
    const id = await made();
    await other(async ({ em }) => {
      const foreign = { tenantId: shop.a.id } as object;
      expect(await em.find(Artist, { id, ...foreign })).toEqual([]);
      await expect(em.nativeUpdate(Artist, { id }, foreign)).rejects.toThrow('a row stays with its tenant');
      await expect(em.insert(Artist, { name, due, ...foreign })).rejects.toMatchObject({ code: 'not_found' });
    });
    const created = other(async ({ em }) => void em.create(Artist, { name, due, ...({ tenantId: shop.a.id } as object) }));
    await expect(created).rejects.toMatchObject({ code: 'not_found' });
  });
  it('makes a reference to a foreign row fail, and never silently', async () => {
    const id = await made();
    const changed = other(async ({ em }) => void em.assign(em.getReference(Artist, id), { note: 'stolen' }));
    await expect(changed).rejects.toMatchObject({ code: 'version_conflict' });
    const removed = other(async ({ em }) => void em.remove(em.getReference(Artist, id)));
    await expect(removed).rejects.toMatchObject({ code: 'not_found' });
    const child = other(async ({ em }) => void em.create(Piece, { artistId: id, title: 'x', position: 1 }));
    await expect(child).rejects.toMatchObject({ code: '23503' });
    expect(await stored(id)).toMatchObject({ note: null, version: 1 });
  });
  it('stays on what is populated', async () => {
    const id = await made();
    await run(async ({ em }) => void em.create(Piece, { artistId: id, title: 'mine', position: 1 }));
    await other(async ({ em }) => {
      const reference = em.getReference(Artist, id);
      await em.populate(reference, ['pieces']);
      expect([reference.name, reference.pieces]).toEqual([undefined, undefined]);
      expect(await em.find(Piece, { artistId: id }, { populate: ['artist'], strategy: 'joined' })).toEqual([]);
      const joined = em.createQueryBuilder(Piece, 'p').leftJoinAndSelect('p.artist', 'a').where({ 'a.id': id });
      expect(await joined.getResult()).toEqual([]);
    });
  });
});

describe('trap 7: operators', () => {
  const bodies: [string, object][] = [
    ['$ne', { note: { $ne: null } }],
    ['$like', { apiKey: { $like: 's%' } }],
    ['$or', { $or: [{ name: 'x' }, { id: { $ne: null } }] }],
    ['$not', { $not: { name: 'x' } }],
    ['nested in a list', { $and: [{ name: { $re: '.*' } }] }],
  ];
  it.each(bodies)('from JSON are refused: %s', async (_, body) => {
    const json = JSON.parse(JSON.stringify(body)) as { id: string };
    await run(async ({ em }) => {
      for (const attempt of [
        () => em.find(Artist, json),
        () => em.findOne(Artist, json),
        () => em.findOneOrFail(Artist, json),
        () => em.findAndCount(Artist, json),
        () => em.count(Artist, json),
        () => em.nativeUpdate(Artist, json, { works: 1 }),
        () => em.nativeDelete(Artist, json),
        () => em.find(Artist, op.and(json, { name })),
        () => em.find(Piece, {}, { populate: ['artist'], populateWhere: { artist: json } }),
      ])
        await expect(attempt()).rejects.toThrow(
          /^The filter of .+ has the operator \$\w+, which op didn't create\. Create it with /,
        );
    });
  });
  it('are refused by a query builder too', async () => {
    await run(async ({ em }) => {
      const json = JSON.parse('{"note": {"$ne": null}}') as object;
      const builder = em.createQueryBuilder(Piece, 'p');
      for (const each of [builder, builder.clone()]) {
        for (const method of ['where', 'andWhere', 'orWhere', 'having', 'andHaving', 'orHaving'] as const)
          expect(() => each[method](json as never)).toThrow(
            "The filter of studio.piece has the operator $ne, which op didn't create. Create it with op.ne(…).",
          );
        for (const method of ['join', 'leftJoin', 'innerJoin', 'leftJoinAndSelect', 'innerJoinAndSelect'] as const) {
          const join = each[method].bind(each) as (field: string, alias: string, condition: object) => unknown;
          expect(() => join('p.artist', 'a', json)).toThrow('operator $ne');
        }
        for (const method of ['orderBy', 'andOrderBy'] as const)
          expect(() => each[method]({ title: 'asc; drop table studio_piece' as 'asc' })).toThrow('is not a sort direction');
      }
      // While another operation is in progress too: only MikroORM's own loader is exempt.
      const finding = em.find(Artist, { name });
      expect(() => builder.where(json as never)).toThrow('operator $ne');
      await finding;
      expect(
        await em
          .createQueryBuilder(Artist, 'a')
          .where({ note: op.ne(null), name })
          .getResult(),
      ).toEqual([]);
    });
  });
  it('of MikroORM itself are taken, inside its collections', async () => {
    const id = await made();
    await run(async ({ em }) => {
      for (const position of [1, 2]) em.create(Piece, { artistId: id, title: `${name} ${position}`, position });
    });
    await run(async ({ em }) => {
      const entity = await em.findOneOrFail(Artist, { id });
      expect(await entity.pieces.loadCount()).toBe(2);
      expect(await entity.pieces.matching({ where: { position: op.gt(1) } })).toHaveLength(1);
      expect((await entity.pieces.loadItems()).map(({ position }) => position)).toEqual([1, 2]);
      const json = JSON.parse('{"title": {"$ne": null}}') as object;
      await expect(entity.pieces.matching({ where: json })).rejects.toThrow('operator $ne');
      expect(await em.countBy(Piece, 'artistId', { where: { artistId: op.in([id]) } })).toEqual({ [id]: 2 });
      em.clear();
      const reference = em.getReference(Artist, id);
      await wrap(reference).init();
      expect(reference.name).toBe(name);
    });
  });
  it('name the operators that op creates, for one that it has not', async () => {
    const json = JSON.parse('{"note": {"$re": ".*"}}') as object;
    await expect(run(({ em }) => em.find(Artist, json))).rejects.toThrow(
      /^The filter of studio\.artist has the operator \$re, .+ one of op\.ne, op\.gt, /,
    );
    const list = JSON.parse('{"name": {"$nin": ["x"]}}') as object;
    await expect(run(({ em }) => em.find(Artist, list))).rejects.toThrow('Create it with op.notIn(…).');
  });
  it('by class, as MikroORM itself asks, are refused from outside too', async () => {
    const id = await made();
    await run(async ({ em }) => {
      const entity = await em.findOneOrFail(Artist, { id });
      const entityClass = entity.constructor as typeof Artist;
      await expect(em.find(entityClass, { note: { $ne: null } })).rejects.toThrow('operator $ne');
    });
  });
  it('refuse an order that is no direction', async () => {
    const direction = 'asc; drop table studio_piece' as 'asc';
    await expect(run(({ em }) => em.find(Artist, {}, { orderBy: { name: direction } }))).rejects.toThrow(
      'is not a sort direction',
    );
  });
});

describe('a query builder', () => {
  it('orders by fields of the entity only', async () => {
    await run(async ({ em }) => {
      const order = { 'name" desc; drop table studio_piece; --': 'asc' } as object;
      for (const method of ['orderBy', 'andOrderBy'] as const)
        expect(() => em.createQueryBuilder(Artist, 'a')[method](order)).toThrow('not existing property');
      await expect(em.find(Artist, {}, { orderBy: order })).rejects.toThrow('not existing property');
    });
    await run(({ em }) => em.find(Piece, {}, { limit: 1 }));
  });
  it('only reads, since writes would skip the rules that the driver keeps', async () => {
    const { id } = await run((ctx) => ctx.rows(sketch).insert({ title: name }));
    await run(async ({ em }) => {
      const builder = em.createQueryBuilder(Sketch);
      for (const write of [
        () => builder.insert({ title: 'x' }),
        () => builder.update({ title: 'x' }),
        () => builder.delete({ id }),
        () => builder.truncate(),
        () => builder.clone().delete({ id }),
      ])
        expect(write).toThrow('only reads');
    });
    expect(await shop.rows('select title, deleted_at from studio_sketch where id = $1', [id])).toEqual([
      { title: name, deleted_at: null },
    ]);
  });
});

describe('trap 8: nested transactions', () => {
  it('keep what was pending before them', async () => {
    const id = await run(async ({ em }) => {
      const pending = em.create(Artist, { name, due });
      await em
        .transactional(async () => {
          throw new Error('undone');
        })
        .catch(() => undefined);
      return pending.id;
    });
    expect(await stored(id)).toMatchObject({ name });
  });
  it.each(['savepoint', 'em.transactional'])(
    'detach what was loaded when a %s fails: a reloaded entity is written, the old one is not',
    async (kind) => {
      const id = await made({ works: 1 });
      await run(async (ctx) => {
        const old = await ctx.em.findOneOrFail(Artist, { id });
        const fail = async (): Promise<never> => {
          old.works = 4;
          await ctx.em.flush();
          throw new Error('undone');
        };
        const nested = kind === 'savepoint' ? ctx.savepoint(fail) : ctx.em.transactional(fail);
        await expect(nested).rejects.toThrow('undone');
        old.works = 5;
        await ctx.em.flush();
        const again = await ctx.em.findOneOrFail(Artist, { id });
        expect(again === old).toBe(false);
        expect(again.works).toBe(1);
        again.note = 'reloaded';
      });
      expect(await stored(id)).toMatchObject({ works: 1, note: 'reloaded' });
    },
  );
  it('leave no entity behind that holds what was undone', async () => {
    const id = await made({ works: 1 });
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id });
      await ctx
        .savepoint(async () => {
          entity.works = 2;
          await ctx.em.flush();
          throw new Error('undone');
        })
        .catch(() => undefined);
      expect((await ctx.em.findOneOrFail(Artist, { id })).works).toBe(1);
    });
    expect(await stored(id)).toMatchObject({ works: 1, version: 1 });
  });
  it('give what they wrote to the outer one', async () => {
    const id = await run(async (ctx) => {
      const inner = await ctx.em.transactional(async (em) => em.create(Artist, { name, due }).id);
      const entity = await ctx.em.findOneOrFail(Artist, { id: inner });
      entity.works = 3;
      return inner;
    });
    expect(await stored(id)).toMatchObject({ works: 3, version: 2 });
  });
});

describe('trap 9: inserts that go out with the commit', () => {
  it('are only those of the last flush: an explicit one throws its own error', async () => {
    await made();
    const caught = await run(async (ctx) => {
      const error = await ctx
        .savepoint(async () => {
          ctx.em.create(Artist, { name, due });
          await ctx.em.flush();
        })
        .catch((thrown: unknown) => thrown);
      return error;
    });
    expect(caught).toMatchObject({ code: '23505', constraint: 'studio_artist_name_key' });
    await expect(run(async ({ em }) => void em.create(Artist, { name, due }))).rejects.toMatchObject({ code: '23505' });
  });
  it('make no answer of their own necessary', async () => {
    await run(async (ctx) => {
      const entity = ctx.em.create(Artist, { name, due });
      await ctx.em.flush();
      expect(entity.version).toBe(1);
      expect(await ctx.rows(artist).require(entity.id)).toMatchObject({ name, version: 1 });
    });
  });
});

describe('trap 10: errors', () => {
  it('keep SQLSTATE and constraint', async () => {
    await made();
    const [state] = await Promise.allSettled([run(async ({ em }) => void em.create(Artist, { name, due }))]);
    expect(state).toMatchObject({ reason: { code: '23505', constraint: 'studio_artist_name_key', table: 'studio_artist' } });
  });
  it('of a lost race are version_conflict', async () => {
    const id = await made();
    const lost = run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id });
      await ctx.db.run(sql`update studio_artist set version = version + 1 where tenant_id = ${ctx.tenant.id} and id = ${id}`);
      entity.works = 9;
    });
    await expect(lost).rejects.toMatchObject({ code: 'version_conflict' });
    const stale = run(async ({ em }) => em.lock(await em.findOneOrFail(Artist, { id }), LockMode.OPTIMISTIC, { lockVersion: 7 }));
    await expect(stale).rejects.toMatchObject({ code: 'version_conflict' });
  });
});

describe('trap 11: native updates and deletes', () => {
  it('raise version and updated_at', async () => {
    const id = await made();
    const before = await stored(id);
    expect(await run(({ em }) => em.nativeUpdate(Artist, { id }, { works: 4 }))).toBe(1);
    const after = await stored(id);
    expect(after).toMatchObject({ works: 4, version: 2 });
    expect(Number(after?.updated_at)).toBeGreaterThan(Number(before?.updated_at));
  });
  it('mark rows that are deleted softly, and see them no more', async () => {
    const [first, second] = await run(async (ctx) => [
      (await ctx.rows(sketch).insert({ title: name })).id,
      (await ctx.rows(sketch).insert({ title: name })).id,
    ]);
    await run(async ({ em }) => {
      em.remove(await em.findOneOrFail(Sketch, { id: first as string }));
      await em.flush();
      expect(await em.nativeDelete(Sketch, { id: second as string })).toBe(1);
      expect(await em.nativeDelete(Sketch, { id: second as string })).toBe(0);
      expect(await em.find(Sketch, { title: name }, { filters: false })).toEqual([]);
      expect(await em.nativeUpdate(Sketch, { title: name }, { title: 'x' })).toBe(0);
    });
    const rows = await shop.rows('select * from studio_sketch where title = $1', [name]);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatchObject({ deleted_at: expect.any(Date), version: 2 });
  });
  it('never change a row of an append-only table', async () => {
    const id = await run(async ({ em }) => em.create(Payment, { cents: 1 }).id);
    await run(async ({ em }) => {
      const entity = await em.findOneOrFail(Payment, { id });
      expect(entity).toMatchObject({ cents: 1, version: 1, updatedAt: entity.createdAt });
      await expect(em.nativeUpdate(Payment, { id }, { cents: 2 })).rejects.toThrow('append-only');
      await expect(em.nativeDelete(Payment, { id })).rejects.toThrow(
        "The table of studio.payment is append-only: its rows can't be changed or deleted. Insert another row.",
      );
    });
    const removed = run(async ({ em }) => void em.remove(await em.findOneOrFail(Payment, { id })));
    await expect(removed).rejects.toThrow('append-only');
    const changed = run(async ({ em }) => {
      (await em.findOneOrFail(Payment, { id })).cents = 2;
    });
    await expect(changed).rejects.toThrow('append-only');
  });
});

describe('trap 12: secrets', () => {
  it('are the sealed text, so that loading one changes nothing', async () => {
    const id = await run(async (ctx) => ctx.em.create(Artist, { name, due, apiKey: ctx.seal('sesame') }).id);
    await run(async (ctx) => {
      const { apiKey } = await ctx.em.findOneOrFail(Artist, { id });
      expect(apiKey).not.toContain('sesame');
      expect(ctx.unseal(apiKey as string)).toBe('sesame');
    });
    expect(await stored(id)).toMatchObject({ version: 1 });
  });
});

describe('trap 13: the entities of another plugin', () => {
  const gallery = <T>(fn: (ctx: Ctx) => Promise<T>): Promise<T> => shop.a.run('gallery', fn);
  it('are refused unless its contract offers them', async () => {
    await gallery(async ({ em }) => {
      expect(await em.find(Sketch, { title: 'nothing has it' })).toEqual([]);
      await expect(em.find(Artist, { name })).rejects.toThrow("gallery can't use the entity studio.artist");
      expect(() => em.create(Artist, { name, due })).toThrow("studio doesn't offer it");
    });
  });
  it('are the same objects for all plugins of the unit of work', async () => {
    await run(async ({ em }) => {
      const mine = em.create(Sketch, { title: name });
      await em.flush();
      await gallery(async (other) => {
        expect(await other.em.findOne(Sketch, { id: mine.id })).toBe(mine);
        expect(await other.em.find(Sketch, { title: name })).toEqual([mine]);
      });
    });
  });
});

describe('trap 14: what there is not', () => {
  it('is refused with what to do instead', async () => {
    await run(async (ctx) => {
      const { em } = ctx;
      await expect(em.upsert(Artist, { name, due })).rejects.toThrow('ctx.em has no upsert');
      await expect(em.upsertMany(Artist, [{ name, due }])).rejects.toThrow('ctx.em has no upsertMany');
      const propagation = 'requires_new' as never;
      await expect(em.transactional(async () => undefined, { propagation })).rejects.toThrow('one transaction');
      await expect(em.begin()).rejects.toThrow('ctx.savepoint');
      expect(() => em.getKysely()).toThrow('ctx.db.query');
      await expect(em.getConnection().execute('select 1')).rejects.toThrow('outside a unit of work');
      await expect(async () => {
        for await (const _ of em.stream(Artist)) break;
      }).rejects.toThrow('streams no rows');
    });
  });
});

describe('trap 17: statements beside the entity manager', () => {
  it('see what it has pending', async () => {
    await run(async (ctx) => {
      const entity = ctx.em.create(Artist, { name, due });
      expect(await ctx.rows(artist).get(entity.id)).toMatchObject({ name });
      entity.works = 11;
      const row = await ctx.db.first<{ works: number }>(sql`select works from studio_artist where id = ${entity.id}`);
      expect(row).toEqual({ works: 11 });
      entity.works = 12;
      const [found] = await ctx.db.query.selectFrom('studio_artist').select('works').where('id', '=', entity.id).execute();
      expect(found).toEqual({ works: 12 });
    });
  });
  it('go out behind it, those for later too', async () => {
    await run(async (ctx) => {
      const { id } = ctx.em.create(Artist, { name, due });
      ctx.db.later(
        sql`insert into studio_piece (tenant_id, id, artist_id, title, position, created_at, updated_at)
          values (${ctx.tenant.id}, ${uuidv7()}, ${id}, 'later', 1, now(), now())`,
      );
      expect(await ctx.db.rows(sql`select from studio_piece where artist_id = ${id}`)).toHaveLength(1);
    });
  });
  it('take the row that ctx.rows has written out of the identity map', async () => {
    const id = await made({ works: 1 });
    await run(async (ctx) => {
      const held = await ctx.em.findOneOrFail(Artist, { id });
      await ctx.rows(artist).update(id, { works: 2 });
      const found = await ctx.em.findOneOrFail(Artist, { id });
      expect([held.works, found.works]).toEqual([1, 2]);
      await ctx.rows(artist).updateWhere({ name }, { works: 3 });
      expect((await ctx.em.findOneOrFail(Artist, { id })).works).toBe(3);
    });
    expect(await stored(id)).toMatchObject({ works: 3, version: 3 });
  });
});

describe('trap 19: parallel use', () => {
  it('throws and names the rule', async () => {
    await run(async ({ em }) => {
      const both = await Promise.allSettled([em.find(Artist, { name }), em.find(Piece, { title: name })]);
      expect(both[0]?.status).toBe('fulfilled');
      expect(both[1]).toMatchObject({
        reason: { message: expect.stringMatching(/in parallel: find was called while find was in progress/) },
      });
      em.create(Artist, { name, due });
      const [, found] = await Promise.allSettled([em.flush(), em.find(Artist, { name })]);
      expect(found?.status).toBe('rejected');
    });
  });
  it('throws for a fork too, which uses the same connection', async () => {
    await run(async ({ em }) => {
      const [, second] = await Promise.allSettled([em.find(Artist, { name }), em.fork().find(Artist, { name })]);
      expect(second).toMatchObject({
        reason: { message: expect.stringContaining('find was called while find was in progress') },
      });
    });
  });
  it('throws for a second nested transaction and for operations beside one, and undoes nothing else', async () => {
    const id = await made();
    await run(async (ctx) => {
      const { em } = ctx;
      const outer = await em.findOneOrFail(Artist, { id });
      const [begun, checked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const nested = em.transactional(async (inner) => {
        inner.create(Artist, { name: `${name} first`, due });
        await inner.flush();
        begun.resolve();
        await checked.promise;
      });
      await begun.promise;
      const message = /^ctx\.em is used in parallel: \w+ was called beside an open em\.transactional/;
      for (const use of [
        () => em.transactional(async () => undefined),
        () => em.find(Artist, { name }),
        () => em.nativeUpdate(Artist, { id }, { works: 1 }),
        () => em.flush(),
        async () => em.create(Artist, { name: `${name} beside`, due }),
        async () => em.remove(outer),
        async () => em.persist(outer),
      ])
        await expect(use()).rejects.toThrow(message);
      checked.resolve();
      await nested;
      outer.works = 4;
    });
    expect(await stored(id)).toMatchObject({ works: 4 });
    expect(await shop.rows('select name from studio_artist where name like $1', [`${name} %`])).toEqual([
      { name: `${name} first` },
    ]);
  });
  it('of ctx.db beside a nested transaction waits, so that its rollback keeps the statement', async () => {
    const [kept, changed] = [await made(), await run(async (ctx) => (await ctx.rows(sketch).insert({ title: name })).id)];
    await run(async (ctx) => {
      const begun = Promise.withResolvers<void>();
      const nested = ctx.em.transactional(async (em) => {
        (await em.findOneOrFail(Artist, { id: kept })).works = 9;
        await em.flush();
        begun.resolve();
        await new Promise((resolve) => setTimeout(resolve, 30));
        throw new Error('undone');
      });
      await begun.promise;
      const [first, second] = await Promise.allSettled([nested, ctx.rows(sketch).update(changed, { title: `${name} kept` })]);
      expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
    });
    expect(await stored(kept)).toMatchObject({ works: 0 });
    expect(await shop.rows('select title from studio_sketch where id = $1', [changed])).toEqual([{ title: `${name} kept` }]);
  });
  it('in nested transactions inside one another writes to the innermost', async () => {
    await run(async ({ em }) => {
      await em.transactional(async (middle) => {
        em.create(Artist, { name: `${name} middle`, due });
        await middle
          .transactional(async () => {
            em.create(Artist, { name: `${name} inner`, due });
            throw new Error('undone');
          })
          .catch(() => undefined);
      });
    });
    expect(await shop.rows('select name from studio_artist where name like $1', [`${name} %`])).toEqual([
      { name: `${name} middle` },
    ]);
  });
  it('is no fault of reads by ctx.db beside it', async () => {
    const id = await made();
    await run(async (ctx) => {
      const [entity, rows] = await Promise.all([ctx.em.findOne(Artist, { id }), ctx.rows(artist).find({ id })]);
      expect([entity?.id, rows[0]?.id]).toEqual([id, id]);
    });
  });
});

describe('trap 20: the schema', () => {
  it('is made by migrations alone: MikroORM has no connection of its own and no generator here', async () => {
    await run(async ({ em }) => {
      expect(() => em.getConnection().getClient()).toThrow('ctx.db.query');
      expect(() =>
        em.getDriver().getPlatform().getExtension('Migrator', '@mikro-orm/migrator', '@mikro-orm/migrations', em),
      ).toThrow();
    });
  });
});

describe('many rows in one statement', () => {
  const everything = {
    profile: '"1"',
    title: { ro: 'Pictor', en: 'Painter' },
    tags: ['a', '1'],
    born: '1980-02-29',
    opens: '24:00',
    joined: '2026-11-27T20:12:00.500Z',
    rate: '12.50',
    fee: { amount: 9_007_199_254_740_991, currency: 'EUR' },
    apiKey: 'sesame',
  };
  const items = () => Array.from({ length: 40 }, (_, works) => ({ name: `${name} ${works}`, due, works, ...everything }));

  it('are inserted with the values of a single insert, in order', async () => {
    const { one, many } = await run(async (ctx) => ({
      one: await ctx.rows(artist).insert({ name: `${name} alone`, due, works: 7, ...everything }),
      many: await ctx.rows(artist).insertMany(items()),
    }));
    expect(many.map(({ works }) => works)).toEqual(items().map(({ works }) => works));
    const { apiKey, ...same } = one;
    const changing = { id: expect.any(String), createdAt: expect.any(String), updatedAt: expect.any(String) };
    expect(many[7]).toMatchObject({ ...same, ...changing, name: `${name} 7` });
    await run(async (ctx) => {
      const row = await ctx.rows(artist).require(many[7]?.id as string);
      expect(row).toEqual(many[7]);
      expect([apiKey, row.apiKey].map((sealed) => ctx.unseal(sealed as string))).toEqual(['sesame', 'sesame']);
    });
  });

  it('are changed with their versions, in the order of the changes', async () => {
    const rows = await run((ctx) => ctx.rows(artist).insertMany(items()));
    const changes = rows.map(({ id }, i) => ({
      id,
      note: `note ${i}`,
      fee: i % 2 === 0 ? null : { amount: i, currency: 'RON' },
    }));
    const changed = await run((ctx) => ctx.rows(artist).updateMany(changes.toReversed()));
    expect(changed.map(({ id, note, fee, version }) => ({ id, note, fee, version }))).toEqual(
      changes.toReversed().map((change) => ({ ...change, version: 2 })),
    );
    await run(async (ctx) => {
      const entity = await ctx.em.findOneOrFail(Artist, { id: rows[0]?.id as string });
      await ctx.rows(artist).updateMany([{ id: entity.id, note: 'again' }]);
      expect((await ctx.em.findOneOrFail(Artist, { id: entity.id })).note).toBe('again');
    });
  });

  it('are refused together if one is missing, is of another tenant, or has other properties', async () => {
    const own = await made();
    const other = await shop.b.run('studio', async (ctx) => (await ctx.rows(artist).insert({ name, due })).id);
    for (const id of [uuidv7(), other]) {
      const change = run((ctx) =>
        ctx.rows(artist).updateMany([
          { id: own, note: 'x' },
          { id, note: 'x' },
        ]),
      );
      await expect(change).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(
      run((ctx) =>
        ctx.rows(artist).updateMany([
          { id: own, note: 'x' },
          { id: own, works: 1 },
        ]),
      ),
    ).rejects.toThrow('different properties');
    expect(await stored(own)).toMatchObject({ note: null, version: 1 });
    expect(await stored(other)).toMatchObject({ note: null, version: 1 });
  });
});

describe('units of work', () => {
  it('that only read refuse changes', async () => {
    const id = await made();
    const changed = shop.kernel.inTenant(
      shop.a.id,
      'studio',
      async ({ em }) => {
        (await em.findOneOrFail(Artist, { id })).works = 1;
      },
      { readOnly: true },
    );
    await expect(changed).rejects.toThrow('read-only unit of work');
    await shop.kernel.inTenant(shop.a.id, 'studio', ({ em }) => em.findOneOrFail(Artist, { id }), { readOnly: true });
  });
  it('write nothing where they fail', async () => {
    const failed = run(async ({ em }) => {
      em.create(Artist, { name, due });
      await em.flush();
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await shop.rows('select from studio_artist where name = $1', [name])).toEqual([]);
  });
});
