import {
  type Ctx,
  type Person,
  type peopleErase,
  type peopleExport,
  type RawBuilder,
  sql,
  type TapFn,
} from '@storeloom/plugin-sdk';
import { type Address, erasedEmail } from '@storeloom/plugin-sdk/people';
import { documentOf } from './invoice/invoice.ts';
import { invoicePdf } from './invoice/pdf.ts';
import { withAllData } from './load.ts';
import { settings } from './settings.ts';
import { internalNote, invoice, line, order } from './tables.ts';
import { publicViews } from './view/public-view.ts';
import { refreshSearch } from './view/search-text.ts';

const finalStatuses = ['delivered', 'completed', 'cancelled'];

/** SQL condition of a person's orders: by customer id, or by e-mail for guest orders. */
function personCondition({ customerId, emails }: Person): RawBuilder<unknown> | undefined {
  const conditions = [
    ...(customerId === undefined ? [] : [sql`customer_id = ${customerId}`]),
    ...(emails.length === 0 ? [] : [sql`email = any(${emails.map((email) => email.toLowerCase())}::text[])`]),
  ];
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` or `);
}

async function ordersOf(ctx: Ctx, person: Person) {
  const condition = personCondition(person);
  if (!condition) return [];
  const ids = await ctx.db.rows<{ id: string }>(
    sql`select id from orders_order where tenant_id = ${ctx.tenant.id} and (${condition}) order by placed_at, id`,
  );
  return ids.length === 0 ? [] : ctx.rows(order).find({ id: ids.map(({ id }) => id) }, { orderBy: ['placedAt', 'id'] });
}

/** Exports orders as the buyer sees them, with client data and documents, without internal notes. */
export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person: Person) => {
  const rows = await ordersOf(ctx, person);
  if (rows.length === 0) return [];
  const views = await publicViews(ctx, await withAllData(ctx, rows));
  const documents = await ctx.rows(invoice).find({ orderId: rows.map(({ id }) => id) }, { orderBy: ['issuedAt', 'id'] });
  return [
    {
      resource: 'orders.order',
      rows: views.map((view, i) => {
        const { ip, userAgent, utm, locale } = rows[i] as (typeof rows)[number];
        return { ...view, ip, userAgent, utm, locale };
      }),
    },
    ...(documents.length > 0
      ? [
          {
            resource: 'orders.invoice',
            rows: documents.map((each) => ({ ...documentOf(each) })),
            files: documents.map((each) => ({
              name: `${each.number}.pdf`,
              open: () => invoicePdf(documentOf(each), each.issuedAt),
            })),
          },
        ]
      : []),
  ];
};

const eraseAddress = (address: Address): Address => ({
  firstName: 'erased',
  lastName: 'erased',
  company: null,
  vatId: null,
  line1: 'erased',
  line2: null,
  city: 'erased',
  region: null,
  postalCode: 'erased',
  country: address.country,
  phone: null,
  email: null,
});

/** Erases the person from finished orders. Documents are kept for the statutory period, open orders until they are finished. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const rows = await ordersOf(ctx, person);
  const done = rows.filter((row) => finalStatuses.includes(row.status));
  for (const row of done) {
    await ctx.rows(order).update(row.id, {
      email: erasedEmail(row.customerId ?? row.id),
      phone: null,
      billingAddress: eraseAddress(row.billingAddress),
      shippingAddress: row.shippingAddress && eraseAddress(row.shippingAddress),
      notes: null,
      poNumber: null,
      ip: null,
      userAgent: null,
      utm: null,
      metadata: null,
      tokenExpiresAt: ctx.clock.now(),
    });
    await ctx.rows(line).updateWhere({ orderId: row.id }, { custom: null, data: null });
    await ctx.rows(internalNote).removeWhere({ orderId: row.id });
    await refreshSearch(ctx, row.id);
  }
  const open = rows.length - done.length;
  person.report({
    resource: 'orders.order',
    erased: done.length,
    ...(open > 0 ? { kept: { count: open, reason: 'open_order', until: yearsFromNow(ctx, 1) } } : {}),
  });
  const documents = rows.length === 0 ? 0 : await ctx.rows(invoice).count({ orderId: rows.map(({ id }) => id) });
  if (documents > 0)
    person.report({
      resource: 'orders.invoice',
      erased: 0,
      kept: { count: documents, reason: 'fiscal', until: yearsFromNow(ctx, ctx.settings(settings).retentionYears) },
    });
};

function yearsFromNow(ctx: Ctx, years: number): string {
  const date = new Date(ctx.clock.ms());
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.toISOString();
}
