import { type PricingContext, type Tender, type TenderRequest, tendersCollect } from '@storeloom/commerce';
import { domainError } from '@storeloom/plugin-sdk';
import type { PricingHost } from './host.ts';
import type { DiscountRun } from './sink.ts';

const ownerPlugin: Record<TenderRequest['type'], string> = {
  gift_card: 'gift-cards',
  store_credit: 'gift-cards',
  loyalty_points: 'loyalty',
};

/**
 * Step 10: gift cards, store credit, points, account. Returns the amount that each tender covers.
 * @throws Problem 422 `tender_unavailable` when the plugin of a requested tender is off
 */
export async function collectTenders(
  host: PricingHost,
  context: PricingContext,
  run: DiscountRun,
  requested: readonly TenderRequest[],
): Promise<Tender[]> {
  requested.forEach(({ type }, i) => {
    if (!host.isOn(ownerPlugin[type])) throw domainError(`/tenders/${i}`, 'tender_unavailable', `${type} is not available here`);
  });
  if (requested.length === 0 && context.purpose !== 'place') return [];
  const taken: Tender[] = [];
  const { sheet } = run;
  await host.call(tendersCollect, {
    context,
    total: sheet.totals().total,
    requested,
    due: () => sheet.due(),
    add(tender) {
      const { type, reference, amount, label } = tender;
      const used = sheet.addTender({ type, amount, label, ...(reference === null ? {} : { reference }) });
      if (used > 0) taken.push({ ...tender, amount: used });
    },
  });
  return taken;
}
