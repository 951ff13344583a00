import { type Ctx, sql } from '@storeloom/plugin-sdk';

interface Names {
  firstName: string;
  lastName: string;
  company: string | null;
  phone?: string | null;
}

/** The text searched by `q`; the database ignores case and diacritics. */
export function searchTextOf(
  order: {
    number: string;
    email: string;
    phone: string | null;
    billingAddress: Names;
    shippingAddress: Names | null;
    poNumber: string | null;
  },
  skus: readonly (string | null)[],
  parcels: readonly (string | null)[],
): string {
  const people = [order.billingAddress, order.shippingAddress].flatMap((names) =>
    names ? [`${names.firstName} ${names.lastName}`, names.company] : [],
  );
  const phones = [order.phone, order.billingAddress.phone, order.shippingAddress?.phone].flatMap((phone) =>
    phone ? [phone, phone.replace(/\D/g, '')] : [],
  );
  const words = [order.number, order.email, ...phones, order.poNumber, ...people, ...skus, ...parcels];
  return [...new Set(words.filter((word): word is string => word !== null && word !== ''))].join(' ').slice(0, 10_000);
}

/**
 * The digits of a query in the format of a telephone number, without leading zeros, as in the search text. Undefined for other queries.
 */
export function phoneDigits(q: string): string | undefined {
  if (!/^\+?[\d\s()./-]+$/.test(q)) return undefined;
  const digits = q.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length >= 6 && digits !== q ? digits : undefined;
}

/** Updates the search text of an order after a change of its data. */
export async function refreshSearch(ctx: Ctx, orderId: string): Promise<void> {
  const row = await ctx.db.first<
    Parameters<typeof searchTextOf>[0] & { skus: (string | null)[]; parcels: (string | null)[] }
  >(sql`
    select o.number, o.email, o.phone, o.billing_address as "billingAddress", o.shipping_address as "shippingAddress", o.po_number as "poNumber",
      coalesce((select json_agg(l.sku) from orders_line l where l.tenant_id = o.tenant_id and l.order_id = o.id and l.removed_at is null), '[]') as skus,
      coalesce((select json_agg(x.code) from orders_fulfillment p, lateral (values (p.awb_number), (p.tracking_number)) x(code)
        where p.tenant_id = o.tenant_id and p.order_id = o.id), '[]') as parcels
    from orders_order o where o.tenant_id = ${ctx.tenant.id} and o.id = ${orderId}`);
  if (!row) return;
  await ctx.db.run(
    sql`update orders_order set search_text = ${searchTextOf(row, row.skus, row.parcels)} where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
  );
}
