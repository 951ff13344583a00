import type { Orders } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { writeMove } from '../flows/transition.ts';
import { loadOrder, type OrderData } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { type StoredPricing, storedPricing } from '../placing/snapshot.ts';
import { Order } from '../tables.ts';
import { editContext } from './context.ts';
import { commitEdit } from './edit.ts';
import { fixedPrice, retax } from './retax.ts';
import { rebuild, shippingOf } from './sheet.ts';
import { writeRevision } from './write.ts';

/** `taxReason` of an order whose buyer is taxed as a consumer because the register hasn't confirmed the VAT number. */
export const unprovenVat = 'vat_check_unavailable';
/** `holdReason` of an order that waits for the check of its tax. */
const taxCheck = 'tax_check';
const reason = 'vat_confirmed';

type Proof = Parameters<Orders['confirmVat']>[1];

async function pricedWith(ctx: Ctx, data: OrderData, proof: Proof) {
  const context = await editContext(ctx, data, 'placed', { vat: { ...proof, status: 'valid' } });
  const [present] = shippingOf(data.sheet);
  const { priced, rates, lines } = await retax(ctx, data, context, present && fixedPrice(present, data.row.locale));
  const sheet = rebuild(data.sheet, { lines, discounts: 'again', ...(rates ? { rates } : {}) });
  const { vat } = priced.context;
  const pricing: StoredPricing = {
    ...storedPricing(priced, data.pricing.baseCurrency),
    context: { ...data.pricing.context, ...(vat === undefined ? {} : { vat }) },
    promotions: data.pricing.promotions,
    shipping: data.pricing.shipping,
  };
  return { sheet, pricing };
}

/**
 * The register has confirmed the VAT number of an order that was taxed without a proof: removes the tax, corrects the invoices by a
 * credit note and a new invoice, and refunds or releases the difference. Shipped and invoiced orders are corrected too. An order on hold
 * for the check continues. Returns false, and does nothing, if the order isn't taxed for lack of a proof of this number.
 */
export async function confirmVat(ctx: Ctx, id: string, proof: Proof): Promise<boolean> {
  const data = await lockOrder(ctx, id);
  const { row, pricing } = data;
  const { vat } = pricing.context;
  const waits = pricing.taxReason === unprovenVat && vat?.number === proof.number && vat.status === 'unavailable';
  if (!waits || row.status === 'cancelled') return false;
  const next = await pricedWith(ctx, data, proof);
  await writeRevision(ctx, await ctx.em.findOneOrFail(Order, { id }), next.sheet, next.pricing, reason);
  const outcome = await commitEdit(ctx, data, await loadOrder(ctx, id), [], { refund: true, reason });
  if (row.status === 'on_hold' && row.holdReason === taxCheck)
    await writeMove(ctx, outcome.row, outcome.row.previousStatus ?? 'pending', reason);
  await ctx.audit({
    entity: 'orders.order',
    entityId: id,
    action: 'orders.order.vat',
    before: { vatStatus: vat.status, total: row.total },
    after: { vatStatus: 'valid', total: outcome.row.total },
    extra: { number: proof.number, checkedAt: proof.checkedAt, consultationNumber: proof.consultationNumber },
  });
  return true;
}
