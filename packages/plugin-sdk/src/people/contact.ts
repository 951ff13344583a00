import { parsePhoneNumber } from 'awesome-phonenumber';

/** Lower case, NFC, trimmed. */
export function normalEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}

/** E.164 where the number can be read, with the country (ISO 3166-1 alpha-2) as default; undefined where it can't. */
export function normalPhone(phone: string, country: string): string | undefined {
  const parsed = parsePhoneNumber(phone, { regionCode: country });
  return parsed.valid ? parsed.number.e164 : undefined;
}

/** `m•••@example.org`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '•••' : `${email.slice(0, 1)}•••${email.slice(at)}`;
}
