import semver from 'semver';
import { z } from 'zod';
import { Refusal } from './refusal.ts';

const ranges = z.record(z.string(), z.string());
const instant = z.iso.datetime({ offset: true });
/** Response of the licence server for a token. */
export const standing = z.union([
  z.object({ answer: z.enum(['not_found', 'suspended']) }),
  z.object({
    answer: z.enum(['valid', 'expired']),
    kind: z.literal('install'),
    licenseId: z.string(),
    plugins: ranges,
    themes: ranges,
    expiresAt: instant,
    updatesUntil: instant,
  }),
  z.object({ answer: z.literal('valid'), kind: z.literal('publish'), packages: z.array(z.string()) }),
]);
export type Standing = z.infer<typeof standing>;
type Installer = Extract<Standing, { kind: 'install' }> & { answer: 'valid' };
type Publisher = Extract<Standing, { kind: 'publish' }>;
/** The holder of a valid token. */
export type Caller = Installer | Publisher;

/** Properties of a version's package.json that determine access. */
export interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly storeloom?: unknown;
}
interface Entitlement {
  readonly kind: 'plugins' | 'themes';
  readonly key: string;
}

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/**
 * The entitlement that a package requires; undefined for packages that every licence includes: the kernel, the SDKs and the foundation
 * plugins. Only packages of the product's own scope can be foundation plugins.
 */
export function entitlementOf({ name, storeloom }: Licensed): Entitlement | undefined {
  if (typeof storeloom !== 'object' || storeloom === null) return undefined;
  const { plugin, theme, entitlement, foundation } = storeloom as Record<string, unknown>;
  const short = text(plugin);
  if (short !== undefined) {
    if (foundation === true && name === `@storeloom/plugin-${short}`) return undefined;
    return { kind: 'plugins', key: text(entitlement) ?? short };
  }
  const themeName = text(theme);
  return themeName === undefined ? undefined : { kind: 'themes', key: text(entitlement) ?? themeName };
}

const mayPublish = ({ packages }: Publisher, name: string): boolean =>
  packages.some((entry) => entry === name || (entry.endsWith('/*') && name.startsWith(entry.slice(0, -1))));

/** Whether the caller's licence covers a version. `publishedAt` is an instant; without it, no licence covers the version. */
export function covers(caller: Caller, version: Licensed, publishedAt: string | undefined): boolean {
  if (caller.kind === 'publish') return mayPublish(caller, version.name);
  if (publishedAt === undefined || !(Date.parse(publishedAt) <= Date.parse(caller.updatesUntil))) return false;
  const wanted = entitlementOf(version);
  if (wanted === undefined) return true;
  const range = rangeOf(caller, wanted);
  return range !== undefined && semver.satisfies(version.version, range, { includePrerelease: true });
}

const rangeOf = (caller: Installer, { kind, key }: Entitlement): string | undefined =>
  own(caller[kind], key) ?? own(caller[kind], '*');

/** The reason why `covers` is false for a version. `last` is the newest covered version. */
export function whyNot(caller: Caller, version: Licensed, last: string | undefined): Refusal {
  const { name } = version;
  if (caller.kind === 'publish')
    return new Refusal(
      'not_in_license',
      `${name} is not among the packages of this publisher`,
      'Install with the token of a licence, in NPM_REGISTRY_TOKEN',
    );
  const wanted = entitlementOf(version);
  const range = wanted === undefined ? '*' : rangeOf(caller, wanted);
  if (range === undefined)
    return new Refusal(
      'not_in_license',
      `${name} needs the ${wanted?.kind === 'themes' ? 'theme' : 'entitlement'} ${wanted?.key}, which the licence ${caller.licenseId} does not have`,
      'Ask the issuer of the licence to add it, or remove the package from your list',
    );
  return new Refusal(
    'version_not_licensed',
    `${name}@${version.version} is outside the licence ${caller.licenseId}, which covers ${wanted?.key ?? name} ${range} published until ${caller.updatesUntil.slice(0, 10)}`,
    last === undefined ? 'Extend the licence' : `Install ${name}@${last}, the latest covered version, or extend the licence`,
  );
}

/** @throws Refusal */
export function requirePublisher(caller: Caller, name: string): void {
  if (caller.kind === 'publish' && mayPublish(caller, name)) return;
  throw new Refusal(
    'not_a_publisher',
    caller.kind === 'publish'
      ? `this token publishes ${caller.packages.join(', ')}, not ${name}`
      : `this token is for installing and can't publish ${name}`,
    'Publish with a token that the operator created for this package (storeloom license token publisher)',
  );
}
