import type { CategoryKind, UneceCode } from '../rate/category.ts';
import { isMemberState, northernIreland } from '../rate/countries.ts';
import type { Place } from './choose.ts';

/** The facts that determine where a sale is taxed. */
export interface Sale {
  /** The shop's country; if unknown, every sale is domestic. */
  home: string | undefined;
  /** Destination of the goods, or location of the buyer. Unknown: domestic. */
  destination: Place | undefined;
  /** The shop has rates for the destination, so it is registered there. */
  registered: boolean;
  exempt: boolean;
  vat: { country: string | null; status: 'valid' | 'invalid' | 'unavailable' } | undefined;
}

type Treatment = 'domestic' | 'origin' | 'destination' | 'reverse_charge' | 'export' | 'exempt' | 'untaxed';

export interface Ruling {
  treatment: Treatment;
  /** The place whose rates apply; null: no tax. */
  place: Place | null;
  /** Reason of a 0 rate, UN/ECE 5305. */
  code: UneceCode | null;
  /** Counts towards the threshold of the one-stop shop. */
  counts: boolean;
}

/** Northern Ireland belongs to the EU VAT area for goods only. */
const inVatArea = (country: string, kind: CategoryKind): boolean =>
  isMemberState(country) || (country === northernIreland && kind === 'goods');

const untaxedSale = (treatment: Treatment, code: UneceCode): Ruling => ({ treatment, place: null, code, counts: false });
const taxedSale = (treatment: Treatment, place: Place, counts = false): Ruling => ({ treatment, place, code: null, counts });

/** Whether the buyer is a business of another member state. */
function isForeignBusiness({ home, vat }: Sale, kind: CategoryKind): boolean {
  return vat?.status === 'valid' && vat.country !== null && vat.country !== home && inVatArea(vat.country, kind);
}

/**
 * The tax treatment of a sale of one kind. `atDestination`: the shop has passed the threshold or opted in. Goods and electronic
 * services are taxed at the consumer's location above the threshold; other services at the shop's.
 */
export function treatmentOf(sale: Sale, kind: CategoryKind, atDestination: boolean): Ruling {
  const { home, destination } = sale;
  const at = destination ?? (home === undefined ? undefined : { country: home });
  if (!at) return untaxedSale('untaxed', 'O');
  if (home === undefined || at.country === home) return sale.exempt ? untaxedSale('exempt', 'E') : taxedSale('domestic', at);
  if (!inVatArea(home, kind) && sale.registered) return sale.exempt ? untaxedSale('exempt', 'E') : taxedSale('destination', at);
  if (!inVatArea(home, kind) || !inVatArea(at.country, kind)) return untaxedSale('export', kind === 'goods' ? 'G' : 'O');
  if (isForeignBusiness(sale, kind)) return untaxedSale('reverse_charge', kind === 'goods' ? 'K' : 'AE');
  if (sale.exempt) return untaxedSale('exempt', 'E');
  const origin: Place = { country: home };
  if (kind === 'service') return taxedSale('origin', origin);
  return atDestination ? taxedSale('destination', at, true) : taxedSale('origin', origin, true);
}

/** Whether the VAT number of another member state couldn't be checked; a setting decides what happens. */
export function isUnchecked(sale: Sale): boolean {
  const { home, destination, vat } = sale;
  if (home === undefined || !destination || destination.country === home || vat?.status !== 'unavailable') return false;
  const foreign = vat.country !== null && vat.country !== home && inVatArea(vat.country, 'goods');
  return foreign && inVatArea(home, 'goods') && inVatArea(destination.country, 'goods');
}
