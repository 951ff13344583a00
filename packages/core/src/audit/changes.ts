import { createHash } from 'node:crypto';
import type { AuditEntry, Field, FieldMode, Shape } from '@storeloom/plugin-sdk';
import { isSecretKey, type RedactOptions, redacted, redactValue } from '../observability/redact.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns JSON with sorted properties (RFC 8785 for the values that occur here), so that equal values have equal bytes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join()}}`;
  }
  return JSON.stringify(value ?? null);
}

/** The changed properties of a row, without secrets. Null if the row didn't exist. */
export interface Changes {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  extra?: Record<string, unknown>;
}

/** Omitted properties: the audit row has its own id and instant, and every write changes these. */
const silent = new Set(['id', 'tenantId', 'createdAt', 'updatedAt', 'version', 'masked']);
/** Replaces personal data. */
const personal = '[personal]';
const textLimit = 2000;
const redaction: RedactOptions = { maxItems: 10_000, maxDepth: 32 };

/** Compares `before` and `after` of an entry. `shape` has the secret fields of the entity, if it is known. */
export function changesOf(entry: AuditEntry, shape?: Shape): Changes {
  const before = plain(entry.before);
  const after = plain(entry.after);
  const changes: Changes = { before: before && {}, after: after && {} };
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    if (silent.has(name)) continue;
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    if (canonicalJson(was) === canonicalJson(is)) continue;
    const field = shape && Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (changes.before) changes.before[storableText(name)] = clean(name, was, field);
    if (changes.after) changes.after[storableText(name)] = clean(name, is, field);
  }
  if (entry.extra) changes.extra = storable(redactValue(entry.extra, redaction)) as Record<string, unknown>;
  return changes;
}

function plain(side: object | null | undefined): Record<string, unknown> | null {
  return side ? (side as Record<string, unknown>) : null;
}

function clean(name: string, value: unknown, field: Field<unknown, FieldMode> | undefined): unknown {
  if (value === null) return null;
  if (field?.spec.kind === 'secret' || isSecretKey(name)) return redacted;
  if (field?.spec.personal) return personal;
  return storable(redactValue(field ? withoutSecrets(value, field) : value, redaction));
}

/** Masks secret and personal fields inside objects and lists. */
function withoutSecrets(value: unknown, field: Field<unknown, FieldMode>): unknown {
  const { spec } = field;
  if (value === null || value === undefined) return null;
  if (spec.kind === 'secret') return redacted;
  if (spec.personal) return personal;
  if (spec.kind === 'list' && Array.isArray(value) && spec.item)
    return value.map((item) => withoutSecrets(item, spec.item as Field<unknown, FieldMode>));
  if (spec.shape && typeof value === 'object') {
    const shape = spec.shape;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        Object.hasOwn(shape, name) ? withoutSecrets(member, shape[name] as Field<unknown, FieldMode>) : member,
      ]),
    );
  }
  return value;
}

/** Removes NUL and lone surrogates, which jsonb rejects. A long text is stored as its beginning, length and hash, which can still be verified. */
function storableText(text: string): string {
  const stored = text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
  const whole = stored.isWellFormed() ? stored : stored.toWellFormed();
  return whole.length > textLimit
    ? `${whole.slice(0, 200).toWellFormed()}… [${whole.length} characters, sha256 ${sha256(whole)}]`
    : whole;
}
function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map((item) => storable(item ?? null));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [storableText(name), storable(member)]),
    );
  return value;
}
