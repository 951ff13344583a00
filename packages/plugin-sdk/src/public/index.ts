export { equalSecrets, escapeHtml, hashToken, newToken, pick, textIn, tokenMatches } from './public.ts';
