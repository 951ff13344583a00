import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { type LogLevel, logLevels } from './observability/log.ts';

export type Environment = 'production' | 'staging' | 'development';

export interface Config {
  readonly databaseUrl: string | undefined;
  /** The server itself, where `databaseUrl` leads to PgBouncer in transaction mode: for LISTEN, workers, and all that the owner does. */
  readonly databaseUrlDirect: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** Absolute folder of keys, secrets and, with the embedded database, its cluster. */
  readonly dataDir: string;
  readonly env: Environment;
  /** Whether jobs run in this process. */
  readonly workers: boolean;
  readonly setupToken: string | undefined;
  readonly metricsToken: string | undefined;
  readonly logLevel: LogLevel;
  readonly mailUrl: string | undefined;
  /** S3 storage of uploaded files; without it they lie in the data directory. */
  readonly filesUrl: string | undefined;
  /** Scales every rate limit; 0 turns them off. */
  readonly rateLimitFactor: number;
  readonly registryToken: string | undefined;
  /** Addresses and CIDR ranges whose `X-Forwarded-*` count. */
  readonly trustedProxies: readonly string[];
}

/** Bad, missing or removed configuration. All problems of one run; the process ends with exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'config_invalid';
  readonly exitCode = 2;
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The configuration can't be used:\n${problems.map((problem) => `  - ${problem.replaceAll('\n', '\n    ')}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

export interface RemovedKey {
  /** The key to set instead; null where nothing takes its place. */
  readonly replacement: string | null;
  /** Version that removed it. */
  readonly since: string;
  /** Page of the migration guide. */
  readonly guide: string;
}

/** Keys of earlier majors. A major that drops a key adds it here, so that nobody's setting is ignored in silence. */
const removedKeys: Readonly<Record<string, RemovedKey>> = {};

type Read<T> = (text: string) => T;
/** Thrown by readers; the text goes after the key's name. Secrets and URLs with credentials are never repeated in it. */
class Unfit extends Error {}

const url =
  (...protocols: string[]): Read<string> =>
  (text) => {
    if (!protocols.some((protocol) => text.startsWith(`${protocol}://`) && URL.canParse(text)))
      throw new Unfit(`must be a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`);
    return text;
  };

/** Shorter ones can be guessed, and the ones of examples are known to everybody. */
const secret: Read<string> = (text) => {
  if (text.length < 16) throw new Unfit('is too short for a secret: give at least 16 random characters');
  if (/change.?me|replace.?(me|with|this)|your.?(token|secret)|example|placeholder/i.test(text))
    throw new Unfit('is a placeholder: give a random value of your own');
  return text;
};

const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (text) => {
    if (!(values as readonly string[]).includes(text)) throw new Unfit(`is "${text}", must be one of ${values.join(', ')}`);
    return text as T;
  };

const port: Read<number> = (text) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Unfit(`is "${text}", must be a whole number from 0 to 65535`);
  return Number(text);
};

const factor: Read<number> = (text) => {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new Unfit(`is "${text}", must be a number from 0, as 1 or 0.5`);
  return Number(text);
};

const networks: Read<readonly string[]> = (text) => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const wrong = entries.filter((entry) => !ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry));
  if (wrong.length > 0) throw new Unfit(`names ${wrong.join(', ')}, must be a comma list of addresses and CIDR ranges`);
  return Object.freeze(entries);
};

const line: Read<string> = (text) => {
  if (/\s/.test(text)) throw new Unfit('contains white space');
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
      if (new URL(url('smtp', 'smtps')(text)).hostname === '') throw new Unfit('names no host');
      return text;
    },
  },
  filesUrl: {
    key: 'FILES_URL',
    read: (text) => {
      const { hostname, pathname } = new URL(url('s3', 's3+http')(text));
      if (hostname === '') throw new Unfit('names no endpoint');
      if (!/^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(pathname))
        throw new Unfit('names no bucket: s3://key:secret@endpoint/bucket');
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

/** As the command line has them: text where the configuration has a number. */
export type Overrides = { readonly [K in keyof Config]?: Config[K] | string | undefined };

/**
 * The only place that reads the environment. `overrides` (flags of the command line) win over it, and pass the same checks.
 * An empty variable counts as unset; an empty flag is a fault.
 * @throws ConfigError with every problem at once
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  overrides: Overrides = {},
  removed: Readonly<Record<string, RemovedKey>> = removedKeys,
): Config {
  const problems: string[] = [];
  for (const [key, { replacement, since, guide }] of Object.entries(removed)) {
    if ((env[key] ?? '') === '') continue;
    problems.push(
      `${key} was removed in ${since}: ${replacement === null ? 'unset it' : `set ${replacement} instead`} (${guide})`,
    );
  }
  const config: Record<string, unknown> = { ...defaults() };
  for (const [name, { key, flag = name, read }] of Object.entries(keys)) {
    const given = overrides[name as keyof Config];
    const text = given !== undefined ? String(given).trim() : env[key]?.trim();
    if (given !== undefined && text === '') problems.push(`${flag} is empty: give it a value, or leave it out`);
    if (text === undefined || text === '') continue;
    try {
      config[name] = read(text);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      problems.push(`${given !== undefined ? flag : key} ${error.message}`);
    }
  }
  // A flag that names another database than the environment: the environment's way past its pooler leads elsewhere.
  const named = env.DATABASE_URL?.trim() ?? '';
  if (named !== '' && config.databaseUrl !== named && overrides.databaseUrlDirect === undefined)
    config.databaseUrlDirect = undefined;
  const without = named === '' && overrides.databaseUrl === undefined;
  if (config.databaseUrlDirect !== undefined && without)
    problems.push('DATABASE_URL_DIRECT stands beside DATABASE_URL, which is not set: name the pooler there, or unset it');
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config) as unknown as Config;
}
