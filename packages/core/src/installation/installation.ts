import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, thrownMessage } from '@storeloom/keys';
import { type LicenceIssuerConfig, licenceIssuer, type TrustedIssuer } from '@storeloom/licence';
import type { Ctx } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { type RegistryTrust, type RegistryTrustConfig, registryTrust } from '../plugins/provenance.ts';

// biome-ignore lint/suspicious/noExplicitAny: a seed reads the responses of many routes.
type Answer = Record<string, any>;

/** The owner of a demo shop as a client of its routes: what a seed makes passes the checks that everybody's calls pass. */
export interface DemoOwner {
  /**
   * The answer's body. Signed in under `/api/admin/`, a visitor elsewhere.
   * @throws Error with the status and the problem, where the answer is no success
   */
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object): Promise<Answer>;
  /** For each row the one that a list has with the same `by`, else the one that POST to the list's path makes of it. */
  ensure(path: string, by: string, rows: readonly Answer[]): Promise<Answer[]>;
}

export interface DemoTenant {
  readonly slug: string;
  readonly name: string;
  readonly host: string;
  readonly locales: readonly string[];
  /** ISO 4217. */
  readonly currency: string;
  readonly timezone: string;
  /** Code of a niche package. */
  readonly niche?: string;
  /** Plugins whose demo data it gets. Default: all. The others are on but empty. */
  readonly seeds?: readonly string[];
  /** Runs after the plugins' seeds, in the tenant's scope. It must be safe to repeat. */
  readonly seed?: (ctx: Ctx, owner: DemoOwner) => Promise<void>;
}

export interface InstallationConfig {
  /** Packages, or folders of plugins in development. Nothing is scanned. Foundation plugins need no entry. */
  readonly plugins: readonly string[];
  /** The default theme: a package, or a folder. */
  readonly theme?: string;
  /** Further themes that shops can choose from. */
  readonly themes?: readonly string[];
  readonly niche?: string;
  readonly demo?: readonly DemoTenant[];
  /** The issuer whose licences this installation accepts. Default: that of the product. */
  readonly licence?: { readonly issuer: LicenceIssuerConfig };
  /** The registry whose signatures the listed packages must have. Without it, signatures aren't checked. */
  readonly registry?: RegistryTrustConfig;
}

export interface Installation extends Omit<InstallationConfig, 'licence' | 'registry'> {
  /** Absolute folder of package.json and storeloom.config. */
  readonly dir: string;
  readonly demo: readonly DemoTenant[];
  readonly licence?: { readonly issuer: TrustedIssuer } | undefined;
  readonly registry?: RegistryTrust | undefined;
}

/** `export default defineConfig({ plugins: ['@storeloom/plugin-hotel'] })` in storeloom.config.ts. */
export function defineConfig(config: InstallationConfig): InstallationConfig {
  return config;
}

const configFiles = ['storeloom.config.ts', 'storeloom.config.js', 'storeloom.config.mjs'] as const;

const supported = (list: 'currency' | 'timeZone', value: string): boolean => {
  try {
    if (list === 'currency') return Intl.supportedValuesOf('currency').includes(value);
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};
const plain = z.string().trim().min(1);
const schema = z.strictObject({
  plugins: z.array(plain).refine((list) => new Set(list).size === list.length, {
    error: (issue) => `lists ${repeated(issue.input as string[])} more than once`,
  }),
  theme: plain.optional(),
  themes: z.array(plain).optional(),
  niche: plain.optional(),
  licence: z.strictObject({ issuer: licenceIssuer }).optional(),
  registry: registryTrust.optional(),
  demo: z
    .array(
      z.strictObject({
        slug: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be words of a-z and 0-9 joined by -'),
        name: plain,
        host: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a host name in lower case, without a port'),
        locales: z.array(z.string().regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'must be a locale, as ro')).min(1),
        currency: z.string().refine((code) => supported('currency', code), 'must be an ISO 4217 code'),
        timezone: z.string().refine((zone) => supported('timeZone', zone), 'must be an IANA time zone'),
        niche: plain.optional(),
        seeds: z.array(plain).optional(),
        seed: z.custom<DemoTenant['seed']>((value) => typeof value === 'function', 'must be a function').optional(),
      }),
    )
    .refine((list) => new Set(list.map(({ slug }) => slug)).size === list.length, 'has two tenants with one slug')
    .refine((list) => new Set(list.map(({ host }) => host)).size === list.length, 'has two tenants with one host')
    .default([]),
});
const repeated = (list: string[]): string => list.filter((entry, i) => list.indexOf(entry) !== i).join(', ');

/**
 * Reads the configuration of the installation in `dir`.
 * @throws ConfigError with all problems if it is missing, can't be imported, or is invalid
 */
export async function readInstallation(
  dir: string,
  importModule: (url: string) => Promise<unknown> = (url) => import(/* @vite-ignore */ url),
): Promise<Installation> {
  const root = resolve(dir);
  const file = configFiles.map((name) => join(root, name)).find((path) => existsSync(path));
  if (file === undefined)
    throw new ConfigError([
      `${root} is no installation: it has no ${configFiles.join(', ')}. Write one that names the plugins: export default defineConfig({ plugins: ['@storeloom/plugin-catalog'] })`,
    ]);
  let module: unknown;
  try {
    module = await importModule(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigError([`${file} can't be imported: ${thrownMessage(error)}`]);
  }
  const result = schema.safeParse((module as { default?: unknown }).default);
  if (!result.success) {
    const say = ({ path, message }: z.core.$ZodIssue): string =>
      `${file}: ${path.map(String).join('.') || 'the default export'}: ${message}`;
    throw new ConfigError(result.error.issues.map(say));
  }
  return Object.freeze({ ...result.data, dir: root });
}
