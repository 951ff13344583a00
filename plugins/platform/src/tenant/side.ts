import { f, list, listOf, mailer, queues, type RowOf, route, sql } from '@storeloom/plugin-sdk';
import { type Integration, integrationsCollect } from '../contract.ts';

const eventShape = {
  id: f.id(),
  type: f.text(),
  entity: f.text(),
  entityId: f.id(),
  at: f.instant(),
  payload: f.json().describe('By the type of the event.'),
};

const eventsList = list({
  filters: {
    type: { field: f.text(), operators: ['eq', 'in'] },
    id: { field: f.id(), operators: ['eq', 'in'] },
  },
  sorts: { at: { column: 't.created_at', type: 'timestamptz' } },
  defaultSort: '-at',
  extra: { from: f.instant().optional(), to: f.instant().optional() },
});

/** The last mail that was tried says whether mail works; one that waits without an error says nothing. */
interface MailRow {
  sentAt: string | null;
  error: string | null;
}

export const tenantSideRoutes = [
  route(
    'GET',
    '/integrations/',
    {
      permission: 'platform.integration.read',
      summary: 'Services outside the shop, and whether they work',
      response: {
        code: f.text(),
        kind: f.oneOf(['payment', 'carrier', 'marketplace', 'mail', 'tax', 'storage', 'search', 'other']),
        configured: f.bool(),
        enabled: f.bool(),
        healthy: f.bool().optional(),
        lastError: f.text({ max: 1000 }).optional(),
      },
      list: true,
    },
    async (ctx) => {
      const { configured } = ctx.require(mailer);
      const last = await ctx.db.first<MailRow>(sql`select sent_at as "sentAt", error from core_mail
        where tenant_id = ${ctx.tenant.id} and (sent_at is not null or error is not null) order by created_at desc, id desc limit 1`);
      const mail: Integration = {
        code: 'mail',
        kind: 'mail',
        configured,
        enabled: configured,
        healthy: last ? last.sentAt !== null : null,
        lastError: last?.sentAt === null ? last.error : null,
      };
      const others = await ctx.call(integrationsCollect, {});
      return listOf([mail, ...others].sort((a, b) => (a.code < b.code ? -1 : 1)));
    },
  ),
  route(
    'GET',
    '/queues',
    {
      permission: 'platform.queue.read',
      summary: "The shop's waiting and failed work",
      response: { name: f.text(), waiting: f.int(), active: f.int(), delayed: f.int(), failed: f.int(), paused: f.bool() },
      list: true,
    },
    async (ctx) => listOf(await ctx.require(queues).all(ctx.tenant.id)),
  ),
  route(
    'GET',
    '/tenant-events/',
    {
      permission: 'platform.tenant-event.read',
      summary: 'What happened in the shop, kept 90 days',
      query: eventsList,
      response: eventShape,
      list: true,
    },
    (ctx, req) => {
      const { from, to } = req.query.extra;
      const bounds = [
        sql`t.tenant_id = ${ctx.tenant.id}`,
        ...(from === null ? [] : [sql`t.created_at >= ${from}`]),
        ...(to === null ? [] : [sql`t.created_at < ${to}`]),
      ];
      return eventsList.run<RowOf<typeof eventShape>>(ctx, req.query, {
        select: sql`t.id, t.type, regexp_replace(t.type, '\\.[^.]*$', '') as entity, t.aggregate as "entityId", t.created_at as at, t.data as payload`,
        from: sql`core_event t`,
        where: sql.join(bounds, sql` and `),
      });
    },
  ),
];
