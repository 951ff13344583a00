export { type Addresses, addresses, adminUrl, shopOrigin, storefrontUrl } from './addresses.ts';
export { equalSecrets, escapeHtml, hashToken, newToken, pick, textIn, tokenMatches } from './public.ts';
