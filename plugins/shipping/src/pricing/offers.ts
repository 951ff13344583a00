import { type Ctx, type LocalText, type MoneyValue, sql } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import type { CarrierRow } from '../carrier/carrier.ts';
import type { CarrierName } from '../carrier/names.ts';
import type { MethodType, ValueBasis } from '../method/method.ts';
import { matchZone, type ZonePlaces } from '../zone/match.ts';

export interface OfferedRate {
  min: number;
  max: number | null;
  price: MoneyValue;
  freeOver: MoneyValue | null;
}
export interface OfferedMethod {
  id: string;
  code: string;
  name: LocalText;
  type: MethodType;
  zoneIds: string[];
  carrier: CarrierName | null;
  serviceCode: string | null;
  taxCategoryId: string | null;
  handlingDays: number | null;
  etaMinDays: number | null;
  etaMaxDays: number | null;
  price: MoneyValue | null;
  freeOver: MoneyValue | null;
  valueBasis: ValueBasis;
  /** Rates of the zone that serves the address, by range. */
  rates: OfferedRate[];
}
export type Account = Pick<CarrierRow, 'provider' | 'enabled' | 'credentials' | 'sender' | 'mode' | 'services'>;
export interface Offers {
  methods: OfferedMethod[];
  accounts: Account[];
}

interface Candidates {
  zones: (ZonePlaces & { id: string })[];
  methods: (Omit<OfferedMethod, 'rates'> & { rates: (OfferedRate & { zoneId: string })[] })[];
  accounts: Account[];
}

const money = (name: string) =>
  sql.raw(
    `case when ${name}_amount is not null then jsonb_build_object('amount', ${name}_amount, 'currency', ${name}_currency) end`,
  );

/** Methods that serve the address, with the carrier accounts that they need. */
export async function offersFor(ctx: Ctx, place: Address): Promise<Offers> {
  const { country } = place;
  const found = await ctx.remember(`offers ${country}`, () => candidates(ctx, country));
  const zone = found && matchZone(found.zones, place);
  if (!found || !zone) return { methods: [], accounts: [] };
  const methods = found.methods
    .filter((method) => method.zoneIds.includes(zone.id))
    .map((method) => ({ ...method, rates: method.rates.filter((rate) => rate.zoneId === zone.id) }));
  return { methods, accounts: found.accounts };
}

function candidates(ctx: Ctx, country: string): Promise<Candidates | undefined> {
  const tenant = ctx.tenant.id;
  return ctx.db.first<Candidates>(sql`
    with z as (
      select id, countries, regions, postal_code_patterns, priority, rest_of_world from shipping_zone
      where tenant_id = ${tenant} and (rest_of_world or countries @> ${JSON.stringify([country])}::jsonb)
    ), m as (
      select * from shipping_method
      where tenant_id = ${tenant} and enabled and deleted_at is null and exists (select from z where zone_ids @> jsonb_build_array(z.id))
    )
    select
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'countries', countries, 'regions', regions,
        'postalCodePatterns', postal_code_patterns, 'priority', priority, 'restOfWorld', rest_of_world) order by id) from z), '[]') as zones,
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'code', code, 'name', name, 'type', type, 'zoneIds', zone_ids, 'carrier', carrier,
        'serviceCode', service_code, 'taxCategoryId', tax_category_id, 'handlingDays', handling_days, 'etaMinDays', eta_min_days,
        'etaMaxDays', eta_max_days, 'price', ${money('m.price')}, 'freeOver', ${money('m.free_over')}, 'valueBasis', value_basis,
        'rates', coalesce((select jsonb_agg(jsonb_build_object('zoneId', r.zone_id, 'min', r.min, 'max', r.max, 'price', ${money('r.price')},
          'freeOver', ${money('r.free_over')}) order by r.min) from shipping_rate r join z on z.id = r.zone_id
          where r.tenant_id = ${tenant} and r.method_id = m.id), '[]')) order by position, id) from m), '[]') as methods,
      coalesce((select jsonb_agg(jsonb_build_object('provider', provider, 'enabled', enabled, 'credentials', credentials, 'sender', sender,
        'mode', mode, 'services', services)) from shipping_carrier c
        where c.tenant_id = ${tenant} and c.enabled and c.provider in (select carrier from m where type = 'carrier')), '[]') as accounts`);
}
