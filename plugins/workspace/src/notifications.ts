import type { OrderEvent } from '@storeloom/commerce';
import { accounts } from '@storeloom/plugin-identity/contract';
import {
  type Ctx,
  type DomainEvent,
  eventLog,
  f,
  type Job,
  list,
  listOf,
  type Notifications,
  notifications,
  problem,
  provide,
  type RowOf,
  route,
  sql,
  table,
} from '@storeloom/plugin-sdk';
import { personalRows } from '@storeloom/plugin-sdk/people';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { dropOrphans } from './metafields.ts';
import { queuePush } from './push.ts';

const fields = {
  userId: f.id(),
  type: f.text({ max: 80 }),
  title: f.i18n(),
  body: f.i18n({ max: 2000 }),
  /** Path in the admin. */
  link: f.text({ max: 500 }).optional(),
  readAt: f.instant().optional(),
};
export const notification = table('notification', fields, {
  indexes: [
    { name: 'workspace_notification_created_idx', fields: ['createdAt'] },
    { name: 'workspace_notification_unread_idx', fields: ['userId'], where: 'read_at is null' },
  ],
  sqlOnly: { workspace_notification_user_idx: 'descending: newest first' },
});

const { userId: _, ...shown } = fields;
const shape = { id: f.id(), createdAt: f.instant(), updatedAt: f.instant(), version: f.int(), ...shown };
type Shown = RowOf<typeof shape>;

async function notifyStaff(
  ctx: Ctx,
  { userIds, type, title, body, link }: Parameters<Notifications['notifyStaff']>[0],
): Promise<void> {
  const staff = await ctx.require(accounts).staffUserIds();
  const recipients = userIds ? [...new Set(userIds)].filter((id) => staff.includes(id)) : staff;
  await ctx.rows(notification).insertMany(recipients.map((userId) => ({ userId, type, title, body, link: link ?? null })));
  if (recipients.length > 0)
    await queuePush(ctx, { userId: recipients }, { type, title, body, ...(link === undefined ? {} : { link }) });
}
export const notificationsProvider = provide(notifications, (ctx) => ({
  notifyStaff: (message) => notifyStaff(ctx, message),
  notifyCustomers: ({ customerIds, ...message }) => queuePush(ctx, { customerId: customerIds }, message),
}));

const inEveryLanguage = (key: keyof typeof en, data: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ro, en }).map(([locale, texts]) => [
      locale,
      texts[key].replace(/\{(\w+)\}/g, (_, name: string) => data[name] ?? ''),
    ]),
  );

/** Notifies staff of a new order. */
export async function tellOrderPlaced(ctx: Ctx, event: DomainEvent<OrderEvent>): Promise<void> {
  const { id, number } = event.data;
  await notifyStaff(ctx, {
    type: 'orders.order.placed',
    title: inEveryLanguage('notification.orderPlaced.title', { number }),
    body: inEveryLanguage('notification.orderPlaced.body', {}),
    link: `/orders/${id}`,
  });
}

/** Returns the id of the caller, who can only read their own notifications. */
function ownId(ctx: Ctx): string {
  if (ctx.actor.type !== 'staff') throw problem('forbidden');
  return ctx.actor.userId;
}

const notificationsList = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    type: { field: f.text({ max: 80 }), column: 't.type' },
    read: {
      field: f.bool(),
      operators: ['eq'],
      where: (_operator, value) => (value ? sql`t.read_at is not null` : sql`t.read_at is null`),
    },
  },
  sorts: { createdAt: { column: 't.created_at', type: 'timestamptz' } },
  defaultSort: '-createdAt',
});
const columns = sql`t.id, t.type, t.title, t.body, t.link, t.read_at as "readAt", t.created_at as "createdAt", t.updated_at as "updatedAt", t.version`;

async function find(ctx: Ctx, id: string): Promise<Shown> {
  const row = await ctx.db.first<Shown>(
    sql`select ${columns} from workspace_notification t where t.tenant_id = ${ctx.tenant.id} and t.id = ${id} and t.user_id = ${ownId(ctx)}`,
  );
  if (!row) throw problem('not_found');
  return row;
}
/** Those that are read already keep their time. */
async function markRead(ctx: Ctx, only?: string): Promise<number> {
  const now = ctx.clock.now();
  const one = only === undefined ? sql`` : sql` and id = ${only}`;
  return ctx.db.run(sql`update workspace_notification set read_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and user_id = ${ownId(ctx)} and read_at is null${one}`);
}

export const notificationRoutes = [
  route(
    'GET',
    '/notifications/',
    {
      permission: 'workspace.notification.read',
      summary: 'Own notifications',
      query: notificationsList,
      response: shape,
      list: true,
    },
    (ctx, req) =>
      notificationsList.run<Shown>(ctx, req.query, {
        select: columns,
        from: sql`workspace_notification t`,
        where: sql`t.tenant_id = ${ctx.tenant.id} and t.user_id = ${ownId(ctx)}`,
      }),
  ),
  route(
    'PUT',
    '/notifications/{id}/read',
    { permission: 'workspace.notification.update', summary: 'Mark one as read', response: shape },
    async (ctx, req) => {
      const id = req.params.id as string;
      await markRead(ctx, id);
      return find(ctx, id);
    },
  ),
  route(
    'PUT',
    '/notifications/read-all',
    { permission: 'workspace.notification.update', summary: 'Mark all as read', response: { read: f.int() } },
    async (ctx) => ({ read: await markRead(ctx) }),
  ),
  route(
    'GET',
    '/notifications/events',
    {
      permission: 'workspace.notification.read',
      summary: 'The types of events there are',
      response: { type: f.text(), plugin: f.text(), public: f.bool(), title: f.text().optional() },
      list: true,
    },
    async (ctx) =>
      listOf(
        ctx
          .require(eventLog)
          .all()
          .filter(({ plugin }) => ctx.isOn(plugin))
          .map(({ type, plugin, public: isPublic, title }) => ({ type, plugin, public: isPublic, title })),
      ),
  ),
];

const kept = 90 * 86_400_000;
/** Deletes old notifications, and values of removed rows. */
export const tidy: Job = {
  cron: '41 3 * * *',
  perTenant: true,
  async run(ctx) {
    const old = new Date(ctx.clock.ms() - kept).toISOString();
    await ctx.db.run(sql`delete from workspace_notification where tenant_id = ${ctx.tenant.id} and created_at < ${old}`);
    await dropOrphans(ctx);
  },
};

/** The notifications of a user. */
export const personalNotifications = personalRows({ table: notification, erased: 'removed' });
