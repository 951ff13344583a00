import { type Ctx, f, type Log, problem, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { generateToken, hashToken } from '@storeloom/plugin-sdk/public';
import { later, type Scoped } from '../session/sessions.ts';
import { newRecoveryCode, plainRecoveryCode, stepOf } from './totp.ts';

/**
 * Five wrong codes in five minutes, then 429 until they have passed. Not multiplied by RATE_LIMIT_FACTOR, since six digits could be guessed
 * without a limit. Recovery codes with 80 bits can't, so they work for the owner while an attacker with the password is guessing.
 */
const tries = { most: 5, seconds: 300 };
/** A secret that was shown and not confirmed is good for so long. Seconds. */
export const pendingLasts = 600;
const recoveryCodes = 10;
const deviceLasts = 30 * 86_400;

/** An open transaction in a tenant's scope or the platform's: the functions of the database serve both. */
export type Open = Pick<Scoped, 'db' | 'clock' | 'unseal'> & Pick<Ctx, 'sign'>;

const sixDigits = /^\d{3} ?\d{3}$/;
export const codeField = f.text({ max: 7, pattern: sixDigits });
export const recoveryCodeField = f.text({ max: 40 });
/** Where one member takes either. */
export const eitherCodeField = f.text({ max: 40 });
export function eitherCode(text: string): GivenCode {
  return sixDigits.test(text) ? { code: text, recoveryCode: null } : { code: null, recoveryCode: text };
}

export interface SecondFactor {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly sessionVersion: number;
  /** Sealed; null while it is off. */
  readonly secret: string | null;
  readonly pending: string | null;
  readonly pendingAt: string | null;
  /** Recovery codes that weren't used. */
  readonly codesLeft: number;
}

/** Undefined for an account that is not there, or has no user in this tenant. */
export async function secondFactorOf({ db }: Pick<Open, 'db'>, accountId: string): Promise<SecondFactor | undefined> {
  const row = await db.first<Omit<SecondFactor, 'accountId'>>(
    sql`select email, password_hash as "passwordHash", session_version as "sessionVersion", secret, pending, pending_at as "pendingAt", codes_left as "codesLeft"
      from identity_second_factor(${accountId}::uuid)`,
  );
  return row && { accountId, ...row };
}

/** Counts an attempt in a separate transaction, so that it stays for any result. @throws Problem 429 `rate_limited` above the limit */
export async function countCode({ db, clock }: Pick<Open, 'db' | 'clock'>, accountId: string): Promise<void> {
  const row = await db.first<{ wait: number }>(
    sql`select identity_second_factor_try(${accountId}::uuid, ${tries.most}, ${tries.seconds}, ${clock.now()}::timestamptz) as wait`,
  );
  if (row && row.wait > 0)
    throw problem('rate_limited', { detail: 'Too many invalid codes. Try again later.', retryAfter: row.wait });
}

export interface GivenCode {
  readonly code: string | null;
  readonly recoveryCode: string | null;
}

/** Uses the code up; false when it is wrong, or was used before. A transaction that fails leaves it unused. */
export async function useCode(open: Open, factor: SecondFactor, { code, recoveryCode }: GivenCode): Promise<boolean> {
  if (factor.secret === null) return false;
  const { accountId } = factor;
  if (recoveryCode !== null) {
    const hash = recoveryHash(open, accountId, recoveryCode);
    const row = await open.db.first<{ used: boolean }>(
      sql`select identity_recovery_use(${accountId}::uuid, ${hash}, ${open.clock.now()}::timestamptz) as used`,
    );
    return row?.used === true;
  }
  const step = code === null ? undefined : stepOf(open.unseal(factor.secret), plainCode(code), open.clock.ms());
  if (step === undefined) return false;
  const row = await open.db.first<{ used: boolean }>(sql`select identity_totp_use(${accountId}::uuid, ${step}::bigint) as used`);
  return row?.used === true;
}
export const plainCode = (code: string): string => code.replace(' ', '');

function recoveryHash(ctx: Pick<Open, 'sign'>, accountId: string, code: string): string {
  return ctx.sign('recovery-code', `${accountId} ${plainRecoveryCode(code)}`);
}

/** Turns the pending secret on with the step of its first code. Gives the recovery codes, for the only time; undefined: too late. */
export async function turnOn(open: Open, accountId: string, pending: string, step: number): Promise<string[] | undefined> {
  const ms = open.clock.ms();
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
  const hashes = codes.map((code) => recoveryHash(open, accountId, code));
  const row = await open.db.first<{ done: boolean }>(
    sql`select identity_totp_enable(${accountId}::uuid, ${pending}, ${step}::bigint, ${codes.map(() => uuidv7(ms))}::uuid[], ${hashes}::text[], ${new Date(ms).toISOString()}::timestamptz) as done`,
  );
  return row?.done === true ? codes : undefined;
}
export async function turnOff({ db, clock }: Pick<Open, 'db' | 'clock'>, accountId: string): Promise<boolean> {
  const row = await db.first<{ done: boolean }>(
    sql`select identity_totp_disable(${accountId}::uuid, ${clock.now()}::timestamptz) as done`,
  );
  return row?.done === true;
}

/** A browser keeps its name over its updates: the numbers in it don't count. */
function agentHash(ctx: Pick<Open, 'sign'>, userAgent: string | null): string {
  return ctx.sign('trusted-device', (userAgent ?? '').replace(/[\d._]+/g, ''));
}

/** A device of this account that needs no code for 30 days. Gives its token, which is stored as a hash. */
export async function trustDevice(open: Open, accountId: string, userAgent: string | null): Promise<string> {
  const ms = open.clock.ms();
  const token = generateToken();
  await open.db.run(
    sql`select identity_device_trust(${uuidv7(ms)}::uuid, ${accountId}::uuid, ${hashToken(token)}, ${agentHash(open, userAgent)}, ${later(ms, deviceLasts)}::timestamptz, ${new Date(ms).toISOString()}::timestamptz)`,
  );
  return token;
}
/** Whose device this is, and until when; undefined for one that isn't trusted, or is another browser. */
export async function trustedDevice(
  open: Open,
  token: string,
  userAgent: string | null,
): Promise<{ accountId: string; expiresAt: string } | undefined> {
  return open.db.first(
    sql`select account_id as "accountId", expires_at as "expiresAt" from identity_device_trusted(${hashToken(token)}, ${agentHash(open, userAgent)}, ${open.clock.now()}::timestamptz)`,
  );
}

export function logWrongCode(ctx: { log: Log; ip: string | null; requestId: string }, accountId: string): void {
  ctx.log.warn({ event: 'second_factor_failed', accountId, ip: ctx.ip, requestId: ctx.requestId }, 'a second factor was wrong');
}
