import { orders } from '@storeloom/commerce';
import { accounts as accountsService } from '@storeloom/plugin-identity/contract';
import { type Ctx, f, listOf, noContent, notFound, problem, type RowOf, route, sql } from '@storeloom/plugin-sdk';
import { customer } from './customer.ts';
import { addressesOf, savedAddressShape } from './directory.ts';
import { countOpen } from './erasure.ts';
import { queued } from './queued.ts';
import { customerId, requireRecentSignIn } from './recent.ts';

export const addresses = route(
  'GET',
  '/account/addresses',
  { auth: 'customer', summary: 'Own addresses, saved at checkout', response: savedAddressShape, list: true },
  async (ctx) => listOf(await addressesOf(ctx, customerId(ctx))),
);

export const ownOrders = route(
  'GET',
  '/account/orders',
  {
    auth: 'customer',
    summary: 'Own orders, newest first',
    query: { limit: f.int({ min: 1, max: 100 }).default(20), cursor: f.text({ max: 400 }).optional().example(null) },
    sameAs: { response: 'GET /api/storefront/orders/{id}' },
    list: true,
  },
  async (ctx, req) => {
    const { limit, cursor } = req.query;
    const page = await ctx.use(orders)?.ofCustomer(customerId(ctx), { limit, ...(cursor === null ? {} : { cursor }) });
    return { data: page?.data ?? [], page: { limit, nextCursor: page?.nextCursor ?? null } };
  },
);

export const ownOrder = route(
  'GET',
  '/account/orders/{id}',
  { auth: 'customer', summary: 'One own order', sameAs: { response: 'GET /api/storefront/orders/{id}' } },
  async (ctx, req) => {
    const service = ctx.use(orders);
    const id = req.params.id as string;
    if (!service || !(await service.visibleTo(id, customerId(ctx)))) throw notFound();
    return service.publicView(id);
  },
);

/** E-mails required by law or by the order can't be switched off. */
const mandatory = /^(order|payment|refund|shipping|return|account|legal)\b/;

const preference = {
  channel: f.oneOf(['email', 'sms', 'push']),
  event: f.text({ max: 60, pattern: /^[a-z][a-z0-9_.]*$/ }),
  enabled: f.bool(),
};

async function preferencesOf(ctx: Ctx): Promise<{ preferences: RowOf<typeof preference>[] }> {
  const rows = await ctx.db.rows<RowOf<typeof preference>>(
    sql`select channel, event, enabled from customers_preference where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId(ctx)} order by channel, event`,
  );
  return { preferences: rows };
}

export const notifications = route(
  'GET',
  '/account/notifications',
  { auth: 'customer', summary: 'Own notification preferences', response: { preferences: f.list(f.object(preference)) } },
  (ctx) => preferencesOf(ctx),
);

export const putNotifications = route(
  'PUT',
  '/account/notifications',
  {
    auth: 'customer',
    summary: 'Replace the notification preferences',
    body: { preferences: f.list(f.object(preference), { max: 200 }) },
    response: { preferences: f.list(f.object(preference)) },
    problems: ['mandatory'],
  },
  async (ctx, req) => {
    const id = customerId(ctx);
    const { preferences } = req.body;
    const forced = preferences.findIndex((entry) => !entry.enabled && mandatory.test(entry.event));
    if (forced !== -1)
      throw problem('mandatory', {
        detail: "Order and legal messages can't be switched off.",
        errors: [{ pointer: `/preferences/${forced}/enabled`, code: 'mandatory', message: "can't be switched off" }],
      });
    await ctx.db.run(sql`delete from customers_preference where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    for (const entry of preferences)
      await ctx.db.run(sql`insert into customers_preference (tenant_id, customer_id, channel, event, enabled) values (${ctx.tenant.id}, ${id}, ${entry.channel}, ${entry.event}, ${entry.enabled})
        on conflict (tenant_id, customer_id, channel, event) do update set enabled = excluded.enabled`);
    return preferencesOf(ctx);
  },
);

export const deleteAccount = route(
  'DELETE',
  '/account/account',
  {
    auth: 'customer',
    summary: 'Delete the own account',
    status: 204,
    problems: ['reauthentication_required', 'email_unverified', 'in_use'],
  },
  async (ctx) => {
    const row = await requireRecentSignIn(ctx);
    const counts = await countOpen(ctx, row);
    if (Object.values(counts).some((count) => count > 0))
      throw problem('in_use', { detail: 'The account has open orders or other obligations.', counts });
    await ctx.rows(customer).update(row.id, { status: 'disabled' });
    await ctx.enqueue(queued.erase, { customerId: row.id }, { key: row.id });
    await endSessions(ctx, row.id);
    return noContent();
  },
);

async function endSessions(ctx: Ctx, id: string): Promise<void> {
  const accounts = ctx.use(accountsService);
  await accounts?.endCustomerSessions(id);
}
