import { type JobData, mailer, type PlatformCtx, type PlatformJob, sql } from '@storeloom/plugin-sdk';
import type { queued } from '../queued.ts';
import { tokenOfLicence } from '../registry/tokens.ts';
import { findLicence } from './licence.ts';

/** The operator's own tenant: its shop sells the licences, and its mail brings them. */
export async function operatorTenantId(ctx: PlatformCtx): Promise<string | undefined> {
  const row = await ctx.db.first<{ id: string }>(sql`select id from core_tenant where operator and status <> 'terminated'`);
  return row?.id;
}

interface Mailed {
  email: string;
  sealed: string;
  plan: string;
  expiresAt: string;
  maxActivations: number;
  revoked: boolean;
}

/** Sends the key to whom the licence is for, once a `mail`. */
export const licenceMailJob: PlatformJob<JobData<typeof queued.licenceMail>> = {
  platform: true,
  async run(ctx, { licenceId, mail }) {
    const found = await ctx.transaction(async (platform) => {
      const licence = await findLicence(platform, { id: licenceId }, { lock: true });
      const row =
        await platform.db.first<Mailed>(sql`select customer_email as email, key_sealed as sealed, plan, expires_at as "expiresAt",
          max_activations as "maxActivations", revoked_at is not null as revoked from platform_license where id = ${licenceId}`);
      const tenantId = await operatorTenantId(platform);
      if (!licence || !row || tenantId === undefined) return undefined;
      return { row, tenantId, token: row.revoked ? '' : await tokenOfLicence(platform, licence) };
    });
    if (!found) throw new Error(`the mail of the licence ${licenceId} has no licence or no shop to send it from`);
    const { row, tenantId, token } = found;
    if (row.revoked) {
      ctx.log.info({ licence: licenceId }, 'the mail of a revoked licence was left out');
      return;
    }
    await ctx.withTenant(tenantId, (tenant) =>
      tenant.require(mailer).send({
        to: row.email,
        template: 'platform.licence',
        key: `licence:${licenceId}:${mail}`,
        data: {
          shop: tenant.tenant.name,
          key: ctx.unseal(row.sealed),
          token,
          plan: row.plan,
          until: row.expiresAt.slice(0, 10),
          activations: row.maxActivations,
        },
      }),
    );
  },
};
