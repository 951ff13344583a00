import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LocalText } from '../field.ts';

/** An opaque token of 192 bits for an order, a cart, a link: shown once, stored as `hashToken(token)`. */
export function generateToken(): string {
  return randomBytes(24).toString('base64url');
}

/** SHA-256, base64url. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Whether two secrets are equal, in a time that tells nothing about either: what is compared are their digests. */
export function equalSecrets(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Constant-time comparison of a token with a stored hash. */
export function tokenMatches(token: string | undefined, hash: string | null): boolean {
  return token !== undefined && hash !== null && equalSecrets(hashToken(token), hash);
}

/** An allow-list view: the named members and nothing else. Members that are absent come as null. */
export function pick<T extends object, const K extends keyof T & string>(row: T, members: readonly K[]): Pick<T, K> {
  return Object.fromEntries(members.map((member) => [member, row[member] ?? null])) as Pick<T, K>;
}

/** The caller's text of a translated value, else the default locale's. */
export function localizedText(text: LocalText | null | undefined, locale: string, defaultLocale: string): string | null {
  if (!text) return null;
  return text[locale] ?? text[defaultLocale] ?? Object.values(text)[0] ?? null;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] as string);
}
