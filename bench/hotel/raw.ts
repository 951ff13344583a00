// The raw program for hotel availability: node:http and pg, hand-written SQL, without framework and tenancy, with the required rules only.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.RAW_DATABASE_URL ?? '', max: 12 });
const tenant = process.env.RAW_TENANT ?? '';
interface Rule {
  from: string;
  to: string;
  rate: { amount: number; currency: string } | null;
  minStay: number | null;
  quota: number | null;
}
const rules = new Map<string, Rule[]>(JSON.parse(process.env.RAW_RULES ?? '[]'));

const statements = {
  rooms: `select r.id, r.room_type, r.max_adults, r.max_children, r.base_rate_amount::int as rate, r.status, r.out_from::text, r.out_to::text,
    exists (select from hotel_room_night n where n.tenant_id = r.tenant_id and n.room_id = r.id and n.night >= $2::date and n.night < $3::date
      and not exists (select from hotel_reservation h where h.tenant_id = n.tenant_id and h.id = n.reservation_id and h.status = 'pending' and h.hold_expires_at <= now())) as busy
    from hotel_room r where r.tenant_id = $1 order by r.number, r.id`,
  sold: `select room_type, night::text, reserved from hotel_type_night where tenant_id = $1 and night >= $2::date and night < $3::date`,
};
interface Room {
  id: string;
  room_type: string;
  max_adults: number;
  max_children: number;
  rate: number;
  status: string;
  out_from: string | null;
  out_to: string | null;
  busy: boolean;
}

function nightsOf(from: string, to: string): string[] {
  const nights: string[] = [];
  for (let ms = Date.parse(from); ms < Date.parse(to); ms += 86_400_000) nights.push(new Date(ms).toISOString().slice(0, 10));
  return nights;
}

async function availability(params: URLSearchParams): Promise<unknown> {
  const [from, to] = [params.get('checkIn') ?? '', params.get('checkOut') ?? ''];
  const adults = Number(params.get('adults') ?? 1);
  const nights = nightsOf(from, to);
  const [rooms, sold] = await Promise.all([
    pool.query<Room>({ name: 'rooms', text: statements.rooms, values: [tenant, from, to] }),
    pool.query<{ room_type: string; night: string; reserved: number }>({
      name: 'sold',
      text: statements.sold,
      values: [tenant, from, to],
    }),
  ]);
  const taken = new Map(sold.rows.map(({ room_type, night, reserved }) => [`${room_type} ${night}`, reserved]));
  const isOut = (room: Room, night: string): boolean =>
    room.status !== 'available' && (!room.out_from || room.out_from <= night) && (!room.out_to || night < room.out_to);
  const data = [...Map.groupBy(rooms.rows, (room) => room.room_type)].flatMap(([roomType, all]) => {
    const fitting = all.filter((room) => room.max_adults >= adults);
    if (fitting.length === 0) return [];
    const own = rules.get(roomType) ?? [];
    const base = Math.min(...fitting.map(({ rate }) => rate));
    const violations: { rule: string; date: string; limit: number }[] = [];
    let left = all.length;
    const nightly = nights.map((night) => {
      const count = taken.get(`${roomType} ${night}`) ?? 0;
      left = Math.min(left, all.filter((room) => !isOut(room, night)).length - count);
      let rate = { amount: base, currency: 'RON' };
      for (const rule of own) {
        if (rule.from > night || night > rule.to) continue;
        if (rule.rate) rate = rule.rate;
        if (rule.minStay !== null && nights.length < rule.minStay)
          violations.push({ rule: 'min_stay', date: night, limit: rule.minStay });
        if (rule.quota !== null && count + 1 > rule.quota) violations.push({ rule: 'quota', date: night, limit: rule.quota });
      }
      return { date: night, rate };
    });
    const roomIds = fitting
      .filter((room) => !room.busy && (room.status === 'available' || !nights.some((night) => isOut(room, night))))
      .map(({ id }) => id);
    const total = { amount: nightly.reduce((sum, { rate }) => sum + rate.amount, 0), currency: 'RON' };
    return [{ roomType, available: violations.length > 0 ? 0 : Math.max(0, left), roomIds, nightly, total, violations }];
  });
  data.sort((a, b) => (a.roomType < b.roomType ? -1 : 1));
  return { data, page: { limit: Math.max(data.length, 1), nextCursor: null } };
}

const server = createServer(async (req, res) => {
  try {
    const body = await availability(new URL(req.url ?? '/', 'http://localhost').searchParams);
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on port ${(server.address() as AddressInfo).port}\n`));
process.on('SIGTERM', () => process.exit(0));
