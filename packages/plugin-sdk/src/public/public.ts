import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LocalText } from '../field.ts';

/** Returns a random token of 192 bits for an order, cart or link. Show it once and store `hashToken(token)`. */
export function generateToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Returns the SHA-256 of a token in base64url. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Compares two secrets in constant time. */
export function equalSecrets(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Compares a token with a stored hash in constant time. */
export function tokenMatches(token: string | undefined, hash: string | null): boolean {
  return token !== undefined && hash !== null && equalSecrets(hashToken(token), hash);
}

/** Returns the given properties of a row and no others; missing ones as null. */
export function pick<T extends object, const K extends keyof T & string>(row: T, members: readonly K[]): Pick<T, K> {
  return Object.fromEntries(members.map((member) => [member, row[member] ?? null])) as Pick<T, K>;
}

/**
 * Returns a translated text in a locale, otherwise in the default locale, otherwise in any; empty if it has none, null if there is
 * no text.
 */
export function localizedText(text: LocalText, locale: string, defaultLocale: string): string;
/** Returns the text as above; null if there is no text. */
export function localizedText(text: LocalText | null | undefined, locale: string, defaultLocale: string): string | null;
export function localizedText(text: LocalText | null | undefined, locale: string, defaultLocale: string): string | null {
  if (!text) return null;
  return text[locale] ?? text[defaultLocale] ?? Object.values(text)[0] ?? '';
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] as string);
}
