import { type Ctx, domainError, type PatchOf, problem, resource, sql } from '@storeloom/plugin-sdk';
import { mapConstraintErrors, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { reassign } from './reassign.ts';
import { futureOf } from './service.ts';
import { exclusion } from './session.ts';
import { type Staff, staffFields } from './staff-fields.ts';

const { reassignTo: _, ...createBody } = staffFields;

export const staff = resource('staff', {
  path: 'staff',
  verbs: ['list', 'create', 'update'],
  fields: staffFields,
  indexes: [{ name: 'booking_staff_created_idx', fields: ['createdAt', 'id'] }],
  problems: ['in_use'],
  defaultSort: 'name',
  routes: { create: { body: createBody } },
  filters: {
    serviceId: {
      field: staffFields.userId,
      operators: ['eq'],
      where: (_, value) => sql`t.service_ids @> jsonb_build_array(${value}::text)`,
    },
  },
  before: {
    create: (_, input) => ({ serviceIds: [...new Set(input.serviceIds)] }),
    async update(ctx, row, patch) {
      if (row.isActive && patch.isActive === false) await deactivate(ctx, row, patch);
      return patch.serviceIds === undefined ? undefined : { serviceIds: [...new Set(patch.serviceIds)] };
    },
  },
  after: {
    create: (ctx) => ctx.dropCache('booking'),
    update: (ctx) => ctx.dropCache('booking'),
  },
});

/** Deactivates a member of staff; `reassignTo` must be free for, and offer, all future appointments. @throws 409 `in_use` */
async function deactivate(ctx: Ctx, row: Staff, { reassignTo }: PatchOf<typeof staffFields>): Promise<void> {
  if (reassignTo === row.id) throw domainError('/reassignTo', 'validation_failed', 'must be another member of staff');
  const futureAppointments = await futureOf(ctx, sql`staff_id = ${row.id}`);
  if (futureAppointments === 0) return;
  const refused = (detail: string) => problem('in_use', { detail, counts: { futureAppointments } });
  if (!reassignTo)
    throw refused(`${futureAppointments} future appointments are with this member of staff. Name another one in reassignTo.`);
  await withResourceLocks(ctx, staff, [row.id, reassignTo], async (rows) => {
    const to = rows.find(({ id }) => id === reassignTo) as Staff;
    const busy = () => refused('The member of staff in reassignTo is not free, or does not offer all of the services.');
    if (!(await mapConstraintErrors({ [exclusion.constraint]: busy }, () => reassign(ctx, row, to)))) throw busy();
  });
}
