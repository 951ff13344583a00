import { resolve } from 'node:path';
import { ConfigError } from '@storeloom/keys';
import type { Environment } from '@storeloom/licence';
import ipaddr from 'ipaddr.js';
import { type KeyChanges, keyChanges } from './key-changes.ts';
import { warnDeprecated } from './observability/deprecation.ts';
import { type LogLevel, logLevels } from './observability/log.ts';

export interface Config {
  readonly databaseUrl: string | undefined;
  /** URL of the server itself, if `databaseUrl` is that of PgBouncer in transaction mode: for LISTEN, workers, and the owner role. */
  readonly databaseUrlDirect: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** Absolute folder of keys, secrets and, with the embedded database, its cluster. */
  readonly dataDir: string;
  readonly env: Environment;
  /** True if jobs run in this process. */
  readonly workers: boolean;
  readonly setupToken: string | undefined;
  readonly metricsToken: string | undefined;
  readonly logLevel: LogLevel;
  readonly mailUrl: string | undefined;
  /** S3 storage of uploaded files; without it they are stored in the data directory. */
  readonly filesUrl: string | undefined;
  /** Multiplies every rate limit; 0 turns them off. */
  readonly rateLimitFactor: number;
  readonly registryToken: string | undefined;
  /** Addresses and CIDR ranges whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: readonly string[];
}

type Read<T> = (text: string) => T;
/** Thrown by readers; the message continues the key's name. It never contains secrets or URLs with credentials. */
class InvalidValue extends Error {}

const url =
  (...protocols: string[]): Read<string> =>
  (text) => {
    if (!protocols.some((protocol) => text.startsWith(`${protocol}://`) && URL.canParse(text)))
      throw new InvalidValue(`must be a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`);
    return text;
  };

/** Shorter secrets can be guessed, and those of examples are public. */
const secret: Read<string> = (text) => {
  if (text.length < 16) throw new InvalidValue('is too short for a secret: give at least 16 random characters');
  if (/change.?me|replace.?(me|with|this)|your.?(token|secret)|example|placeholder/i.test(text))
    throw new InvalidValue('is a placeholder: give a random value of your own');
  return text;
};

const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (text) => {
    if (!(values as readonly string[]).includes(text))
      throw new InvalidValue(`is "${text}", must be one of ${values.join(', ')}`);
    return text as T;
  };

const port: Read<number> = (text) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidValue(`is "${text}", must be a whole number from 0 to 65535`);
  return Number(text);
};

const factor: Read<number> = (text) => {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new InvalidValue(`is "${text}", must be a number from 0, as 1 or 0.5`);
  return Number(text);
};

const networks: Read<readonly string[]> = (text) => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const wrong = entries.filter((entry) => !ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry));
  if (wrong.length > 0) throw new InvalidValue(`names ${wrong.join(', ')}, must be a comma list of addresses and CIDR ranges`);
  return Object.freeze(entries);
};

const line: Read<string> = (text) => {
  if (/\s/.test(text)) throw new InvalidValue('contains white space');
  return text;
};

const keys: { readonly [K in keyof Config]: { readonly key: string; readonly flag?: string; readonly read: Read<Config[K]> } } = {
  databaseUrl: { key: 'DATABASE_URL', flag: '--database-url', read: url('postgres', 'postgresql') },
  databaseUrlDirect: { key: 'DATABASE_URL_DIRECT', read: url('postgres', 'postgresql') },
  port: { key: 'PORT', flag: '--port', read: port },
  dataDir: { key: 'STORELOOM_DATA', flag: '--data', read: (text) => resolve(text) },
  env: { key: 'STORELOOM_ENV', read: oneOf('production', 'staging', 'development') },
  workers: { key: 'STORELOOM_WORKERS', read: (text) => oneOf('true', 'false')(text) === 'true' },
  setupToken: { key: 'SETUP_TOKEN', read: secret },
  metricsToken: { key: 'METRICS_TOKEN', read: secret },
  logLevel: { key: 'LOG_LEVEL', read: oneOf(...logLevels) },
  mailUrl: {
    key: 'MAIL_URL',
    read: (text) => {
      if (new URL(url('smtp', 'smtps')(text)).hostname === '') throw new InvalidValue('names no host');
      return text;
    },
  },
  filesUrl: {
    key: 'FILES_URL',
    read: (text) => {
      const { hostname, pathname } = new URL(url('s3', 's3+http')(text));
      if (hostname === '') throw new InvalidValue('names no endpoint');
      if (!/^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(pathname))
        throw new InvalidValue('names no bucket: s3://key:secret@endpoint/bucket');
      return text;
    },
  },
  rateLimitFactor: { key: 'RATE_LIMIT_FACTOR', read: factor },
  registryToken: { key: 'NPM_REGISTRY_TOKEN', read: line },
  trustedProxies: { key: 'TRUSTED_PROXIES', read: networks },
};

const defaults = (): Config => ({
  databaseUrl: undefined,
  databaseUrlDirect: undefined,
  port: 4000,
  dataDir: resolve('.storeloom'),
  env: 'production',
  workers: true,
  setupToken: undefined,
  metricsToken: undefined,
  logLevel: 'info',
  mailUrl: undefined,
  filesUrl: undefined,
  rateLimitFactor: 1,
  registryToken: undefined,
  trustedProxies: Object.freeze([]),
});

/** Command-line form: text instead of numbers. */
export type Overrides = { readonly [K in keyof Config]?: Config[K] | string | undefined };

/**
 * The only place that reads the environment. `overrides` (command-line flags) take precedence and pass the same checks. An empty variable
 * counts as unset; an empty flag is an error.
 * @throws ConfigError with all problems
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  overrides: Overrides = {},
  changes: KeyChanges = keyChanges(),
): Config {
  const problems: string[] = [];
  const isSet = (key: string): boolean => (env[key]?.trim() ?? '') !== '';
  for (const { key, replacement, since, guide } of changes.removed) {
    if (!isSet(key)) continue;
    problems.push(
      `${key} was removed in ${since}: ${replacement === undefined ? 'unset it' : `set ${replacement} instead`}${guide === undefined ? '' : ` (${guide})`}`,
    );
  }
  /** Earlier names of keys, which are read where the present one isn't set. */
  const earlier = new Map<string, string>();
  for (const { key, replacement, since, removedIn } of changes.deprecated) {
    if (!isSet(key)) continue;
    warnDeprecated({ name: `The configuration key ${key}`, since, removedIn, replacement });
    if (!isSet(replacement)) earlier.set(replacement, key);
  }
  const config: { -readonly [K in keyof Config]: Config[K] } = defaults();
  const readKey = <K extends keyof Config>(name: K): void => {
    const { key: present, flag = name, read } = keys[name];
    const key = earlier.get(present) ?? present;
    const given = overrides[name];
    const text = given !== undefined ? String(given).trim() : env[key]?.trim();
    if (given !== undefined && text === '') problems.push(`${flag} is empty: set a value, or omit it`);
    if (text === undefined || text === '') return;
    try {
      config[name] = read(text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      problems.push(`${given !== undefined ? flag : key} ${error.message}`);
    }
  };
  for (const name of Object.keys(keys)) readKey(name as keyof Config);
  // If a flag sets another database than the environment, the direct URL of the environment is for the wrong one.
  const named = env[earlier.get('DATABASE_URL') ?? 'DATABASE_URL']?.trim() ?? '';
  if (named !== '' && config.databaseUrl !== named && overrides.databaseUrlDirect === undefined)
    config.databaseUrlDirect = undefined;
  const without = named === '' && overrides.databaseUrl === undefined;
  if (config.databaseUrlDirect !== undefined && without)
    problems.push('DATABASE_URL_DIRECT requires DATABASE_URL: set it to the pooler, or unset DATABASE_URL_DIRECT');
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}
