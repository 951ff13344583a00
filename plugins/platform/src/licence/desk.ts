import { type Ctx, invalid, isCivilDate, type PlatformCtx, problem, provide, sql } from '@storeloom/plugin-sdk';
import { type LicenceDesk, licenceDesk } from '../contract.ts';
import { addEvent, type Licence, requireLiveLicence } from './licence.ts';
import { takeSeat } from './licensing.ts';

/** A civil date as its last second, in UTC. */
function endOf(date: string, at: string): string {
  if (!isCivilDate(date)) throw invalid(at, 'invalid', 'must be a date such as 2027-12-31');
  return `${date}T23:59:59.000Z`;
}

const desk = (ctx: PlatformCtx): LicenceDesk => ({
  certificate: (licenseId, installation) =>
    ctx.transaction(async (tx) => {
      const licence = await requireLiveLicence(tx, licenseId);
      if (!/^[\w:.-]{1,100}$/.test(installation))
        throw invalid('/installation', 'invalid', 'must be the id that storeloom license show prints there');
      if (Date.parse(licence.expiresAt) <= tx.clock.ms())
        throw invalid('/licenseId', 'expired', 'the licence has ended: extend it first');
      const { certificate } = await takeSeat(tx, licence, installation);
      if (certificate === undefined)
        throw problem('activation_limit', { detail: `All ${licence.maxActivations} activations of the licence are taken.` });
      await tx.audit({
        entity: 'platform.license',
        entityId: licence.id,
        action: 'platform.license.certificate',
        before: null,
        after: { installation },
      });
      return certificate;
    }),
  extend: (licenseId, { until, updatesUntil = until }) =>
    ctx.transaction(async (tx) => {
      const before = await requireLiveLicence(tx, licenseId);
      const [expiresAt, updates] = [endOf(until, '/until'), endOf(updatesUntil, '/updatesUntil')];
      if (Date.parse(expiresAt) <= Date.parse(before.expiresAt))
        throw invalid('/until', 'invalid', `must be later than the present end ${before.expiresAt.slice(0, 10)}`);
      const covered = Date.parse(updates) > Date.parse(before.updatesUntil) ? updates : before.updatesUntil;
      await tx.db.run(sql`update platform_license t set expires_at = ${expiresAt}, updates_until = ${covered}, updated_at = ${tx.clock.now()},
        version = t.version + 1 where t.id = ${before.id}`);
      await addEvent(tx, before.id, 'extended', { data: { from: before.expiresAt, to: expiresAt } });
      const terms = (licence: Pick<Licence, 'expiresAt' | 'updatesUntil'>) => ({
        expiresAt: licence.expiresAt,
        updatesUntil: licence.updatesUntil,
      });
      const after = { expiresAt, updatesUntil: covered };
      await tx.audit({
        entity: 'platform.license',
        entityId: before.id,
        action: 'platform.license.extend',
        before: terms(before),
        after,
      });
      return after;
    }),
});

/** For the command line of the operator who issues licences: no tenant has a part in it. */
export const licenceDeskProvider = provide(licenceDesk, (ctx: Ctx | PlatformCtx) => {
  if (ctx.tenant !== null) throw new Error('licences are issued as the platform, not in a tenant');
  return desk(ctx);
});
