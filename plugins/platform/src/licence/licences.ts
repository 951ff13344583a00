import {
  accepted,
  f,
  invalid,
  type ListQuery,
  list,
  normalizeInstant,
  platformRoute,
  type RowOf,
  reply,
  sql,
} from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { queued } from '../queued.ts';
import {
  addEvent,
  environments,
  insertLicence,
  type Licence,
  licenceColumns,
  licenceShape,
  requireLicence,
  requireLiveLicence,
  soldTerms,
} from './licence.ts';

const instant = z
  .string()
  .refine((text) => normalizeInstant(text) !== undefined, 'must be an instant with an offset')
  .overwrite((text) => normalizeInstant(text) ?? text)
  .meta({ format: 'date-time' });
const issued = z.strictObject({
  customerEmail: z.email().max(254).toLowerCase(),
  ...soldTerms,
  expiresAt: instant,
  updatesUntil: instant,
});

const licencesList = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    customerEmail: { field: f.email(), operators: ['eq'] },
    env: { field: f.oneOf(environments) },
    expiresAt: { field: f.instant() },
  },
  sorts: {
    createdAt: { column: 't.created_at', type: 'timestamptz' },
    expiresAt: { column: 't.expires_at', type: 'timestamptz' },
  },
  defaultSort: '-createdAt',
  search: (q) => sql`(strpos(lower(t.customer_email), lower(${q})) > 0 or strpos(lower(t.plan), lower(${q})) > 0)`,
});
const eventShape = {
  id: f.id(),
  licenseId: f.id(),
  type: f.text(),
  at: f.instant(),
  installation: f.text().optional(),
  ip: f.text().optional(),
  data: f.json().describe('By the type of the event.'),
};

const eventsList = list({
  filters: {
    licenseId: { field: f.id(), operators: ['eq', 'in'] },
    type: { field: f.text(), operators: ['eq', 'in'] },
    installation: { field: f.text(), operators: ['eq'] },
    at: { field: f.instant() },
  },
  sorts: { at: { column: 't.at', type: 'timestamptz' } },
  defaultSort: '-at',
});

/** Licences that this installation issues: the operator's side. */
export const licenceRoutes = [
  platformRoute(
    'GET',
    '/licenses',
    { summary: 'Licences that were issued', query: licencesList, response: licenceShape, list: true },
    (ctx, req) =>
      licencesList.run<Licence>(ctx, req.query, { select: licenceColumns(ctx.clock.now()), from: sql`platform_license t` }),
  ),
  platformRoute(
    'POST',
    '/licenses/issue',
    {
      summary: 'Issue a licence; its key is shown once, and mailed',
      body: issued,
      response: { id: f.id(), key: f.text() },
      status: 201,
    },
    async (ctx, req) => {
      const terms = req.body;
      if (Date.parse(terms.expiresAt) <= ctx.clock.ms()) throw invalid('/expiresAt', 'invalid', 'must be in the future');
      const made = await insertLicence(ctx, terms, null);
      if (!made) throw new Error('a licence without a source conflicts with none');
      // The audit log is permanent, so it has no personal data.
      const { customerEmail: _, ...sold } = terms;
      await ctx.audit({
        entity: 'platform.license',
        entityId: made.id,
        action: 'platform.license.issue',
        before: null,
        after: sold,
      });
      return reply(201, made, { location: `/licenses?id=${made.id}` });
    },
  ),
  platformRoute(
    'POST',
    '/licenses/resend-email',
    {
      summary: 'Send the key to its customer again',
      body: { licenseId: f.text({ max: 100 }) },
      response: { status: f.text() },
      status: 202,
      problems: ['not_found'],
    },
    async (ctx, req) => {
      const found = await requireLiveLicence(ctx, req.body.licenseId);
      await addEvent(ctx, found.id, 'mailed');
      await ctx.enqueue(queued.licenceMail, { licenceId: found.id, mail: ctx.clock.now() });
      await ctx.audit({
        entity: 'platform.license',
        entityId: found.id,
        action: 'platform.license.resend-email',
        before: null,
        after: null,
      });
      return accepted({ status: 'accepted' });
    },
  ),
  platformRoute(
    'POST',
    '/licenses/revoke',
    {
      summary: 'Revoke a licence, for good',
      body: { licenseId: f.text({ max: 100 }), reason: f.text({ max: 500 }) },
      response: licenceShape,
    },
    async (ctx, req) => {
      const before = await requireLicence(ctx, req.body.licenseId);
      if (before.revokedAt !== null) return before;
      const now = ctx.clock.now();
      await ctx.db.run(sql`update platform_license set revoked_at = ${now}, revoked_reason = ${req.body.reason}, updated_at = ${now}, version = version + 1
        where id = ${before.id}`);
      await addEvent(ctx, before.id, 'revoked', { data: { reason: req.body.reason } });
      const after = await requireLicence(ctx, before.id);
      await ctx.audit({ entity: 'platform.license', entityId: before.id, action: 'platform.license.revoke', before, after });
      return after;
    },
  ),
  platformRoute(
    'GET',
    '/license-events',
    {
      summary: 'What happened to licences',
      query: eventsList,
      response: eventShape,
      list: true,
    },
    (ctx, req) =>
      eventsList.run<RowOf<typeof eventShape>>(ctx, req.query as ListQuery, {
        select: sql`t.id, t.license_id as "licenseId", t.type, t.at, t.installation, t.ip, t.data`,
        from: sql`platform_license_event t`,
      }),
  ),
];
