import { createHash, randomInt } from 'node:crypto';
import { f, invalid, type PlatformCtx, problem, type Shape, sql, uuidPattern, uuidv7 } from '@storeloom/plugin-sdk';
import semver from 'semver';
import { z } from 'zod';
import { queued } from '../queued.ts';

/** A licence that this installation has issued, as its row says. Spans in seconds. */
export interface Licence {
  id: string;
  customerEmail: string;
  plan: string;
  env: 'production' | 'staging' | 'development';
  plugins: Record<string, string>;
  themes: Record<string, string>;
  limits: Record<string, number>;
  domains: string[];
  fingerprint: string[] | null;
  grace: number;
  heartbeat: { interval: number; maxOffline: number };
  seatTtl: number | null;
  expiresAt: string;
  updatesUntil: string;
  maxActivations: number;
  /** Seats in use. */
  activations: number;
  keyMasked: string;
  revokedAt: string | null;
  revokedReason: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}
export type LicenceTerms = Omit<
  Licence,
  'id' | 'activations' | 'keyMasked' | 'revokedAt' | 'revokedReason' | 'createdAt' | 'updatedAt' | 'version'
>;

export const environments = ['production', 'staging', 'development'] as const;
const day = 86_400;
const defaultGrace = 14 * day;
const defaultHeartbeat = { interval: day, maxOffline: 0 };

const ranges = z
  .record(
    z.string().regex(/^(\*|[a-z0-9@/][a-z0-9@/._-]{0,119})$/i, 'must be a name, or *'),
    z.string().refine((range) => semver.validRange(range) !== null, 'must be a semver range'),
  )
  .refine((all) => Object.keys(all).length <= 300, 'has more than 300 entries');
const limits = z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/, 'must be a name'), z.int().min(0));
const span = z
  .int()
  .min(0)
  .max(100 * 366 * day);
const seconds = z
  .int()
  .min(60)
  .max(100 * 366 * day);

/** What is sold: shared by issuing by hand and by a paid order. */
export const soldTerms = {
  plugins: ranges,
  themes: ranges.default({}),
  plan: z.string().trim().min(1).max(120).default('custom'),
  limits: limits.default({}),
  env: z.enum(environments),
  maxActivations: z.int().min(1).max(100_000).default(1),
  domains: z.array(z.string().max(253)).max(100).default([]),
  fingerprint: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .max(100)
    .nullable()
    .default(null),
  grace: span.default(defaultGrace),
  heartbeat: z.strictObject({ interval: seconds.default(day), maxOffline: span.default(0) }).default(defaultHeartbeat),
  seatTtl: seconds.nullable().default(null),
};

export const licenceShape = {
  id: f.id(),
  customerEmail: f.email(),
  plan: f.text(),
  env: f.oneOf(environments),
  plugins: f.json().describe('Range of versions by plugin.'),
  themes: f.json().describe('Range of versions by theme.'),
  limits: f.json().describe('Number by limit.'),
  domains: f.list(f.text()),
  fingerprint: f.list(f.text()).optional(),
  grace: f.int(),
  heartbeat: f.object({ interval: f.int(), maxOffline: f.int() }),
  seatTtl: f.int().optional(),
  expiresAt: f.instant(),
  updatesUntil: f.instant(),
  maxActivations: f.int(),
  activations: f.int(),
  keyMasked: f.text(),
  revokedAt: f.instant().optional(),
  revokedReason: f.text({ max: 500 }).optional(),
  createdAt: f.instant(),
  updatedAt: f.instant(),
  version: f.int(),
} satisfies Shape;

/** Seats that count: not given back, and heard of within their time. `now` is an instant. */
const liveSeat = (now: string) => sql`s.released_at is null
  and (t.seat_ttl is null or s.last_seen_at > ${now}::timestamptz - make_interval(secs => t.seat_ttl))`;

export const licenceColumns = (
  now: string,
) => sql`t.id, t.customer_email as "customerEmail", t.plan, t.env, t.plugins, t.themes, t.limits, t.domains,
  t.fingerprint, t.grace_seconds as grace, json_build_object('interval', t.heartbeat_interval, 'maxOffline', t.heartbeat_max_offline) as heartbeat,
  t.seat_ttl as "seatTtl", t.expires_at as "expiresAt", t.updates_until as "updatesUntil", t.max_activations as "maxActivations",
  (select count(*)::int from platform_license_seat s where s.license_id = t.id and ${liveSeat(now)}) as activations,
  '••••' || t.key_hint as "keyMasked", t.revoked_at as "revokedAt", t.revoked_reason as "revokedReason", t.created_at as "createdAt",
  t.updated_at as "updatedAt", t.version`;

export async function findLicence(
  ctx: PlatformCtx,
  by: { id: string } | { key: string },
  { lock = false } = {},
): Promise<Licence | undefined> {
  const where = 'id' in by ? sql`t.id = ${by.id}` : sql`t.key_hash = ${hashOfKey(by.key)}`;
  // A separate statement: one that waits for the lock would still count the seats of before.
  if (lock) await ctx.db.rows(sql`select t.id from platform_license t where ${where} for update`);
  return ctx.db.first<Licence>(sql`select ${licenceColumns(ctx.clock.now())} from platform_license t where ${where}`);
}

/** No digit or letter that is read as another. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 150 random bits in six groups of five. */
function newKey(): string {
  const group = (): string => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
  return `SL-${Array.from({ length: 6 }, group).join('-')}`;
}
/** Typed as it likes to be: lower case, with or without spaces around it. */
const hashOfKey = (key: string): string => createHash('sha256').update(key.trim().toUpperCase()).digest('hex');

/**
 * Writes a licence, its event and, as a job, its mail. Of two for one `source` the second gives undefined.
 * @returns the activation key, which is shown this once
 */
export async function insertLicence(
  ctx: PlatformCtx,
  terms: LicenceTerms,
  source: string | null,
): Promise<{ id: string; key: string } | undefined> {
  const ms = ctx.clock.ms();
  const now = new Date(ms).toISOString();
  const id = uuidv7(ms);
  const key = newKey();
  const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;
  const inserted =
    await ctx.db.run(sql`insert into platform_license (id, key_hash, key_sealed, key_hint, customer_email, plan, env, plugins, themes, limits,
      domains, fingerprint, grace_seconds, heartbeat_interval, heartbeat_max_offline, seat_ttl, expires_at, updates_until, max_activations, source, created_at, updated_at)
    values (${id}, ${hashOfKey(key)}, ${ctx.seal(key)}, ${key.slice(-4)}, ${terms.customerEmail}, ${terms.plan}, ${terms.env}, ${json(terms.plugins)},
      ${json(terms.themes)}, ${json(terms.limits)}, ${json(terms.domains)}, ${terms.fingerprint === null ? sql`null` : json(terms.fingerprint)}, ${terms.grace},
      ${terms.heartbeat.interval}, ${terms.heartbeat.maxOffline}, ${terms.seatTtl}, ${terms.expiresAt}, ${terms.updatesUntil}, ${terms.maxActivations}, ${source}, ${now}, ${now})
    on conflict (source) do nothing`);
  if (inserted === 0) return undefined;
  await addEvent(ctx, id, 'issued', { data: source === null ? {} : { source } });
  await ctx.enqueue(queued.licenceMail, { licenceId: id, mail: 'issued' });
  return { id, key };
}

export interface LicenceEvent {
  installation?: string;
  data?: Record<string, unknown>;
}
/** Append-only. */
export async function addEvent(ctx: PlatformCtx, licenceId: string, type: string, event: LicenceEvent = {}): Promise<void> {
  const ms = ctx.clock.ms();
  await ctx.db.run(sql`insert into platform_license_event (id, license_id, type, at, installation, ip, data)
    values (${uuidv7(ms)}, ${licenceId}, ${type}, ${new Date(ms).toISOString()}, ${event.installation ?? null}, ${ctx.ip}, ${JSON.stringify(event.data ?? {})}::jsonb)`);
}

/** A licence, locked. @throws Problem 404 with the pointer */
export async function requireLicence(ctx: PlatformCtx, id: string): Promise<Licence> {
  const found = uuidPattern.test(id) ? await findLicence(ctx, { id }, { lock: true }) : undefined;
  if (!found)
    throw problem('not_found', {
      detail: 'There is no licence with this id.',
      errors: [{ pointer: '/licenseId', code: 'not_found', message: 'is not the id of a licence' }],
    });
  return found;
}

/** A licence that isn't revoked, locked. @throws Problem 404, 422 */
export async function requireLiveLicence(ctx: PlatformCtx, id: string): Promise<Licence> {
  const found = await requireLicence(ctx, id);
  if (found.revokedAt !== null) throw invalid('/licenseId', 'revoked', 'the licence is revoked');
  return found;
}
