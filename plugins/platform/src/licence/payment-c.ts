import { createHmac } from 'node:crypto';
import { equalSecrets } from '@storeloom/plugin-sdk/public';
import { z } from 'zod';

/** A value with its length in bytes before it; nothing is `0`. */
const prefixed = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string);
  return bytes.length === 0 ? Buffer.from('0') : Buffer.concat([Buffer.from(String(bytes.length)), bytes]);
};
/** HMAC-MD5 as the provider has it, hexadecimal. It is old and weak: what it signs is asked for again by the API. */
export function hashOf(values: readonly (string | Buffer)[], secret: string): string {
  return createHmac('md5', secret)
    .update(Buffer.concat(values.map(prefixed)))
    .digest('hex');
}

export interface FormField {
  readonly name: string;
  /** As the bytes were sent: the length that counts is theirs. */
  readonly value: Buffer;
}

/** A form body in the order in which it came, byte for byte. */
export function formFields(raw: Buffer): FormField[] {
  const text = raw.toString('latin1');
  if (text === '') return [];
  return text.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    return { name: decode(name).toString('utf8'), value: decode(value) };
  });
}
function decode(text: string): Buffer {
  const plain = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
}

const unsigned = new Set(['HASH', 'SIGNATURE_SHA2_256', 'SIGNATURE_SHA3_256']);
const textOf = (fields: readonly FormField[], name: string): string | undefined =>
  fields
    .find((field) => field.name === name || field.name === `${name}[]` || field.name === `${name}[0]`)
    ?.value.toString('utf8');

/** Whether the account's secret made the hash, over every field in the order in which it came. */
export function isSigned(fields: readonly FormField[], secret: string): boolean {
  const hash = textOf(fields, 'HASH');
  if (hash === undefined || fields.filter(({ name }) => name === 'HASH').length !== 1) return false;
  const values = fields.filter(({ name }) => !unsigned.has(name)).map(({ value }) => value);
  return equalSecrets(hash.toLowerCase(), hashOf(values, secret));
}

/** One notification: an order in a state. @throws when it names no order */
export function eventIdOf(fields: readonly FormField[]): string {
  const order = orderOf(fields);
  return `${order}:${textOf(fields, 'ORDERSTATUS') ?? ''}:${textOf(fields, 'IPN_DATE') ?? ''}`;
}
export function orderOf(fields: readonly FormField[]): string {
  const order = textOf(fields, 'REFNO') ?? '';
  if (!/^[\w-]{1,40}$/.test(order)) throw new Error('the notification names no order');
  return order;
}

const stamp = (ms: number): string => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);
/** What the provider reads as "received". `now` in milliseconds. */
export function acknowledgement(fields: readonly FormField[], secret: string, now: number): string {
  const date = stamp(now);
  const values = [textOf(fields, 'IPN_PID') ?? '', textOf(fields, 'IPN_PNAME') ?? '', textOf(fields, 'IPN_DATE') ?? '', date];
  return `<EPAYMENT>${date}|${hashOf(values, secret)}</EPAYMENT>`;
}

/** Returns the authentication of API requests. */
export function authentication(account: string, secret: string, now: number): string {
  const date = new Date(now).toISOString().slice(0, 19).replace('T', ' ');
  return `code="${account}" date="${date}" hash="${hashOf([account, date], secret)}"`;
}

/** An order as the API tells it; as much of it as decides whether it is paid, by whom and what for. */
export const paidOrder = z.object({
  RefNo: z.coerce.string(),
  Status: z.string(),
  Currency: z.string(),
  BillingDetails: z.object({ Email: z.email() }),
  Items: z
    .array(
      z.object({
        Code: z.string(),
        Quantity: z.coerce.number().int().min(1).max(100_000),
        /** Of one, in the order's currency. */
        Price: z.object({ UnitGrossPrice: z.coerce.number(), Currency: z.string().optional() }),
      }),
    )
    .min(1)
    .max(100),
});
export type PaidOrder = z.infer<typeof paidOrder>;
export const isPaid = ({ Status }: PaidOrder): boolean => Status === 'COMPLETE';
