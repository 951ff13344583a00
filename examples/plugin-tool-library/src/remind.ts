import type { Job } from '@storeloom/plugin-sdk';
import { addDays, civilDate } from '@storeloom/plugin-sdk/time';
import { loan } from './loan.ts';
import { mailBorrower } from './mail.ts';

// #region remind
/** Reminds customers of the tools that are due tomorrow. Runs every morning in each shop's time zone. */
export const remind: Job = {
  cron: '0 8 * * *',
  perTenant: true,
  async run(ctx) {
    const dueOn = addDays(civilDate(ctx.clock.now(), ctx.tenant.timezone), 1);
    for (const { id } of await ctx.rows(loan).find({ status: 'out', dueOn })) await mailBorrower(ctx, id, 'reminder');
  },
};
// #endregion
