import { personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { appointment } from './appointment.ts';
import { staff } from './staff.ts';

const open: readonly string[] = ['pending', 'confirmed', 'checked_in'];

/** Appointments stay, without a name; open ones are kept until they are over. Staff lose address and phone. */
export const { exportPerson, erasePerson } = personalTaps(
  personalRows({
    table: appointment,
    erased: { customer: { name: 'erased', email: null, phone: null }, customerId: null },
    keep: {
      reason: 'open_appointment',
      until: (ctx, { status, endsAt }) => (open.includes(status) && endsAt > ctx.clock.now() ? endsAt : null),
    },
  }),
  personalRows({
    table: staff,
    by: ['userId', 'email'],
    exports: ['id', 'name', 'email', 'phone'],
    erased: { userId: null },
  }),
);
