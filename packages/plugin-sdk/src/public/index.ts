export { adminUrl, isLink, isShopUrl, linkField, type ShopUrls, shopOrigin, shopUrls, storefrontUrl } from './addresses.ts';
export { type Consents, consents } from './consents.ts';
export { type MailFooter, mailFooter } from './mail-footer.ts';
export { findByManageToken, issueManageToken } from './manage.ts';
export { type ManageOptions, type PublicPostOptions, publicPost } from './post.ts';
export { equalSecrets, escapeHtml, generateToken, hashToken, localizedText, pick, tokenMatches } from './public.ts';
export { type PublicView, publicView } from './view.ts';
