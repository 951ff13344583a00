import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Licence, type Log, Problem, sql } from '@storeloom/plugin-sdk';
import type { Environment } from '../config.ts';
import type { Database } from '../database/database.ts';
import { type Read, readAnswer, readKeyList, readRevocations, type SignedAnswer } from './answer.ts';
import { type LicenceDocument, noDocument, openDocument, sealDocument } from './document.ts';
import type { InstallationLicence } from './licence.ts';
import { away, refusalOf } from './refusal.ts';
import { type LicenceServer, licenceServer, ServerAway } from './server.ts';
import { iso, verifyLicence } from './verify.ts';

export interface KeeperOptions {
  licence: InstallationLicence;
  database: Database;
  clock: { ms(): number; now(): string };
  env: Environment;
  installation: string;
  sign(text: string): string;
  seal(text: string): string;
  unseal(sealed: string): string;
  log: Log;
  /** The licence has changed in this process: whatever was decided by it is stale. */
  onChange(): void;
  /** Default: the one at the issuer's address. */
  server?: LicenceServer;
}
export interface LicenceKeeper extends Licence {
  /** Reads what another process has stored. */
  reload(): Promise<void>;
}

const licenceKey = 'licence';
/** A heartbeat comes up to this much early, differently for each installation. */
const jitter = 2 * 60 * 60 * 1000;
const certificateNotice = 10 * 24 * 60 * 60;
const keysAskedEvery = 10 * 60 * 1000;
const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The life of this installation's licence: what is asked of its server, and what is stored of the answers. */
export function createLicenceKeeper(options: KeeperOptions): LicenceKeeper {
  const { licence, database, clock, env, installation, sign, log } = options;
  const url = licence.issuer?.url;
  const server = options.server ?? (url === undefined ? undefined : licenceServer(url));
  let keysAskedAt = Number.NEGATIVE_INFINITY;

  /** One change at a time in all processes, each of which then reads it again. */
  async function store(change: (document: LicenceDocument) => LicenceDocument): Promise<void> {
    const value = await database.withPlatform(async (tx) => {
      await tx.db.run(
        sql`insert into core_installation (key, value) values (${licenceKey}, 'null'::jsonb) on conflict (key) do nothing`,
      );
      const row = await tx.db.first<{ value: unknown }>(
        sql`select value from core_installation where key = ${licenceKey} for update`,
      );
      const opened = row?.value ? openDocument(row.value, sign) : undefined;
      const next = sealDocument(change(opened?.ok ? believed(opened) : noDocument), sign);
      await tx.db.run(
        sql`update core_installation set value = ${JSON.stringify(next)}::jsonb, updated_at = now() where key = ${licenceKey}`,
      );
      await tx.db.rows(sql`select pg_notify('storeloom_licence', '')`);
      return next;
    });
    await licence.load(value);
    options.onChange();
  }

  /** Of a document that somebody else has written nothing counts but certificate and key; it is as if no answer had come since. */
  function believed({ document, untouched }: { document: LicenceDocument; untouched: boolean }): LicenceDocument {
    if (untouched) return document;
    const { token, key, keyHint, revoked, offlineSince } = document;
    return { ...noDocument, token, key, keyHint, revoked, offlineSince: offlineSince ?? iso(licence.claims?.iat ?? 0) };
  }

  /** A list that a known key has signed names keys that aren't known yet. At most one question in ten minutes. */
  async function learnKeys(): Promise<boolean> {
    if (!server || clock.ms() - keysAskedAt < keysAskedEvery) return false;
    keysAskedAt = clock.ms();
    for (const list of await server.keys()) {
      // The list takes the place of what was learned: a key that it no longer names is none.
      const result = await readKeyList(list, licence.keys());
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
        detail: 'This installation knows no licence server; paste a certificate that was made for it.',
      });
    const nonce = randomBytes(18).toString('base64url');
    const { answer } = await server.call(path, { key, installation, nonce, env, fingerprint: fingerprintOf(), ...more });
    const judge = (): Promise<Read<SignedAnswer>> => readAnswer(answer, { keys: licence.keys(), installation, nonce });
    let result = await judge();
    if (!result.ok && result.unknownKey && (await learnKeys())) result = await judge();
    if (!result.ok) throw new ServerAway(`the answer of the licence server is not valid: ${result.why}`);
    return result.value;
  }

  /** What any answer tells, whatever it says: the server's time, its keys, what is revoked. */
  async function heard(answer: SignedAnswer, jti: string | undefined): Promise<(document: LicenceDocument) => LicenceDocument> {
    const seen = await readRevocations(answer.revocations, {
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
    const answer = await ask('activate', key).catch(away);
    if (answer.answer !== 'valid' || answer.certificate === undefined) throw refusalOf(answer.answer);
    const { certificate } = answer;
    const jti = await accept(certificate);
    const change = await heard(answer, jti);
    await store((document) => ({
      ...change({ ...document, revoked: false }),
      token: certificate,
      key: options.seal(key),
      keyHint: key.slice(-4),
      renewalFailed: false,
      tombstones: document.tombstones.filter((sealed) => options.unseal(sealed) !== key),
    }));
  }

  async function beat(): Promise<void> {
    const { document, claims } = licence;
    if (document.key === null || document.token === null)
      throw new Problem('no_activation', { detail: 'The licence was not activated by a key: no server is asked about it.' });
    const key = options.unseal(document.key);
    let answer: SignedAnswer;
    try {
      answer = await ask('heartbeat', key, { certificate: claims?.exp ?? 0 });
      // The seat was taken back, for instance because nothing was heard for long: it is asked for again.
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
    const change = await heard(answer, claims?.jti);
    await store((present) => {
      // Another licence was put in its place meanwhile: this answer isn't about that.
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

  /** Undefined: none came, or none that could be taken; the one that is held goes on. */
  async function renewalOf({ certificate }: SignedAnswer): Promise<string | undefined> {
    if (certificate === undefined) return undefined;
    try {
      await accept(certificate);
      return certificate;
    } catch (error) {
      log.warn({ err: error }, 'a renewed licence was not taken');
      return undefined;
    }
  }
  const ends = (exp: number | undefined): boolean => exp !== undefined && exp - licence.now() / 1000 <= certificateNotice;

  async function bury(): Promise<void> {
    for (const sealed of licence.document.tombstones) {
      await ask('deactivate', options.unseal(sealed));
      await store((document) => ({ ...document, tombstones: document.tombstones.filter((one) => one !== sealed) }));
    }
  }

  /** An hour's work: when the next heartbeat is due, in milliseconds. After a failed one, the next hour. */
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
          // What was revoked stays so, however often its certificate is pasted.
          revoked: document.revoked && licence.claims?.jti === jti,
        }));
        // Typed as it likes to be.
      } else await activateByKey(key.toUpperCase());
      return licence.view();
    },

    async heartbeat() {
      await beat().catch(away);
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
      await bury().catch((error: Error) => log.info({ err: error }, 'the licence server hears of the deactivation later'));
      return licence.view();
    },

    async runMaintenance({ newestOrderAt }) {
      if (newestOrderAt !== null && licence.document.token !== null && newestOrderAt > (licence.document.latestSeen ?? ''))
        await store((document) => ({ ...document, latestSeen: later(document.latestSeen, newestOrderAt) }));
      const failed = (what: string) => (error: Error) => log.warn({ err: error }, what);
      await bury().catch(failed('the licence server could not be told of a deactivation'));
      if (due() <= clock.ms()) await beat().catch(failed('the heartbeat of the licence failed'));
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

/** Of this machine, for licences that are bound to some. */
const fingerprintOf = (): string => createHash('sha256').update(hostname()).digest('hex');
const later = (a: string | null, b: string): string => (a !== null && Date.parse(a) > Date.parse(b) ? a : b);
