export { type Addresses, addresses, addressField, adminUrl, shopOrigin, storefrontUrl } from './addresses.ts';
export { type Consents, consents } from './consents.ts';
export { type MailFooter, mailFooter } from './mail-footer.ts';
export { giveManageToken, rowsOfManageToken } from './manage.ts';
export { type ManageOptions, type PublicPostOptions, publicPost } from './post.ts';
export { equalSecrets, escapeHtml, hashToken, newToken, pick, textIn, tokenMatches } from './public.ts';
export { type PublicView, publicView } from './view.ts';
