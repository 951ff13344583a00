import { type Ctx, token } from '@storeloom/plugin-sdk';
import type { workspace } from '@storeloom/plugin-workspace/contract';
import { countryOfZone, vatCountry } from './rate/countries.ts';
import { settings } from './settings.ts';
import { type ParsedVat, parseVat } from './vat/number.ts';

const workspaceToken = token<typeof workspace>('workspace:workspace');

/** The shop's country for VAT: the setting, the company address, or the country of the time zone. */
export async function homeCountry(ctx: Ctx): Promise<string | undefined> {
  const { country } = ctx.settings(settings);
  if (country !== null) return vatCountry(country);
  const address = (await ctx.use(workspaceToken)?.company())?.address;
  return address ? vatCountry(address.country, address.postalCode) : countryOfZone(ctx.tenant.timezone);
}

/** The shop's VAT number; VIES returns a consultation number only to an identified requester. */
export async function shopVat(ctx: Ctx): Promise<ParsedVat | undefined> {
  const vatId = (await ctx.use(workspaceToken)?.company())?.vatId;
  if (!vatId) return undefined;
  const parsed = parseVat(vatId, await homeCountry(ctx));
  return parsed.formatValid ? parsed : undefined;
}
