import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type AuditTools, auditTools } from './audit.ts';
import type { Config } from './config.ts';
import { checkSameInstallation, type DataDir, openDataDir } from './data-dir.ts';
import { coreMigrations } from './database/core-migrations.ts';
import { claimInstallation, readInstallationRecord } from './database/installation-record.ts';
import { type MigrationReport, type MigrationSet, type MigrationStatus, migrate, migrationStatus } from './database/migrate.ts';
import { ensureRoles, runtimeUrl } from './database/roles.ts';
import { heldLock, runningEmbedded, startEmbedded } from './embedded/index.ts';
import type { Installation } from './installation.ts';
import { type Kernel, startKernel, version } from './kernel.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { createIssuer, type IssuerKeys } from './licence/issuer.ts';
import { createLicence, type InstallationLicence } from './licence/licence.ts';
import { createLog, type KernelLog, type LogLevel } from './observability/log.ts';
import { type LoadOptions, loadPlugins, type PluginRegistry } from './plugins/load.ts';
import { createSetupToken, type InstallationSetupToken } from './setup-token.ts';
import { loadThemes } from './themes/load.ts';

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
  readonly migrations: { core: MigrationSet; plugins: MigrationSet[] };
  migrate(log?: (line: string) => void): Promise<MigrationReport>;
  /** Every migration with what the ledger says of it. */
  migrationStatus(): Promise<MigrationStatus[]>;
  readonly audit: AuditTools;
  start(options?: {
    port?: number;
    host?: string;
    workers?: boolean;
    pool?: number;
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
  /** Lines for a person: what takes its time. */
  say?: (line: string) => void;
  importModule?: LoadOptions['importModule'];
  /** A process beside the one that owns the embedded database: it connects by this owner URL. */
  ownerUrl?: string;
  /** A command that may run beside a process that keeps the embedded database running: it uses that one, else starts its own. */
  beside?: boolean;
}

export async function prepare(config: Config, installation: Installation, options: PrepareOptions = {}): Promise<Prepared> {
  const say = options.say ?? (() => undefined);
  const dataDir = openDataDir(config.dataDir);
  const keyring = createKeyring(dataDir);
  // E-mail addresses are hashed alike in every process of the installation.
  const log =
    options.log ??
    createLog({
      level: options.logLevel ?? 'info',
      hashKey: keyring.sign('log', 'email'),
      ...(options.logToStderr ? { destination: process.stderr } : {}),
    });
  let owner = options.ownerUrl ?? config.databaseUrl;
  let stop = async (): Promise<void> => undefined;
  if (owner === undefined && options.beside === true)
    owner = heldLock(join(config.dataDir, 'database.lock')) ? runningEmbedded(config.dataDir) : undefined;
  if (owner === undefined) {
    say('starting the embedded PostgreSQL …');
    const embedded = await startEmbedded({
      dataDir: config.dataDir,
      log: {
        info: (message) => log.info({}, message),
        warn: (message) => log.warn({}, message),
        error: (message) => log.error({}, message),
      },
    });
    owner = embedded.ownerUrl;
    stop = () => embedded.stop();
  }
  const ownerUrl = owner;
  const stopOnError = async (error: unknown): Promise<never> => {
    await stop();
    throw error;
  };
  const record = await readInstallationRecord(ownerUrl).catch(stopOnError);
  try {
    checkSameInstallation(dataDir, record.id);
  } catch (error) {
    return stopOnError(error);
  }
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
    onError: (plugin, error) => log.error({ plugin, err: error }, 'a plugin could not be imported'),
    ...(record.plugins ? { installed: record.plugins } : {}),
    ...(options.importModule ? { importModule: options.importModule } : {}),
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
  const themes = loadThemes({ dir: installation.dir, themes: installation.themes ?? [], theme: installation.theme });
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
    setupToken,
    async migrate(line) {
      await ensureRoles(ownerUrl, password);
      return migrate(ownerUrl, migrations.core, migrations.plugins, line);
    },
    migrationStatus: () => migrationStatus(ownerUrl, [migrations.core, ...migrations.plugins]),
    audit: auditTools(runtimeUrl(ownerUrl, password), (error) => log.error({ err: error }, 'a connection of the audit failed')),
    async start({ port = config.port, host, workers = config.workers, pool, clock } = {}) {
      const direct = config.databaseUrlDirect ?? ownerUrl;
      checkSameInstallation(dataDir, await claimInstallation(ownerUrl, dataDir.secrets.installation));
      return startKernel({
        config: { ...config, port, workers },
        dataDir,
        keyring,
        licence,
        licenceIssuer,
        themes,
        registry,
        migrations,
        log,
        setupToken,
        databaseUrl: runtimeUrl(ownerUrl, password),
        directUrl: runtimeUrl(direct, password),
        ...(host === undefined ? {} : { host }),
        ...(pool === undefined ? {} : { pool }),
        ...(clock === undefined ? {} : { clock }),
      });
    },
    stop,
  };
}

/** A password that a person may have to type once. */
export function readablePassword(): string {
  return randomBytes(12).toString('base64url');
}
