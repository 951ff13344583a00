export { hashToken, newToken, pick, textIn, tokenMatches } from './public.ts';
