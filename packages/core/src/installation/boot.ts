import { loadThemes } from '@storeloom/theme-sdk';
import { type AuditTools, auditTools } from '../audit/tools.ts';
import { type Config, ConfigError } from '../config.ts';
import { coreMigrations } from '../database/core-migrations.ts';
import { claimInstallation, readInstallationRecord } from '../database/installation-record.ts';
import { type MigrationReport, type MigrationSet, type MigrationStatus, migrate, migrationStatus } from '../database/migrate.ts';
import { asRefusal } from '../database/refused.ts';
import { ensureRoles, runtimeUrl } from '../database/roles.ts';
import { localStore } from '../files/store.ts';
import { checkPort } from '../http/server.ts';
import { type Kernel, type KernelOptions, startKernel } from '../kernel.ts';
import { createKeyring, type Keyring } from '../keys/keyring.ts';
import { createIssuer, type IssuerKeys } from '../licence/issuer.ts';
import { createLicence, type InstallationLicence } from '../licence/licence.ts';
import { createLog, type KernelLog, type LogLevel } from '../observability/log.ts';
import { collectContributions } from '../plugins/contributions.ts';
import { type LoadOptions, loadPlugins, type PluginRegistry, readManifests } from '../plugins/load.ts';
import { packageFile } from '../plugins/manifest.ts';
import { provenanceFault } from '../plugins/provenance.ts';
import { collectSignatures } from '../plugins/signatures.ts';
import { checkSameInstallation, type DataDir, openDataDir } from './data-dir.ts';
import type { DatabaseDriver, Drivers } from './drivers.ts';
import type { Installation } from './installation.ts';
import { createSetupToken, type InstallationSetupToken } from './setup-token.ts';
import { version } from './version.ts';

/** What stands before a kernel: the data directory with its keys, the licence, the plugins, and the database with its owner. */
export interface Prepared {
  readonly config: Config;
  readonly installation: Installation;
  readonly dataDir: DataDir;
  readonly keyring: Keyring;
  readonly licence: InstallationLicence;
  /** Keys by which this installation issues licences. */
  readonly licenceIssuer: IssuerKeys;
  readonly registry: PluginRegistry;
  readonly setupToken: InstallationSetupToken;
  readonly log: KernelLog;
  /** The owner role: DDL, migrations, snapshots. */
  readonly ownerUrl: string;
  /** Folder of the embedded database, where this process started one. */
  readonly databaseFolder?: string;
  readonly migrations: { core: MigrationSet; plugins: MigrationSet[] };
  /** Nothing runs where two plugins claim one route. `signal` undoes the migration that is under way and ends the run there. */
  migrate(log?: (line: string) => void, signal?: AbortSignal): Promise<MigrationReport>;
  /** Every migration with what the ledger says of it. */
  migrationStatus(): Promise<MigrationStatus[]>;
  readonly audit: AuditTools;
  start(options?: {
    port?: number;
    host?: string;
    workers?: boolean;
    pool?: number;
    poolWait?: number;
    timeouts?: { lockTimeout: number; statementTimeout: number };
    schedules?: boolean;
    clock?: { ms(): number; now(): string };
  }): Promise<Kernel>;
  /** Stops the embedded database, where this process started one. */
  stop(): Promise<void>;
}

export interface PrepareOptions {
  /** Default: one on standard output. */
  log?: KernelLog;
  /** Level of the default log; default `info`. */
  logLevel?: LogLevel;
  /** Log lines go to standard error: the command's answer is on standard output. */
  logToStderr?: boolean;
  /** Drivers of the installation. Without `database`, a database URL is required. */
  drivers?: Drivers;
  /** Lines for a person: what takes its time. */
  say?: (line: string) => void;
  importModule?: LoadOptions['importModule'];
  /** For the import of one plugin, in milliseconds. */
  importDeadline?: number;
  /** A process beside the one that owns the embedded database: it connects by this owner URL. */
  ownerUrl?: string;
  /** The port that `start` will listen on: refused now where it is taken, before anything is made. */
  listensOn?: number;
  /** Ends what is under way; what was started by then is stopped. */
  signal?: AbortSignal;
  /** A command that may run beside a process that keeps the embedded database running: it uses that one, else starts its own. */
  beside?: boolean;
}

export async function prepare(config: Config, installation: Installation, options: PrepareOptions = {}): Promise<Prepared> {
  const say = options.say ?? (() => undefined);
  const { signal } = options;
  signal?.throwIfAborted();
  // Beside a pooler the owner goes to the server itself: migrations take a lock that lasts as long as the session.
  let owner = options.ownerUrl ?? config.databaseUrlDirect ?? config.databaseUrl;
  const pooler = options.ownerUrl === undefined && config.databaseUrlDirect !== undefined ? config.databaseUrl : undefined;
  const driver = owner === undefined ? await databaseDriver(options.drivers) : undefined;
  // Before anything is made. That another process has the data directory is said by its lock, which says more than a taken port.
  if (!driver?.isLocked(config.dataDir)) await checkPort(options.listensOn ?? 0);
  const dataDir = openDataDir(config.dataDir);
  const keyring = createKeyring(dataDir);
  // E-mail addresses are hashed alike in every process of the installation.
  const log =
    options.log ??
    createLog({
      level: options.logLevel ?? config.logLevel,
      hashKey: keyring.sign('log', 'email'),
      ...(options.logToStderr ? { to: 'stderr' as const } : {}),
    });
  let stop = async (): Promise<void> => undefined;
  let databaseFolder: string | undefined;
  if (driver && options.beside === true && driver.isLocked(config.dataDir)) owner = driver.running(config.dataDir);
  if (driver && owner === undefined) {
    const embedded = await driver.start({
      dataDir: config.dataDir,
      async before() {
        say('starting the embedded PostgreSQL …');
      },
      ...(signal ? { signal } : {}),
      log: {
        info: (message) => log.info({}, message),
        warn: (message) => log.warn({}, message),
        error: (message) => log.error({}, message),
      },
    });
    owner = embedded.ownerUrl;
    databaseFolder = embedded.place;
    stop = () => embedded.stop();
  }
  if (owner === undefined) throw noDatabase();
  const ownerUrl = owner;
  /** The database as a stranger: its refusals are told with its host and name. */
  const asOwner = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw asRefusal(error, ownerUrl);
    }
  };
  try {
    return await prepareOn(ownerUrl);
  } catch (error) {
    await stop();
    throw error;
  }

  async function prepareOn(ownerUrl: string): Promise<Prepared> {
    const record = await asOwner(() => readInstallationRecord(ownerUrl));
    checkSameInstallation(dataDir, record.id);
    signal?.throwIfAborted();
    const licence = await createLicence({
      dataDir,
      env: config.env,
      sign: (text) => keyring.sign('licence', text),
      issuer: installation.licence?.issuer,
      stored: record.licence,
    });
    if (licence.problem) log.warn({ code: licence.problem.code }, licence.problem.message);
    const registry = await loadPlugins({
      dir: installation.dir,
      list: installation.plugins,
      licence,
      ...(await provenanceOf(installation, dataDir, config.registryToken)),
      onError: (plugin, error) => log.error({ plugin, err: error }, 'a plugin could not be imported'),
      ...(record.plugins ? { installed: record.plugins } : {}),
      ...(options.importModule ? { importModule: options.importModule } : {}),
      ...(options.importDeadline === undefined ? {} : { deadline: options.importDeadline }),
    });
    const migrations = {
      core: coreMigrations(version),
      plugins: registry.loaded.map(
        ({ manifest, plugin }): MigrationSet => ({
          owner: manifest.name,
          version: manifest.version,
          migrations: plugin.migrations ?? [],
          requires: manifest.requires.map((peer) => peer.name),
        }),
      ),
    };
    const themes = loadThemes({
      dir: installation.dir,
      themes: installation.themes ?? [],
      theme: installation.theme,
      packageFile,
    });
    for (const theme of themes)
      if (theme.problems.length > 0) log.warn({ theme: theme.name, problems: theme.problems }, 'a theme can not be put on');
    const password = dataDir.secrets.databasePassword;
    const setupToken = createSetupToken(config, dataDir);
    const licenceIssuer = createIssuer(dataDir);
    return {
      config,
      installation,
      dataDir,
      keyring,
      licence,
      licenceIssuer,
      registry,
      log,
      migrations,
      ownerUrl,
      ...(databaseFolder === undefined ? {} : { databaseFolder }),
      setupToken,
      async migrate(line, stopping) {
        // Throws before anything is changed where two plugins claim one route; a plugin that can't be taken in is said to be failed.
        collectContributions(registry);
        return asOwner(async () => {
          await ensureRoles(ownerUrl, password);
          return migrate(ownerUrl, migrations.core, migrations.plugins, line, stopping);
        });
      },
      migrationStatus: () => asOwner(() => migrationStatus(ownerUrl, [migrations.core, ...migrations.plugins])),
      audit: auditTools(runtimeUrl(ownerUrl, password), (error) => log.error({ err: error }, 'a connection of the audit failed')),
      async start({ port = config.port, host, workers = config.workers, pool, poolWait, timeouts, schedules, clock } = {}) {
        checkSameInstallation(dataDir, await asOwner(() => claimInstallation(ownerUrl, dataDir.secrets.installation)));
        return startKernel({
          config: { ...config, port, workers },
          dataDir,
          keyring,
          licence,
          licenceIssuer,
          themes,
          ...(await openDrivers(config, dataDir, options.drivers ?? {}, log)),
          registry,
          migrations,
          log,
          setupToken,
          databaseUrl: runtimeUrl(ownerUrl, password, pooler),
          ...(pooler === undefined ? {} : { directUrl: runtimeUrl(ownerUrl, password) }),
          ...(host === undefined ? {} : { host }),
          ...(pool === undefined ? {} : { pool }),
          ...(poolWait === undefined ? {} : { poolWait }),
          ...(timeouts === undefined ? {} : { timeouts }),
          ...(schedules === undefined ? {} : { schedules }),
          ...(clock === undefined ? {} : { clock }),
        });
      },
      stop,
    };
  }
}

const noDatabase = (): ConfigError =>
  new ConfigError([
    'DATABASE_URL is not set, and the installation has no driver that runs PostgreSQL on the data directory: set it',
  ]);

async function databaseDriver({ database }: Drivers = {}): Promise<DatabaseDriver> {
  if (!database) throw noDatabase();
  return database();
}

/** Opens the file store and the mail transport that the configuration asks for. @throws ConfigError where a driver is missing */
async function openDrivers(
  { env, filesUrl, mailUrl }: Config,
  dataDir: DataDir,
  { files, mail }: Drivers,
  log: KernelLog,
): Promise<Pick<KernelOptions, 'fileStore' | 'mailTransport'>> {
  const missing = (key: string): ConfigError =>
    new ConfigError([`${key} is set, but the installation has no driver for it: start it with @storeloom/cli, or pass one`]);
  if (filesUrl !== undefined && !files) throw missing('FILES_URL');
  if (mailUrl !== undefined && !mail) throw missing('MAIL_URL');
  const target = mailUrl === undefined ? { folder: dataDir.file('mail') } : { url: mailUrl };
  return {
    fileStore: filesUrl !== undefined && files ? await files(filesUrl, log) : localStore(dataDir.file('files')),
    mailTransport: mail && (mailUrl !== undefined || env !== 'production') ? await mail(target) : undefined,
  };
}

/** How packages are judged by their registry's signature, where the installation names a registry. */
async function provenanceOf(
  { dir, plugins: list, registry: trust }: Installation,
  dataDir: DataDir,
  token: string | undefined,
): Promise<Pick<LoadOptions, 'provenance'>> {
  if (!trust) return {};
  const signed = await collectSignatures({ dataDir, trust, candidates: readManifests({ dir, list }), token });
  return { provenance: (candidate) => provenanceFault(candidate, { trust, signed }) };
}
