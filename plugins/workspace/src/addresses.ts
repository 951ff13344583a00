import { provide } from '@storeloom/plugin-sdk';
import { shopUrls } from '@storeloom/plugin-sdk/public';
import { settings } from './store-fields.ts';

export const addressesProvider = provide(shopUrls, (ctx) => {
  const { storefrontUrl, adminUrl, allowedOrigins } = ctx.settings(settings);
  return { storefront: storefrontUrl, admin: adminUrl, origins: allowedOrigins };
});
