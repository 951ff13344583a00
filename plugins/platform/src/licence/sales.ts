import { type Ctx, http, type Inbound, inbound, type PlatformCtx, type PlatformJob, problem, sql } from '@storeloom/plugin-sdk';
import { exponentOf } from '@storeloom/plugin-sdk/money';
import { addMonths } from '@storeloom/plugin-sdk/time';
import { z } from 'zod';
import { queued } from '../queued.ts';
import { insertLicence, soldTerms } from './licence.ts';
import { operatorTenantId } from './mail.ts';
import {
  acknowledgement,
  authentication,
  eventIdOf,
  formFields,
  isPaid,
  isSigned,
  orderOf,
  type PaidOrder,
  paidOrder,
} from './payment-c.ts';

const provider = 'payment-c-license';

/** What is sold for a product code of the provider. */
const soldProduct = z.strictObject({
  code: z.string().trim().min(1).max(100),
  /** What must have been paid for one, minor units. */
  price: z.strictObject({
    amount: z
      .int()
      .min(0)
      .max(10 ** 13),
    currency: z.string().regex(/^[A-Z]{3}$/),
  }),
  /** How long the licence and its updates last, from the payment. */
  months: z.int().min(1).max(1200),
  updateMonths: z.int().min(0).max(1200),
  ...soldTerms,
});
type SoldProduct = z.infer<typeof soldProduct>;
/** The operator's account at the provider. `secretKey` is sealed at rest. */
export const licenceSales = z.strictObject({
  account: z
    .string()
    .trim()
    .regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 letters, digits, ., _ or -'),
  secretKey: z.string().min(4).max(500),
  apiUrl: z.url({ protocol: /^https?$/ }).max(500),
  products: z
    .array(soldProduct)
    .max(200)
    .refine((all) => new Set(all.map(({ code }) => code)).size === all.length, 'names a code twice'),
});
export type LicenceSales = z.infer<typeof licenceSales>;

const notConfigured = () =>
  problem('provider_not_configured', { provider, detail: 'No account for selling licences is configured (licenseSales).' });

/** Reads the settings of the operator's tenant, with the secret decrypted; other tenants have none. */
async function salesOf(ctx: Ctx): Promise<LicenceSales> {
  const row = await ctx.transaction(({ db }) => db.first<{ value: unknown }>(sql`select platform_license_sales() as value`), {
    readOnly: true,
  });
  const parsed = licenceSales.safeParse(row?.value);
  if (!parsed.success) throw notConfigured();
  return { ...parsed.data, secretKey: ctx.unseal(parsed.data.secretKey) };
}

/** Reads the order from the provider: the notification's hash is a legacy one, so its content isn't trusted. */
async function fetchOrder(ctx: Ctx, sales: LicenceSales, refNo: string): Promise<PaidOrder> {
  const answer = await ctx.require(http).fetch(`${sales.apiUrl.replace(/\/+$/, '')}/orders/${encodeURIComponent(refNo)}/`, {
    headers: {
      accept: 'application/json',
      'x-avangate-authentication': authentication(sales.account, sales.secretKey, ctx.clock.ms()),
    },
    maxBytes: 1_000_000,
  });
  if (answer.status !== 200) throw new Error(`the provider answered ${answer.status} to the question for an order`);
  const order = paidOrder.parse(JSON.parse(answer.body.toString('utf8')));
  if (order.RefNo !== refNo) throw new Error('the provider answered with another order');
  return order;
}

/** Pure: the products that an order pays in full, with how many of each; undefined where it is no order of licences, or pays too little. */
function soldBy(order: PaidOrder, products: readonly SoldProduct[]): { product: SoldProduct; quantity: number }[] | undefined {
  const sold: { product: SoldProduct; quantity: number }[] = [];
  for (const item of order.Items) {
    const product = products.find(({ code }) => code === item.Code);
    if (!product) continue;
    const currency = item.Price.Currency ?? order.Currency;
    const paid = Math.round(item.Price.UnitGrossPrice * 10 ** exponentOf(product.price.currency));
    if (currency !== product.price.currency || paid < product.price.amount) return undefined;
    sold.push({ product, quantity: item.Quantity });
  }
  return sold.length > 0 ? sold : undefined;
}

async function handle(ctx: Ctx, event: { raw: string }): Promise<void> {
  const sales = await salesOf(ctx);
  const refNo = orderOf(formFields(Buffer.from(event.raw)));
  const order = await fetchOrder(ctx, sales, refNo);
  // Not paid yet, or given back: another notification comes when that changes.
  if (!isPaid(order)) return;
  const sold = soldBy(order, sales.products);
  if (!sold) {
    ctx.log.warn({ order: refNo }, 'a paid order buys no licence: its products, price or currency are others');
    return;
  }
  await ctx.transaction(async (tx) => {
    for (const { product, quantity } of sold)
      await tx.enqueue(queued.soldLicence, {
        source: `payment-c:${refNo}:${product.code}`,
        email: order.BillingDetails.Email.toLowerCase(),
        product,
        quantity,
        paidAt: tx.clock.now(),
      });
  });
}

const sale = z.object({
  source: z.string(),
  email: z.email(),
  product: soldProduct,
  quantity: z.int().min(1),
  paidAt: z.iso.datetime(),
});
/** Makes the licence of a paid order. However often it runs, an order makes one. */
export const soldLicenceJob: PlatformJob = {
  platform: true,
  async run(ctx, data) {
    const { source, email, product, quantity, paidAt } = sale.parse(data);
    const { code: _, price: _price, months, updateMonths, maxActivations, ...terms } = product;
    // The same day so many months on, or the last one of a shorter month.
    const after = (count: number): string => `${addMonths(paidAt.slice(0, 10), count)}${paidAt.slice(10)}`;
    await ctx.transaction((platform) =>
      insertLicence(
        platform,
        {
          ...terms,
          customerEmail: email,
          maxActivations: maxActivations * quantity,
          expiresAt: after(months),
          updatesUntil: after(updateMonths),
        },
        source,
      ),
    );
  },
};

/** `POST /api/webhooks/payment-c-license`: the operator's own shop has sold a licence. */
export const soldLicence: Inbound = inbound({
  provider,
  async tenant(ctx: PlatformCtx) {
    const configured = await ctx.db.first(
      sql`select name from platform_setting where name = 'license-sales' and value <> 'null'::jsonb`,
    );
    if (!configured) throw notConfigured();
    return operatorTenantId(ctx);
  },
  async verify(ctx, req) {
    return isSigned(formFields(req.raw), (await salesOf(ctx)).secretKey);
  },
  eventId: (_, req) => eventIdOf(formFields(req.raw)),
  handle,
  async ack(req, ctx) {
    const { secretKey } = await salesOf(ctx);
    return { status: 200, type: 'text/xml', body: acknowledgement(formFields(req.raw), secretKey, ctx.clock.ms()) };
  },
});
