import { fx } from '@storeloom/commerce';
import { type Ctx, f, pluginStates, route, settingsRegistry } from '@storeloom/plugin-sdk';
import { type TenantConfigPart, tenantConfigCollect } from '../contract.ts';

/** What a shop's imprint shows, of the workspace's settings. */
const legalMembers = ['legalName', 'vatId', 'regNo', 'address', 'emails', 'phone'] as const;

async function legalOf(ctx: Ctx): Promise<Record<string, unknown>> {
  const settings = (await ctx.require(settingsRegistry).ofPlugin(ctx, 'workspace'))?.settings ?? {};
  return Object.fromEntries(legalMembers.map((name) => [name, settings[name] ?? null]));
}

export const tenantConfig = route(
  'GET',
  '/tenant-config/',
  {
    summary: 'What a storefront must know of the shop before it shows anything',
    cache: { tags: ['tenant-config'], maxAge: 60 },
    response: {
      name: f.text(),
      locales: f.list(f.text()),
      defaultLocale: f.text(),
      currency: f.text(),
      currencies: f.list(f.text()),
      timezone: f.timeZone(),
      priceMode: f.oneOf(['gross', 'net']),
      plugins: f.list(f.text()),
      branding: f.json().optional().describe('Colours, fonts and logos of the shop.'),
      legal: f.json().describe('Who runs the shop.'),
      pushPublicKey: f.text().optional(),
    },
  },
  async (ctx) => {
    const { name, locales, defaultLocale, currency, timezone, priceMode } = ctx.tenant;
    const enabled = await ctx.use(fx)?.enabled();
    const currencies = [...new Set([currency, ...(enabled ?? []).map(({ code }) => code)])];
    const plugins = ctx
      .require(pluginStates)
      .all()
      .filter((plugin) => ctx.isOn(plugin.name))
      .map((plugin) => plugin.name)
      .sort();
    const parts: TenantConfigPart = Object.assign({}, ...(await ctx.call(tenantConfigCollect, {})));
    return {
      name,
      locales,
      defaultLocale,
      currency,
      currencies,
      timezone,
      priceMode,
      plugins,
      branding: parts.branding ?? null,
      legal: await legalOf(ctx),
      pushPublicKey: parts.pushPublicKey ?? null,
    };
  },
);
