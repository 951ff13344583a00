import { type LicenceView, licence, notifications, type PlatformCtx, type PlatformJob, sql } from '@storeloom/plugin-sdk';
import { operatorTenantId } from './mail.ts';

type State = LicenceView['state'];
const noticeName = 'licence-notice';

interface Notice {
  title: Record<string, string>;
  body: Record<string, string>;
}
/** Returns the notification for staff of the operator's shop on a state of the licence; none for a valid one. */
function noticeOf(state: State, expiresAt: string | null): Notice | undefined {
  const date = expiresAt?.slice(0, 10) ?? '–';
  switch (state) {
    case 'renewal_due':
      return {
        title: { ro: 'Licența trebuie reînnoită', en: 'The licence must be renewed' },
        body: {
          ro: `Licența este valabilă până la ${date}, sau certificatul ei nu a putut fi reînnoit până acum. Totul funcționează.`,
          en: `The licence runs until ${date}, or its certificate could not be renewed so far. Everything works.`,
        },
      };
    case 'grace':
      return {
        title: { ro: 'Licența este în perioada de grație', en: 'The licence is in its grace period' },
        body: {
          ro: 'Licența a expirat, sau serverul de licențe nu răspunde. Totul funcționează până la sfârșitul perioadei de grație.',
          en: 'The licence has ended, or its server does not answer. Everything works until the grace period is over.',
        },
      };
    case 'expired':
    case 'revoked':
      return {
        title:
          state === 'expired'
            ? { ro: 'Licența a expirat', en: 'The licence has expired' }
            : { ro: 'Licența a fost revocată', en: 'The licence was revoked' },
        body: {
          ro: 'Magazinele existente vând în continuare. Nu se pot porni alte pluginuri sau teme și nu se pot crea magazine noi.',
          en: 'Existing shops go on selling. No further plugin or theme can be put on, and no new shop can be made.',
        },
      };
    default:
      return undefined;
  }
}

/** Told once a change of state. */
async function tell(ctx: PlatformCtx): Promise<void> {
  const { state, expiresAt } = ctx.require(licence).view();
  const known = await ctx.transaction(
    async (platform) => ({
      last: (await platform.db.first<{ value: State }>(sql`select value from platform_setting where name = ${noticeName}`))
        ?.value,
      tenantId: await operatorTenantId(platform),
    }),
    { readOnly: true },
  );
  if (known.last === state) return;
  const notice = noticeOf(state, expiresAt);
  const { tenantId } = known;
  if (notice && tenantId !== undefined)
    await ctx.withTenant(tenantId, async (tenant) =>
      tenant.use(notifications)?.notifyStaff({ type: 'platform.license', link: '/license', ...notice }),
    );
  await ctx.transaction(({ db }) =>
    db.run(sql`insert into platform_setting (name, value, updated_at) values (${noticeName}, ${JSON.stringify(state)}::jsonb, ${ctx.clock.now()})
      on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at, version = platform_setting.version + 1`),
  );
}

/** One process an hour: the heartbeat is due once a day, and tried each hour while it fails. */
export const licenceJob: PlatformJob = {
  platform: true,
  cron: '17 * * * *',
  async run(ctx) {
    const row = await ctx.transaction(
      ({ db }) =>
        db.first<{ at: string }>(
          sql`select created_at as at from core_event where type = 'orders.order.placed' order by created_at desc limit 1`,
        ),
      { readOnly: true },
    );
    await ctx.require(licence).runMaintenance({ newestOrderAt: row?.at ?? null });
    await tell(ctx);
  },
};
