import { type Ctx, token } from '@storeloom/plugin-sdk';
import type { workspace } from '@storeloom/plugin-workspace/contract';
import { countryOfZone, vatCountry } from './rate/countries.ts';
import { settings } from './settings.ts';
import { type ParsedVat, parseVat } from './vat/number.ts';

const workspaceToken = token<typeof workspace>('workspace:workspace');

/** The shop's own country for VAT. */
export async function homeCountry(ctx: Ctx): Promise<string | undefined> {
  const { country } = ctx.settings(settings);
  if (country !== null) return vatCountry(country);
  const address = (await ctx.use(workspaceToken)?.company())?.address;
  return address ? vatCountry(address.country, address.postalCode) : countryOfZone(ctx.tenant.timezone);
}

/** The shop's own VAT number: the register gives a consultation number only to who says who asks. */
export async function ownVat(ctx: Ctx): Promise<ParsedVat | undefined> {
  const vatId = (await ctx.use(workspaceToken)?.company())?.vatId;
  if (!vatId) return undefined;
  const own = parseVat(vatId, await homeCountry(ctx));
  return own.formatValid ? own : undefined;
}
