import { f, licenceIssuer, listOf, type PlatformCtx, platformRoute, type Shape, sql } from '@storeloom/plugin-sdk';
import { certificate, renewedFrom, revocationList } from './certificate.ts';
import { addEvent, environments, findLicence, type Licence } from './licence.ts';

/** What an installation sends with every question. */
const question = {
  key: f.text({ max: 100 }),
  /** Id that the installation gave itself. */
  installation: f.text({ max: 100, pattern: /^[\w:.-]+$/ }),
  /** Comes back in the signed answer. */
  nonce: f.text({ max: 100, pattern: /^[\w-]{16,}$/ }),
  env: f.oneOf(environments),
  /** SHA-256 of the machine's name, for licences that are bound to machines. */
  fingerprint: f.text({ max: 64, pattern: /^[0-9a-f]{64}$/ }).optional(),
  /** End of the certificate that is held, as NumericDate. */
  certificate: f.int({ min: 0 }).optional(),
} satisfies Shape;
interface Question {
  key: string;
  installation: string;
  nonce: string;
  env: Licence['env'];
  fingerprint: string | null;
  certificate: number | null;
}

/** Of the closed set that a client knows. */
interface Outcome {
  answer: string;
  certificate?: string;
}
interface Seat {
  live: boolean;
  released: 'deactivated' | 'dead' | null;
}

/** The licence of the key, locked, or why there is none to speak of. */
async function admit(ctx: PlatformCtx, asked: Question): Promise<Licence | Outcome> {
  const licence = await findLicence(ctx, { key: asked.key }, { lock: true });
  if (!licence) return { answer: 'not_found' };
  const refused = refusal(licence, asked, ctx.clock.ms());
  if (refused === undefined) return licence;
  await addEvent(ctx, licence.id, 'refused', { installation: asked.installation, data: { answer: refused } });
  return { answer: refused };
}
const isLicence = (value: Licence | Outcome): value is Licence => 'id' in value;

/** Returns why a licence is refused to any installation; undefined if it isn't. */
function refusal(
  licence: Pick<Licence, 'revokedAt' | 'env' | 'expiresAt' | 'fingerprint'>,
  asked: Pick<Question, 'env' | 'fingerprint'>,
  now: number,
): string | undefined {
  if (licence.revokedAt !== null) return 'suspended';
  if (licence.env !== asked.env) return 'wrong_environment';
  if (Date.parse(licence.expiresAt) <= now) return 'expired';
  if (licence.fingerprint && !licence.fingerprint.includes(asked.fingerprint ?? '')) return 'fingerprint_mismatch';
  return undefined;
}

const seatOf = (ctx: PlatformCtx, licence: Licence, installation: string): Promise<Seat | undefined> =>
  ctx.db.first<Seat>(sql`select s.released_at is null
      and (${licence.seatTtl}::int is null or s.last_seen_at > ${ctx.clock.now()}::timestamptz - make_interval(secs => ${licence.seatTtl ?? 0})) as live,
      s.released from platform_license_seat s where s.license_id = ${licence.id} and s.installation = ${installation}`);

async function seen(ctx: PlatformCtx, licence: Licence, installation: string): Promise<void> {
  await ctx.db.run(sql`update platform_license_seat set last_seen_at = ${ctx.clock.now()}
    where license_id = ${licence.id} and installation = ${installation} and released_at is null`);
}

/**
 * Gives the installation a seat of the licence, and its certificate. The licence's row is locked, so seats are counted and given one caller
 * after the other.
 */
export async function takeSeat(ctx: PlatformCtx, licence: Licence, installation: string): Promise<Outcome> {
  const now = ctx.clock.now();
  if ((await seatOf(ctx, licence, installation))?.live) await seen(ctx, licence, installation);
  else {
    if (licence.activations >= licence.maxActivations) {
      await addEvent(ctx, licence.id, 'refused', { installation, data: { answer: 'too_many_activations' } });
      return { answer: 'too_many_activations' };
    }
    // Seats without a heartbeat for too long are released for this one, and their installations get `no_activation`.
    if (licence.seatTtl !== null)
      await ctx.db.run(sql`update platform_license_seat set released_at = ${now}, released = 'dead' where license_id = ${licence.id} and released_at is null
        and installation <> ${installation} and last_seen_at <= ${now}::timestamptz - make_interval(secs => ${licence.seatTtl})`);
    await ctx.db.run(sql`insert into platform_license_seat (license_id, installation, activated_at, last_seen_at) values (${licence.id}, ${installation}, ${now}, ${now})
      on conflict (license_id, installation) do update set activated_at = excluded.activated_at, last_seen_at = excluded.last_seen_at, released_at = null, released = null`);
    await addEvent(ctx, licence.id, 'activated', { installation });
  }
  return { answer: 'valid', certificate: await certificate(ctx, licence, installation) };
}

async function activate(ctx: PlatformCtx, asked: Question): Promise<Outcome> {
  const licence = await admit(ctx, asked);
  return isLicence(licence) ? takeSeat(ctx, licence, asked.installation) : licence;
}

async function heartbeat(ctx: PlatformCtx, asked: Question): Promise<Outcome> {
  const licence = await admit(ctx, asked);
  if (!isLicence(licence)) return licence;
  const { installation } = asked;
  const seat = await seatOf(ctx, licence, installation);
  if (!seat?.live) return { answer: seat && seat.released !== 'deactivated' ? 'heartbeat_dead' : 'no_activation' };
  await seen(ctx, licence, installation);
  if ((asked.certificate ?? 0) - ctx.clock.ms() / 1000 > renewedFrom) return { answer: 'valid' };
  await addEvent(ctx, licence.id, 'renewed', { installation });
  return { answer: 'valid', certificate: await certificate(ctx, licence, installation) };
}

/** Releases a seat, in any state of the licence. */
async function deactivate(ctx: PlatformCtx, asked: Question): Promise<Outcome> {
  const licence = await findLicence(ctx, { key: asked.key }, { lock: true });
  if (!licence) return { answer: 'not_found' };
  const released =
    await ctx.db.run(sql`update platform_license_seat set released_at = ${ctx.clock.now()}, released = 'deactivated'
    where license_id = ${licence.id} and installation = ${asked.installation} and released_at is null`);
  if (released > 0) await addEvent(ctx, licence.id, 'deactivated', { installation: asked.installation });
  return { answer: 'valid' };
}

const responseShape = { answer: f.text({ max: 16_384 }) };
function ask(
  name: 'activate' | 'heartbeat' | 'deactivate',
  summary: string,
  run: (ctx: PlatformCtx, asked: Question) => Promise<Outcome>,
) {
  return platformRoute(
    'POST',
    `/api/licensing/${name}`,
    {
      summary,
      body: question,
      response: responseShape,
      additive: true,
      idempotent: false,
      // A key has 150 random bits; this only keeps a broken client from calling in a loop.
      rateLimit: [
        { name: 'licensing-ip', points: 120, seconds: 60, by: 'ip' },
        {
          name: 'licensing-key',
          points: 60,
          seconds: 60,
          by: (req) => `licence ${String((req.body as Question).key).slice(0, 100)}`,
        },
      ],
    },
    async (ctx, req) => {
      const asked = req.body as Question;
      const { outcome, revocations } = await ctx.transaction(async (platform) => ({
        outcome: await run(platform, asked),
        revocations: await revocationList(platform),
      }));
      const issuer = ctx.require(licenceIssuer);
      const { installation: sub, nonce } = asked;
      const iat = Math.floor(ctx.clock.ms() / 1000);
      return {
        answer: await issuer.sign('license-answer+jwt', { sub, nonce, iat, ...outcome, revocations, keys: issuer.keys() }),
      };
    },
  );
}

/** The licence server: what installations ask of the one that issued their licence. Every answer is signed. */
export const licensingRoutes = [
  ask('activate', 'Take a seat of a licence; the same installation takes one', activate),
  ask('heartbeat', 'Say that an installation is there; renews its certificate when it is due', heartbeat),
  ask('deactivate', 'Give the seat back', deactivate),
  platformRoute(
    'GET',
    '/api/licensing/keys',
    {
      summary: 'Public keys of the issuer, each list signed by one of them',
      response: { list: f.text({ max: 16_384 }) },
      list: true,
      additive: true,
      rateLimit: { points: 120, seconds: 60, by: 'ip' },
    },
    async (ctx) => listOf((await ctx.require(licenceIssuer).keyLists(ctx.clock.ms())).map((list) => ({ list }))),
  ),
];
