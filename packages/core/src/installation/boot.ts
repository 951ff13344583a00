import {
  asRefusal,
  ensureRoles,
  type MigrateOptions,
  type MigrationReport,
  type MigrationSet,
  type MigrationStatus,
  migrate,
  migrationStatus,
  runtimeUrl,
} from '@storeloom/data';
import { ConfigError, checkSameInstallation, createKeyring, type DataDir, type Keyring, openDataDir } from '@storeloom/keys';
import { createIssuer, createLicence, type InstallationLicence, type IssuerKeys } from '@storeloom/licence';
import type { AnyTable, PluginStateRecord } from '@storeloom/plugin-sdk';
import { loadThemes } from '@storeloom/theme-sdk';
import { type AuditTools, auditTools } from '../audit/tools.ts';
import type { Config } from '../config.ts';
import { localStore } from '../files/store.ts';
import { checkPort } from '../http/server.ts';
import { type Kernel, type KernelOptions, startKernel } from '../kernel.ts';
import { createLog, type KernelLog, type LogLevel } from '../observability/log.ts';
import { collectContributions } from '../plugins/contributions.ts';
import { type LoadOptions, loadPlugins, type PluginRegistry, readManifests } from '../plugins/load.ts';
import { packageFile } from '../plugins/manifest.ts';
import { provenanceFault } from '../plugins/provenance.ts';
import { collectSignatures } from '../plugins/signatures.ts';
import { coreMigrations } from './core-migrations.ts';
import type { DatabaseDriver, Drivers } from './drivers.ts';
import { reasonText } from './fault.ts';
import type { Installation } from './installation.ts';
import { claimInstallation, readInstallationRecord } from './installation-record.ts';
import { createSetupToken, type InstallationSetupToken } from './setup-token.ts';
import { version } from './version.ts';

/** A prepared installation: data directory with keys, licence, plugins, and the database with its owner. */
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
  /** Folder of the embedded database, if this process started it. */
  readonly databaseFolder?: string;
  readonly migrations: { core: MigrationSet; plugins: MigrationSet[] };
  /** Runs the migrations, unless two plugins have the same route. `signal` rolls back the current migration and stops. */
  migrate(log?: (line: string) => void, signal?: AbortSignal, options?: MigrateOptions): Promise<MigrationReport>;
  /**
   * Checks the contributions of the plugins, as `migrate` and `start` do, and returns the states of the plugins.
   * @throws RouteConflict
   */
  check(): readonly PluginStateRecord[];
  /** Returns every migration with its state in the ledger. */
  migrationStatus(): Promise<MigrationStatus[]>;
  /**
   * Returns the tables that a plugin declares.
   * @throws Error if the plugin isn't ready, with its state and reason
   */
  tablesOf(plugin: string): readonly AnyTable[];
  readonly audit: AuditTools;
  start(options?: {
    port?: number;
    host?: string;
    workers?: boolean;
    pool?: number;
    poolWait?: number;
    timeouts?: { lockTimeout: number; statementTimeout: number };
    schedules?: boolean;
    /** False: no port, only jobs. */
    listens?: boolean;
    clock?: { ms(): number; now(): string };
    onUndeclared?: (route: string, property: string) => void;
    beforeListen?: () => Promise<void>;
  }): Promise<Kernel>;
  /** Stops the embedded database, if this process started it. */
  stop(): Promise<void>;
}

export interface PrepareOptions {
  /** Default: one on standard output. */
  log?: KernelLog;
  /** Level of the default log; default `info`. */
  logLevel?: LogLevel;
  /** Writes the log to standard error, since the output of the command is on standard output. */
  logToStderr?: boolean;
  /** Drivers of the installation. Without `database`, a database URL is required. */
  drivers?: Drivers;
  /** Receives progress messages. */
  say?: (line: string) => void;
  importModule?: LoadOptions['importModule'];
  /** Receives the error of a plugin that can't be imported. Default: it is logged. */
  onImportError?: (plugin: string, error: unknown) => void;
  /** Time limit for the import of one plugin, in milliseconds. */
  importDeadline?: number;
  /** Owner URL of an embedded database that another process runs. */
  ownerUrl?: string;
  /** The port to listen on later: rejected now if it is in use, before anything is created. */
  listensOn?: number;
  /** Cancels the preparation; what was started is stopped. */
  signal?: AbortSignal;
  /** True to use the embedded database of a running process; otherwise it is started. */
  beside?: boolean;
}

export async function prepare(config: Config, installation: Installation, options: PrepareOptions = {}): Promise<Prepared> {
  const say = options.say ?? (() => undefined);
  const { signal } = options;
  signal?.throwIfAborted();
  // With a pooler, the owner connects to the server itself: migrations hold a session lock.
  let owner = options.ownerUrl ?? config.databaseUrlDirect ?? config.databaseUrl;
  const pooler = options.ownerUrl === undefined && config.databaseUrlDirect !== undefined ? config.databaseUrl : undefined;
  const driver = owner === undefined ? await databaseDriver(options.drivers) : undefined;
  // Before anything is created. If another process uses the data directory, its lock explains more than a port in use.
  if (!driver?.isLocked(config.dataDir)) await checkPort(options.listensOn ?? 0);
  const dataDir = openDataDir(config.dataDir);
  const keyring = createKeyring(dataDir);
  // The hash key of e-mail addresses is the same in every process of the installation.
  const log =
    options.log ??
    createLog({
      level: options.logLevel ?? config.logLevel,
      hashKey: keyring.sign('log', 'email'),
      databaseText: config.env === 'development',
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
  /** Runs work as the owner; connection errors get the host and name of the database. */
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
      onError: options.onImportError ?? ((plugin, error) => log.error({ plugin, err: error }, 'a plugin could not be imported')),
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
      if (theme.problems.length > 0) log.warn({ theme: theme.name, problems: theme.problems }, "a theme can't be activated");
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
      check() {
        collectContributions(registry);
        return registry.states();
      },
      async migrate(line, stopping, options) {
        // Throws before any change if two plugins have the same route; marks plugins with invalid contributions as failed.
        collectContributions(registry);
        return asOwner(async () => {
          await ensureRoles(ownerUrl, password);
          return migrate(ownerUrl, migrations.core, migrations.plugins, line, stopping, options);
        });
      },
      migrationStatus: () => asOwner(() => migrationStatus(ownerUrl, [migrations.core, ...migrations.plugins])),
      tablesOf(plugin) {
        const contributions = collectContributions(registry);
        assertReady(registry, plugin);
        return [...contributions.entities.values()].filter((entity) => entity.plugin === plugin).map(({ table }) => table);
      },
      audit: auditTools(runtimeUrl(ownerUrl, password), (error) =>
        log.error({ err: error }, 'a connection of the audit tools failed'),
      ),
      async start({
        port = config.port,
        host,
        workers = config.workers,
        pool,
        poolWait,
        timeouts,
        schedules,
        listens,
        clock,
        onUndeclared,
        beforeListen,
      } = {}) {
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
          ...(listens === undefined ? {} : { listens }),
          ...(clock === undefined ? {} : { clock }),
          ...(onUndeclared === undefined ? {} : { onUndeclared }),
          ...(beforeListen === undefined ? {} : { beforeListen }),
        });
      },
      stop,
    };
  }
}

/** @throws Error with the plugin's state and its reason, or with the names of the plugins if none has this one */
function assertReady(registry: PluginRegistry, plugin: string): void {
  if (registry.byName.has(plugin)) return;
  const states = registry.states();
  const found = states.find(({ name }) => name === plugin);
  if (!found) throw new Error(`No plugin is named ${plugin}. The installation has ${states.map(({ name }) => name).join(', ')}.`);
  throw new Error(`The plugin ${plugin} is ${found.state}.${found.reason ? `\n${reasonText(found.reason)}` : ''}`);
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

/** Returns the check of package signatures, if the installation configures a registry. */
async function provenanceOf(
  { dir, plugins: list, registry: trust }: Installation,
  dataDir: DataDir,
  token: string | undefined,
): Promise<Pick<LoadOptions, 'provenance'>> {
  if (!trust) return {};
  const signed = await collectSignatures({ dataDir, trust, candidates: readManifests({ dir, list }), token });
  return { provenance: (candidate) => provenanceFault(candidate, { trust, signed }) };
}
