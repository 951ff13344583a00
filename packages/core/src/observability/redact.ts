import { createHmac } from 'node:crypto';

/** Replaces a secret. */
export const redacted = '[redacted]';

/** Names of properties that are always redacted, in lower case, letters and digits only. */
const secretKeys = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'cookies',
  'setcookie',
  'password',
  'passwords',
  'passwd',
  'pwd',
  'passphrase',
  'passcode',
  'secret',
  'secrets',
  'token',
  'tokens',
  'jwt',
  'bearer',
  'apikey',
  'xapikey',
  'accesskey',
  'privatekey',
  'secretkey',
  'signingkey',
  'encryptionkey',
  'licensekey',
  'activationkey',
  'credential',
  'credentials',
  'otp',
  'totp',
  'recoverycode',
  'recoverycodes',
  'pin',
  'cvc',
  'cvv',
  'cvv2',
  'pan',
  'cardnumber',
  'iban',
  'connectionstring',
  'databaseurl',
  'mailurl',
  'filesurl',
  'codeverifier',
  'xcsrftoken',
  'csrf',
  'xsetuptoken',
]);
const secretEnd =
  /(?:password|passwd|passphrase|secret|token|tokens|apikey|privatekey|secretkey|accesskey|credentials|authorization|cookie|otp)$/;

const known = new Map<string, boolean>();
/** Returns true for the name of a secret property: `accessToken`, `x-api-key`, `client_secret`. */
export function isSecretKey(name: string): boolean {
  let secret = known.get(name);
  if (secret === undefined) {
    const bare = name.toLowerCase().replace(/[^a-z0-9]/g, '');
    secret = secretKeys.has(bare) || secretEnd.test(bare);
    // A body can have any property names, so the cache is bounded.
    if (known.size < 5000) known.set(name, secret);
  }
  return secret;
}

/** Checks the digits of a card number (Luhn). */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    let digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    if (i % 2 === 1) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
  }
  return sum % 10 === 0;
}
/** Checks the length by the first digits. 13 digits are skipped: no network issues them, and GTINs have 13. */
function isCard(text: string): boolean {
  const digits = text.replace(/[ -]/g, '');
  const known = /^(?:4\d{15}|4\d{18}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|5\d{15}|6\d{15,18}|2[2-7]\d{14})$/.test(
    digits,
  );
  return known && luhn(digits);
}
/** Checks an IBAN (ISO 13616): two letters, two check digits, up to 30 more; modulo 97 is 1. */
function isIban(text: string): boolean {
  const iban = text.replace(/[ -]/g, '').toUpperCase();
  if (iban.length < 15 || iban.length > 34) return false;
  let rest = 0;
  for (const c of iban.slice(4) + iban.slice(0, 4))
    for (const digit of Number.parseInt(c, 36).toString()) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/** Alternatives in order: ids come first, so that their digits aren't taken for a card number. */
const shapes = new RegExp(
  [
    String.raw`(?<uuid>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b)`,
    String.raw`(?<pem>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[\s\S]{1,8000}?-----END [A-Z ]{0,40}PRIVATE KEY-----|[\s\S]*))`,
    String.raw`(?<jwt>(?<![\w-])eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*){1,3})`,
    String.raw`(?<scheme>\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s+)(?<credential>[\w\-.~+/]{8,}={0,2})`,
    String.raw`(?<userinfo>(?<=:\/\/)[^\s/:@"']+:[^\s/@"']+(?=@))`,
    String.raw`(?<email>(?<![\w.!#$%&'*+/=?^\x60{|}~-])[\w.!#$%&'*+/=?^\x60{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})`,
    String.raw`(?<iban>\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?\b)`,
    String.raw`(?<card>(?<!\d)\d(?:[ -]?\d){13,18}(?!\d))`,
    String.raw`(?<vendor>\b(?:sk|rk|whsec|ghp|gho|glpat|xox[abpr])[_-][\w-]{16,})`,
    String.raw`(?<opaque>(?<![\w-])(?=[\w-]{0,256}[a-z])(?=[\w-]{0,256}[A-Z])(?=[\w-]{0,256}\d)[\w-]{40,})`,
  ].join('|'),
  'g',
);
/** `name=`, `"name": ` and what may follow them. */
const names = /(["']?)\b([A-Za-z][\w-]{1,40})\1\s?[=:]\s?/g;
const values = /"[^"]*"|'[^']*'|(?:[Bb]earer|[Bb]asic)\s+[^\s"',;]+|[^\s&"',;{}[\]]+/y;
const cookieLine = /[^\n"]+/y;
/** Most texts have no match; one scan is enough then. */
const id = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const suspicious = /eyJ|earer|EARER|asic|BASIC|@|\d{4}|-----BEGIN|whsec_|[rs]k_|gh[op]_|glpat|xox/;
const long = /[\w-]{40}/;

export interface RedactOptions {
  /** Returns the replacement of an e-mail address. Default: addresses stay. */
  email?(address: string): string;
  /** True to redact long mixed-case tokens of unknown kind as well. Audit rows keep them, since they can be references. */
  opaque?: boolean;
  /** Maximum length of a text. */
  maxText?: number;
  /** Maximum items of a list. Default 100. */
  maxItems?: number;
  /** Maximum depth. Default 8. */
  maxDepth?: number;
}

/** Redacts patterns of secrets: JWT, Bearer and Basic credentials, private keys, card numbers (Luhn), IBANs, `password=…`. */
export function redactText(text: string, options: RedactOptions = {}): string {
  if (options.maxText !== undefined && text.length > options.maxText)
    return `${redactText(text.slice(0, options.maxText), options)}… [${text.length - options.maxText} more characters]`;
  if (text.length < 6 || (text.length === 36 && id.test(text))) return text;
  const named = /[=:]/.test(text) ? redactPairs(text) : text;
  return suspicious.test(named) || (named.length >= 40 && long.test(named)) ? redactShapes(named, options) : named;
}

function redactPairs(text: string): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(names)) {
    const start = match.index + match[0].length;
    if (start <= done || !isSecretKey(match[2] as string)) continue;
    const value = /cookie$/i.test(match[2] as string) ? cookieLine : values;
    value.lastIndex = start;
    const found = value.exec(text);
    if (!found) continue;
    clean += text.slice(done, start) + redacted;
    done = start + found[0].length;
  }
  return clean + text.slice(done);
}

function redactShapes(text: string, options: RedactOptions): string {
  return text.replace(shapes, (match, ...rest) => {
    const at = rest.at(-1) as Record<string, string | undefined>;
    if (at.uuid) return match;
    if (at.pem || at.jwt || at.vendor) return redacted;
    if (at.scheme) return `${at.scheme}${redacted}`;
    if (at.userinfo) return redacted;
    if (at.email) return options.email ? options.email(match) : match;
    if (at.iban) return isIban(match) ? `[iban …${match.slice(-4)}]` : match;
    if (at.card) return isCard(match) ? `[card …${match.slice(-4)}]` : match;
    return options.opaque ? redacted : match;
  });
}

/** Returns a function that replaces an address by a keyed hash: comparable, but not reversible without the key. */
export function emailHasher(key: string | Buffer): (address: string) => string {
  return (address) => `email:${createHmac('sha256', key).update(address.toLowerCase()).digest('hex').slice(0, 16)}`;
}

/** Returns a copy without secrets, redacted by property name and by patterns in texts. Deep and long values are cut. */
export function redactValue(value: unknown, options: RedactOptions, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value, options);
    case 'number':
      return Number.isInteger(value) && value >= 1e13 && isCard(String(value)) ? `[card …${String(value).slice(-4)}]` : value;
    case 'bigint':
      return String(value);
    case 'function':
    case 'symbol':
      return undefined;
    case 'object':
      break;
    default:
      return value;
  }
  if (value === null) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= (options.maxDepth ?? 8)) return '[deep]';
  if (Array.isArray(value)) {
    const maxItems = options.maxItems ?? 100;
    const items = value.slice(0, maxItems).map((item) => redactValue(item, options, depth + 1));
    if (value.length > maxItems) items.push(`[${value.length - maxItems} more]`);
    return items;
  }
  const copy: Record<string, unknown> = {};
  const entries = value instanceof Map ? value : Object.entries(value);
  for (const [name, member] of entries) {
    if (typeof name !== 'string') continue;
    copy[name] = isSecretKey(name)
      ? member === null || member === undefined
        ? null
        : redacted
      : redactValue(member, options, depth + 1);
  }
  return copy;
}
