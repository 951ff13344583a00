import { createRequire } from 'node:module';
import type * as phones from 'awesome-phonenumber';

const require = createRequire(import.meta.url);
/** Loaded with the first number: the numbering plans of all countries take about a megabyte. */
let library: typeof phones | undefined;

/** Returns an e-mail address trimmed, in NFC and lower case. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}

/** Returns a phone number in E.164, read with `country` (ISO 3166-1 alpha-2) as default; undefined if it isn't valid. */
export function normalizePhone(phone: string, country: string): string | undefined {
  library ??= require('awesome-phonenumber') as typeof phones;
  const parsed = library.parsePhoneNumber(phone, { regionCode: country });
  return parsed.valid ? parsed.number.e164 : undefined;
}

/** Returns a placeholder address for an erased person, unique by id, at a host that can't exist (RFC 2606). */
export function erasedEmail(id: string): string {
  return `erased+${id}@invalid`;
}
/** Returns true for an address made by `erasedEmail`: send no e-mail to it. */
export function isErasedEmail(email: string): boolean {
  return email.endsWith('@invalid');
}

/** Returns an e-mail address for display: `m•••@example.org`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '•••' : `${email.slice(0, 1)}•••${email.slice(at)}`;
}

/** A name in one field as first and last name: the first word, and the rest; null where there is none. */
export function splitName(name: string): { firstName: string | null; lastName: string | null } {
  const [firstName, ...rest] = name.trim().split(/\s+/);
  return { firstName: firstName || null, lastName: rest.join(' ') || null };
}
