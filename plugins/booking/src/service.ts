import { type BaseRow, type Ctx, f, problem, type RowOf, resource, type Shape, sql } from '@storeloom/plugin-sdk';

const minutes = (max = 1440) => f.int({ min: 0, max });

export const serviceFields = {
  name: f.text().search().sort(),
  description: f.text({ max: 2000 }).optional(),
  durationMin: f.int({ min: 1, max: 1440 }),
  bufferBeforeMin: minutes().default(0),
  bufferAfterMin: minutes().default(0),
  /** Between two starts; default the duration. */
  slotIntervalMin: f.int({ min: 1, max: 1440 }).optional(),
  slotAlign: f.oneOf(['window', 'clock']).default('window'),
  price: f.money({ min: 0, own: true }).sort(),
  /** Seats of one session. */
  capacity: f.int({ min: 1, max: 1000 }).default(1),
  minNoticeMin: minutes(527_040).default(0),
  maxAdvanceDays: f.int({ min: 1, max: 3650 }).optional(),
  /** Until so long before the start customers may reschedule and cancel. */
  cancelCutoffMin: minutes(527_040).default(0),
  requiresConfirmation: f.bool().default(false),
  /** Per seat; due when a customer books. */
  deposit: f.money({ min: 0, own: true }).optional(),
  staffIds: f.list(f.ref('booking.staff'), { max: 500 }).default([]).virtual(),
  category: f.text({ max: 100 }).optional().filter().sort(),
  color: f.text({ max: 7, pattern: /^#[0-9a-fA-F]{6}$/ }).optional(),
  isActive: f.bool().default(true).filter(),
} satisfies Shape;
export type Service = RowOf<typeof serviceFields> & BaseRow;

/** `staffIds` is read from and written to `serviceIds` of the staff. */
export const service = resource('service', {
  path: 'services',
  verbs: ['list', 'create', 'update', 'remove'],
  fields: serviceFields,
  indexes: [{ name: 'booking_service_created_idx', fields: ['createdAt', 'id'] }],
  deletes: 'soft',
  defaultSort: 'name',
  filters: {
    staffId: {
      field: f.id(),
      operators: ['eq'],
      where: (_, value) => sql`exists (select from booking_staff s where s.tenant_id = t.tenant_id and s.id = ${value}
        and s.service_ids @> jsonb_build_array(t.id::text))`,
    },
  },
  present: withStaff,
  before: {
    async remove(ctx, row) {
      const futureAppointments = await futureOf(ctx, sql`service_id = ${row.id}`);
      if (futureAppointments > 0)
        throw problem('in_use', {
          detail: `The service has ${futureAppointments} future appointments. Reschedule or cancel them first.`,
          counts: { futureAppointments },
        });
    },
  },
  after: {
    async create(ctx, row, input) {
      await setStaff(ctx, row.id, input.staffIds);
      ctx.dropCache('booking');
    },
    async update(ctx, row, patch) {
      if (patch.staffIds !== undefined) await setStaff(ctx, row.id, patch.staffIds);
      ctx.dropCache('booking');
    },
    remove: (ctx) => ctx.dropCache('booking'),
  },
});

/** Number of future appointments that meet a condition. */
export async function futureOf(ctx: Ctx, where: ReturnType<typeof sql>): Promise<number> {
  const found = await ctx.db.first<{ n: number }>(sql`
    select count(*)::int8 as n from booking_appointment where tenant_id = ${ctx.tenant.id} and ${where}
      and status in ('pending', 'confirmed', 'checked_in') and ends_at > ${ctx.clock.now()}::timestamptz
      and (status <> 'pending' or hold_expires_at is null or hold_expires_at > ${ctx.clock.now()}::timestamptz)`);
  return found?.n ?? 0;
}

/** Locks the staff in the order of their ids, as everywhere. */
async function setStaff(ctx: Ctx, serviceId: string, staffIds: readonly string[]): Promise<void> {
  await ctx.db.run(sql`
    with locked as (select s.id, s.id = any(${[...staffIds]}::uuid[]) as wanted, s.service_ids @> jsonb_build_array(${serviceId}::text) as offers
      from booking_staff s where s.tenant_id = ${ctx.tenant.id} and
        (s.id = any(${[...staffIds]}::uuid[]) or s.service_ids @> jsonb_build_array(${serviceId}::text)) order by s.id for no key update)
    update booking_staff s set version = s.version + 1, updated_at = ${ctx.clock.now()},
      service_ids = case when l.wanted then s.service_ids || jsonb_build_array(${serviceId}::text) else s.service_ids - ${serviceId}::text end
    from locked l where s.tenant_id = ${ctx.tenant.id} and s.id = l.id and l.wanted <> l.offers`);
}

async function withStaff(ctx: Ctx, rows: Service[]): Promise<Service[]> {
  const offers = await ctx.db.rows<{ id: string; serviceId: string }>(sql`
    select s.id, o.service_id as "serviceId" from booking_staff s, jsonb_array_elements_text(s.service_ids) o(service_id)
    where s.tenant_id = ${ctx.tenant.id} and o.service_id = any(${rows.map(({ id }) => id)}::text[]) order by s.id`);
  return rows.map((row) => ({ ...row, staffIds: offers.filter(({ serviceId }) => serviceId === row.id).map(({ id }) => id) }));
}
