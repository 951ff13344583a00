export { type Addresses, addresses, adminUrl, shopOrigin, storefrontUrl } from './addresses.ts';
export { type MailFooter, mailFooter } from './mail-footer.ts';
export { equalSecrets, escapeHtml, hashToken, newToken, pick, textIn, tokenMatches } from './public.ts';
