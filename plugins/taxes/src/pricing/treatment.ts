import type { CategoryKind, UneceCode } from '../rate/category.ts';
import { isMemberState, northernIreland } from '../rate/countries.ts';
import type { Place } from './choose.ts';

/** Everything about a sale that decides where it is taxed. */
export interface Sale {
  /** The shop's own country; unknown means that every sale is one at home. */
  home: string | undefined;
  /** Where the goods go, or where the buyer is. Unknown: at home. */
  destination: Place | undefined;
  /** Rates of the shop's own for the destination: it is registered there. */
  registered: boolean;
  exempt: boolean;
  vat: { country: string | null; status: 'valid' | 'invalid' | 'unavailable' } | undefined;
}

type Treatment = 'domestic' | 'origin' | 'destination' | 'reverse_charge' | 'export' | 'exempt' | 'untaxed';

export interface Ruling {
  treatment: Treatment;
  /** Where its rates are looked up; null: none is charged. */
  place: Place | null;
  /** Why nothing is charged, UN/ECE 5305. */
  code: UneceCode | null;
  /** A cross-border sale to a consumer that the limit of the one-stop shop looks at. */
  counts: boolean;
}

/** Northern Ireland belongs to the VAT area for goods only. */
const inVatArea = (country: string, kind: CategoryKind): boolean =>
  isMemberState(country) || (country === northernIreland && kind === 'goods');

const free = (treatment: Treatment, code: UneceCode): Ruling => ({ treatment, place: null, code, counts: false });
const taxedAt = (treatment: Treatment, place: Place, counts = false): Ruling => ({ treatment, place, code: null, counts });

/** Whether the number belongs to a business in another member state than the shop's. */
function isForeignBusiness({ home, vat }: Sale, kind: CategoryKind): boolean {
  return vat?.status === 'valid' && vat.country !== null && vat.country !== home && inVatArea(vat.country, kind);
}

/**
 * Which tax a sale of one kind bears. `atDestination`: the shop has passed the limit or opted in.
 * Goods and electronic services are taxed where the consumer is once the limit is passed; other services where the shop is.
 */
export function rule(sale: Sale, kind: CategoryKind, atDestination: boolean): Ruling {
  const { home, destination } = sale;
  const at = destination ?? (home === undefined ? undefined : { country: home });
  if (!at) return free('untaxed', 'O');
  if (home === undefined || at.country === home) return sale.exempt ? free('exempt', 'E') : taxedAt('domestic', at);
  if (!inVatArea(home, kind) && sale.registered) return sale.exempt ? free('exempt', 'E') : taxedAt('destination', at);
  if (!inVatArea(home, kind) || !inVatArea(at.country, kind)) return free('export', kind === 'goods' ? 'G' : 'O');
  if (isForeignBusiness(sale, kind)) return free('reverse_charge', kind === 'goods' ? 'K' : 'AE');
  if (sale.exempt) return free('exempt', 'E');
  const origin: Place = { country: home };
  if (kind === 'service') return taxedAt('origin', origin);
  return atDestination ? taxedAt('destination', at, true) : taxedAt('origin', origin, true);
}

/** A business number of another member state that could not be checked: the shop's setting says what happens. */
export function isUnchecked(sale: Sale): boolean {
  const { home, destination, vat } = sale;
  if (home === undefined || !destination || destination.country === home || vat?.status !== 'unavailable') return false;
  const foreign = vat.country !== null && vat.country !== home && inVatArea(vat.country, 'goods');
  return foreign && inVatArea(home, 'goods') && inVatArea(destination.country, 'goods');
}
