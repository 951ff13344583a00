import { parsePhoneNumber } from 'awesome-phonenumber';

/** Lower case, NFC, trimmed. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}

/** E.164 where the number can be read, with the country (ISO 3166-1 alpha-2) as default; undefined where it can't. */
export function normalizePhone(phone: string, country: string): string | undefined {
  const parsed = parsePhoneNumber(phone, { regionCode: country });
  return parsed.valid ? parsed.number.e164 : undefined;
}

/** The address that takes the place of an erased person's: of no host (RFC 2606), and another for each, where addresses must be. */
export function erasedEmail(id: string): string {
  return `erased+${id}@invalid`;
}
/** Whoever has been erased gets no mail. */
export function isErasedEmail(email: string): boolean {
  return email.endsWith('@invalid');
}

/** `m•••@example.org`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '•••' : `${email.slice(0, 1)}•••${email.slice(at)}`;
}
