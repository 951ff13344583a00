import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Db, type Licence, type Log, Problem, sql } from '@storeloom/plugin-sdk';
import { type Read, type SignedAnswer, verifyKeyList, verifyResponse, verifyRevocations } from './answer.ts';
import { type LicenceDocument, noDocument, openDocument, sealDocument } from './document.ts';
import type { Environment } from './environment.ts';
import type { InstallationLicence } from './licence.ts';
import { problemOfResponse, throwUnavailable } from './refusal.ts';
import { type LicenceServer, LicenceServerError, licenceServer } from './server.ts';
import { iso, verifyLicence } from './verify.ts';

/** Runs work in one transaction outside the tenants. */
interface PlatformDatabase {
  withPlatform<T>(work: (tx: { readonly db: Db }) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
}

export interface KeeperOptions {
  licence: InstallationLicence;
  database: PlatformDatabase;
  clock: { ms(): number; now(): string };
  env: Environment;
  installation: string;
  sign(text: string): string;
  seal(text: string): string;
  unseal(sealed: string): string;
  log: Log;
  /** Called when the licence has changed in this process: decisions based on it are stale. */
  onChange(): void;
  /** Default: the server at the issuer's URL. */
  server?: LicenceServer;
}
export interface LicenceKeeper extends Licence {
  /** Reads a change stored by another process. */
  reload(): Promise<void>;
}

const licenceKey = 'licence';
/** Milliseconds by which a heartbeat can be early, different for each installation. */
const jitter = 2 * 60 * 60 * 1000;
const certificateNotice = 10 * 24 * 60 * 60;
const keysAskedEvery = 10 * 60 * 1000;
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Manages the licence of the installation: requests to its server, and the stored state. */
export function createLicenceKeeper(options: KeeperOptions): LicenceKeeper {
  const { licence, database, clock, env, installation, sign, log } = options;
  const url = licence.issuer?.url;
  const server = options.server ?? (url === undefined ? undefined : licenceServer(url));
  let keysAskedAt = Number.NEGATIVE_INFINITY;

  /** Stores a change under a lock across processes, each of which then reloads it. */
  async function store(change: (document: LicenceDocument) => LicenceDocument): Promise<void> {
    const value = await database.withPlatform(async (tx) => {
      await tx.db.run(
        sql`insert into core_installation (key, value) values (${licenceKey}, 'null'::jsonb) on conflict (key) do nothing`,
      );
      const row = await tx.db.first<{ value: unknown }>(
        sql`select value from core_installation where key = ${licenceKey} for update`,
      );
      const opened = row?.value ? openDocument(row.value, sign) : undefined;
      const next = sealDocument(change(opened?.ok ? trustedDocument(opened) : noDocument), sign);
      await tx.db.run(
        sql`update core_installation set value = ${JSON.stringify(next)}::jsonb, updated_at = now() where key = ${licenceKey}`,
      );
      await tx.db.rows(sql`select pg_notify('storeloom_licence', '')`);
      return next;
    });
    await licence.load(value);
    options.onChange();
  }

  /** Keeps only certificate and key of an edited document, as if there had been no response since. */
  function trustedDocument({ document, untouched }: { document: LicenceDocument; untouched: boolean }): LicenceDocument {
    if (untouched) return document;
    const { token, key, keyHint, revoked, offlineSince } = document;
    return { ...noDocument, token, key, keyHint, revoked, offlineSince: offlineSince ?? iso(licence.claims?.iat ?? 0) };
  }

  /** Requests the list of keys, signed by a known one, to learn new keys. At most once in ten minutes. */
  async function learnKeys(): Promise<boolean> {
    if (!server || clock.ms() - keysAskedAt < keysAskedEvery) return false;
    keysAskedAt = clock.ms();
    for (const list of await server.keys()) {
      // The list replaces the learned keys: a key that is no longer on it is not trusted.
      const result = await verifyKeyList(list, licence.keys());
      if (!result.ok) continue;
      await store((document) => ({ ...document, learnedKeys: result.value.keys }));
      return true;
    }
    return false;
  }

  async function ask(
    path: 'activate' | 'heartbeat' | 'deactivate',
    key: string,
    more: Record<string, unknown> = {},
  ): Promise<SignedAnswer> {
    if (!server)
      throw new Problem('provider_not_configured', {
        provider: 'license-server',
        detail: 'This installation has no licence server. Enter a certificate issued for it.',
      });
    const nonce = randomBytes(18).toString('base64url');
    const { answer } = await server.call(path, { key, installation, nonce, env, fingerprint: fingerprintOf(), ...more });
    const judge = (): Promise<Read<SignedAnswer>> => verifyResponse(answer, { keys: licence.keys(), installation, nonce });
    let result = await judge();
    if (!result.ok && result.unknownKey && (await learnKeys())) result = await judge();
    if (!result.ok) throw new LicenceServerError(`the response of the licence server is not valid: ${result.why}`);
    return result.value;
  }

  /** Takes what every response contains: the server's time, its keys, the revoked licences. */
  async function takeResponse(
    answer: SignedAnswer,
    jti: string | undefined,
  ): Promise<(document: LicenceDocument) => LicenceDocument> {
    const seen = await verifyRevocations(answer.revocations, {
      keys: licence.keys(),
      seq: licence.document.revocationSeq,
      now: answer.iat * 1000,
    });
    return (document) => ({
      ...document,
      offlineSince: null,
      lastHeartbeatAt: iso(answer.iat),
      latestSeen: later(document.latestSeen, iso(answer.iat)),
      learnedKeys: answer.keys ?? document.learnedKeys,
      revocationSeq: seen.ok ? Math.max(document.revocationSeq, seen.value.seq) : document.revocationSeq,
      revoked:
        (document.revoked && answer.answer !== 'valid') || (seen.ok && jti !== undefined && seen.value.revoked.includes(jti)),
    });
  }

  async function accept(token: string): Promise<string> {
    const check = () => verifyLicence(token, { keys: licence.keys(), env, installation, now: clock.ms(), purpose: 'activate' });
    let result = await check();
    if (!result.ok && result.code === 'signature_invalid' && (await learnKeys().catch(() => false))) result = await check();
    if (result.ok) return result.claims.jti;
    if (result.code === 'signature_invalid')
      throw new Problem('validation_failed', {
        detail: result.message,
        errors: [{ pointer: '/key', code: 'signature_invalid', message: result.message }],
      });
    throw new Problem('license_required', { detail: result.message, reason: result.code });
  }

  async function activateByKey(key: string): Promise<void> {
    const answer = await ask('activate', key).catch(throwUnavailable);
    if (answer.answer !== 'valid' || answer.certificate === undefined) throw problemOfResponse(answer.answer);
    const { certificate } = answer;
    const jti = await accept(certificate);
    const change = await takeResponse(answer, jti);
    await store((document) => ({
      ...change({ ...document, revoked: false }),
      token: certificate,
      key: options.seal(key),
      keyHint: key.slice(-4),
      renewalFailed: false,
      tombstones: document.tombstones.filter((sealed) => options.unseal(sealed) !== key),
    }));
  }

  async function sendHeartbeat(): Promise<void> {
    const { document, claims } = licence;
    if (document.key === null || document.token === null)
      throw new Problem('no_activation', { detail: 'The licence was not activated by a key, so it has no licence server.' });
    const key = options.unseal(document.key);
    let answer: SignedAnswer;
    try {
      answer = await ask('heartbeat', key, { certificate: claims?.exp ?? 0 });
      // The seat was revoked, for instance after a long time offline: request it again.
      if (answer.answer === 'no_activation' || answer.answer === 'heartbeat_dead') answer = await ask('activate', key);
    } catch (error) {
      await store((present) => ({
        ...present,
        offlineSince: present.offlineSince ?? clock.now(),
        renewalFailed: present.renewalFailed || ends(claims?.exp),
      }));
      throw error;
    }
    const renewed = await renewalOf(answer);
    const change = await takeResponse(answer, claims?.jti);
    await store((present) => {
      // The licence was replaced meanwhile: the response is for the old one.
      if (present.key !== document.key) return present;
      const next = change(present);
      return {
        ...next,
        token: renewed ?? present.token,
        revoked: next.revoked || answer.answer === 'suspended',
        renewalFailed: renewed === undefined && (answer.answer !== 'valid' || ends(claims?.exp)),
      };
    });
  }

  /** Returns the renewed certificate; undefined if there is none, or it isn't valid: the current one stays. */
  async function renewalOf({ certificate }: SignedAnswer): Promise<string | undefined> {
    if (certificate === undefined) return undefined;
    try {
      await accept(certificate);
      return certificate;
    } catch (error) {
      log.warn({ err: error }, 'a renewed licence was rejected');
      return undefined;
    }
  }
  const ends = (exp: number | undefined): boolean => exp !== undefined && exp - licence.now() / 1000 <= certificateNotice;

  async function notifyDeactivations(): Promise<void> {
    for (const sealed of licence.document.tombstones) {
      await ask('deactivate', options.unseal(sealed));
      await store((document) => ({ ...document, tombstones: document.tombstones.filter((one) => one !== sealed) }));
    }
  }

  /** Returns when the next heartbeat is due, in milliseconds. A failed one is repeated in the next hour. */
  function due(): number {
    const { document, claims } = licence;
    if (document.key === null || document.token === null) return Number.POSITIVE_INFINITY;
    if (document.offlineSince !== null || document.lastHeartbeatAt === null) return 0;
    const early = (createHash('sha256').update(installation).digest().readUInt32BE() / 0xffffffff) * jitter;
    return Date.parse(document.lastHeartbeatAt) + (claims?.heartbeat.interval ?? 86_400) * 1000 - early;
  }

  return {
    view: () => licence.view(),
    problem: () => licence.problem,
    coversTheme: (theme, installed) => licence.coversTheme(theme, { installed: installed === true }),

    async activate(given) {
      const key = given.trim();
      if (jwt.test(key)) {
        const jti = await accept(key);
        await store((document) => ({
          ...document,
          token: key,
          key: null,
          keyHint: null,
          offlineSince: null,
          renewalFailed: false,
          lastHeartbeatAt: null,
          // A revoked licence stays revoked, also if its certificate is entered again.
          revoked: document.revoked && licence.claims?.jti === jti,
        }));
        // Keys are case-insensitive.
      } else await activateByKey(key.toUpperCase());
      return licence.view();
    },

    async heartbeat() {
      await sendHeartbeat().catch(throwUnavailable);
      return licence.view();
    },

    async deactivate() {
      await store((document) => ({
        ...noDocument,
        latestSeen: document.latestSeen,
        learnedKeys: document.learnedKeys,
        revocationSeq: document.revocationSeq,
        tombstones: document.key === null ? document.tombstones : [...document.tombstones, document.key].slice(-20),
      }));
      await notifyDeactivations().catch((error: Error) =>
        log.info({ err: error }, 'the licence server will be notified of the deactivation later'),
      );
      return licence.view();
    },

    async runMaintenance({ newestOrderAt }) {
      if (newestOrderAt !== null && licence.document.token !== null && newestOrderAt > (licence.document.latestSeen ?? ''))
        await store((document) => ({ ...document, latestSeen: later(document.latestSeen, newestOrderAt) }));
      const failed = (what: string) => (error: Error) => log.warn({ err: error }, what);
      await notifyDeactivations().catch(failed('the licence server could not be notified of a deactivation'));
      if (due() <= clock.ms()) await sendHeartbeat().catch(failed('the heartbeat of the licence failed'));
    },

    async reload() {
      const row = await database.withPlatform(
        (tx) => tx.db.first<{ value: unknown }>(sql`select value from core_installation where key = ${licenceKey}`),
        { readOnly: true },
      );
      await licence.load(row?.value);
      options.onChange();
    },
  };
}

/** Returns the fingerprint of this machine, for licences that are bound to machines. */
const fingerprintOf = (): string => createHash('sha256').update(hostname()).digest('hex');
const later = (a: string | null, b: string): string => (a !== null && Date.parse(a) > Date.parse(b) ? a : b);
