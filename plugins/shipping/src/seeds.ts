import type { Ctx, LocalText } from '@storeloom/plugin-sdk';
import { currencyOf, mulRatio } from '@storeloom/plugin-sdk/money';
import { method } from './method/method.ts';
import { zone } from './zone/zone.ts';

const restOfUnion = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT SE SI SK'.split(' ');

/** Texts in the shop's languages, always including the default one. */
function texts(ctx: Ctx, ro: string, en: string): LocalText {
  const all: LocalText = { ro, en };
  const known = Object.fromEntries(ctx.tenant.locales.flatMap((locale) => (all[locale] ? [[locale, all[locale]]] : [])));
  return { ...known, [ctx.tenant.defaultLocale]: known[ctx.tenant.defaultLocale] ?? en };
}

async function ensureZone(ctx: Ctx, name: string, countries: string[]): Promise<string> {
  const rows = ctx.rows(zone);
  const found = await rows.first({ name });
  return (found ?? (await rows.insert({ name, countries }))).id;
}

/** A domestic courier, an EU courier, and pickup in the shop. */
export async function seedDemo(ctx: Ctx): Promise<void> {
  const rows = ctx.rows(method);
  const codes = new Set((await rows.find({})).map(({ code }) => code));
  const { currency } = ctx.tenant;
  const price = (hundredths: number) => ({ amount: mulRatio(hundredths, 10 ** currencyOf(currency).exponent, 100), currency });
  const home = await ensureZone(ctx, 'România', ['RO']);
  const union = await ensureZone(ctx, 'Uniunea Europeană', restOfUnion);
  const methods = [
    {
      code: 'courier',
      name: texts(ctx, 'Curier', 'Courier'),
      type: 'flat',
      zoneIds: [home],
      price: price(1999),
      freeOver: price(30_000),
      handlingDays: 1,
      etaMinDays: 1,
      etaMaxDays: 2,
      position: 10,
    },
    {
      code: 'courier-eu',
      name: texts(ctx, 'Curier internațional', 'International courier'),
      type: 'flat',
      zoneIds: [union],
      price: price(5999),
      handlingDays: 1,
      etaMinDays: 3,
      etaMaxDays: 7,
      position: 20,
    },
    {
      code: 'pickup',
      name: texts(ctx, 'Ridicare din magazin', 'Pick up in the shop'),
      type: 'pickup',
      zoneIds: [home],
      handlingDays: 1,
      etaMinDays: 0,
      etaMaxDays: 0,
      position: 30,
    },
  ] as const;
  for (const each of methods) if (!codes.has(each.code)) await rows.insert({ ...each, zoneIds: [...each.zoneIds] });
}
