// Cost of `ctx.rows` and `ctx.em` without the database: microseconds per operation, with a session that responds immediately.
// `node bench/data-layer.ts [--rounds 20000]`
import { parseArgs } from 'node:util';
import { createOrm, type Unit } from '@storeloom/data';
import { type Db, definePlugin, entityOf, f, type RawBuilder, rowsOf, table, uuidv7 } from '@storeloom/plugin-sdk';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20000' } } });
const rounds = Number(values.rounds);

const stay = table('stay', {
  roomId: f.id(),
  guestId: f.id().optional(),
  arrival: f.date(),
  departure: f.date(),
  adults: f.int().default(1),
  children: f.int().default(0),
  reference: f.text(),
  note: f.text().optional(),
  email: f.email().optional(),
  phone: f.phone().optional(),
  total: f.money(),
  paid: f.money().optional(),
  rates: f.list(f.object({ day: f.date(), amount: f.int() })).default([]),
  source: f.oneOf(['desk', 'web']).default('desk'),
  holdExpiresAt: f.instant().optional(),
  checkedInAt: f.instant().optional(),
  confirmed: f.bool().default(false),
  status: f.text(),
});
definePlugin({ name: 'bench', tables: [stay], locales: { ro: {}, en: {} } });
const Stay = entityOf(stay);

const tenantId = uuidv7();
const clock = { ms: () => Date.now(), now: () => new Date().toISOString() };
const [id, roomId] = [uuidv7(), uuidv7()];
const total = { amount: 12_000, currency: 'RON' };
const input = { roomId, arrival: '2026-12-01', departure: '2026-12-03', reference: 'R1', total, status: 'booked' };
const stored = {
  id,
  created_at: clock.now(),
  updated_at: clock.now(),
  version: 1,
  room_id: roomId,
  guest_id: null,
  arrival: '2026-12-01',
  departure: '2026-12-03',
  adults: 1,
  children: 0,
  reference: 'R1',
  note: null,
  email: null,
  phone: null,
  total_amount: 12_000,
  total_currency: 'RON',
  paid_amount: null,
  paid_currency: null,
  rates: [],
  source: 'desk',
  hold_expires_at: null,
  checked_in_at: null,
  confirmed: false,
  status: 'booked',
};

const orm = createOrm([stay as never]);
// Compiles the statement before sending it, as the session does.
const sent = async (statement: RawBuilder<unknown>): Promise<never[]> => {
  statement.compile(undefined as never);
  return [{ ...stored }] as never[];
};
const db = {
  rows: sent,
  first: async (statement: RawBuilder<unknown>) => (await sent(statement))[0],
  run: async (statement: RawBuilder<unknown>) => (await sent(statement)).length,
  later: (statement: RawBuilder<unknown>) => void statement.compile(undefined as never),
} as unknown as Db;
const rows = () => rowsOf({ db, tenantId, clock, statements: orm.statements, seal: (text) => text }, stay);
const unit = (): Unit => ({
  tenantId,
  clock,
  pipelined: false,
  send: async () => ({ rows: [{ ...stored }], count: 1, command: 'SELECT' }),
  later: () => undefined,
  complete: () => undefined,
  fail: () => undefined,
});
const entityManager = () => orm.entityManager(unit(), 'bench');

const operations: Record<string, () => unknown> = {
  'rows get': () => rows().get(id),
  'rows find, 3 conditions': () =>
    rows().find({ roomId, status: 'booked', arrival: '2026-12-01' }, { orderBy: ['-createdAt'], limit: 20 }),
  'rows find, a list of ids': () => rows().find({ id: [id, roomId] }),
  'rows insert': () => rows().insert(input),
  'rows insert, 10 rows': () => rows().insertMany(Array.from({ length: 10 }, () => input)),
  'rows update': () => rows().update(id, { status: 'arrived', note: 'late' }),
  'em fork': () => entityManager(),
  'em fork + findOne': () => entityManager().findOne(Stay, { id }),
  'em create + flush': () => {
    const em = entityManager();
    em.create(Stay, input);
    return em.flush();
  },
  'em findOne + change + flush': async () => {
    const em = entityManager();
    const entity = await em.findOneOrFail(Stay, { id });
    entity.status = 'arrived';
    await em.flush();
  },
  'em 20 loaded: is anything pending?': (() => {
    const em = entityManager();
    for (let i = 0; i < 20; i++) em.map(Stay as never, { ...stored, id: uuidv7() } as never);
    return () => em.isDirty();
  })(),
};

for (const [name, operation] of Object.entries(operations)) {
  for (let i = 0; i < rounds; i++) await operation();
  const times: number[] = [];
  for (let part = 0; part < 5; part++) {
    const began = performance.now();
    for (let i = 0; i < rounds / 5; i++) await operation();
    times.push(((performance.now() - began) / (rounds / 5)) * 1000);
  }
  times.sort((a, b) => a - b);
  console.log(`${name.padEnd(36)} ${(times[2] as number).toFixed(1).padStart(7)} µs`);
}
