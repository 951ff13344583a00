import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Config,
  type Installation,
  type LogLevel,
  type Prepared,
  prepare,
  readConfig,
  readInstallation,
} from '@storeloom/core';
import { ConfigError } from '@storeloom/keys';
import { drivers } from './drivers.ts';
import type { Lifetime } from './lifetime.ts';

export interface InstallationOptions {
  port?: string;
  data?: string;
  databaseUrl?: string;
  dir: string;
}

/** Configuration from the environment, overridden by options of the command line. */
export function configOf({ port, data: dataDir, databaseUrl }: InstallationOptions): Config {
  return readConfig(process.env, { port, dataDir, databaseUrl });
}

/** File in the data directory with the environment of the last `dev` or `start`. */
const servedFile = 'served.json';

/** The environment of the serving processes, unless STORELOOM_ENV is set, so that the licence is evaluated as they evaluate it. */
function configBeside(options: InstallationOptions): Config {
  const config = configOf(options);
  const file = join(config.dataDir, servedFile);
  if ((process.env.STORELOOM_ENV?.trim() ?? '') !== '' || !existsSync(file)) return config;
  const { port, data: dataDir, databaseUrl } = options;
  try {
    const { env } = JSON.parse(readFileSync(file, 'utf8')) as { env?: string };
    return readConfig(process.env, { port, dataDir, databaseUrl, env });
  } catch {
    throw new ConfigError([`${file} can't be read: delete it, or set STORELOOM_ENV`]);
  }
}

export interface OpenOptions {
  logLevel?: LogLevel;
  /** The command writes its result to standard output, so logs must not go there. */
  logToStderr?: boolean;
  /** The command serves; its environment is recorded for the commands beside it. */
  serves?: boolean;
  /** False: it listens on no port. Otherwise the port of a serving command is checked first. */
  listens?: boolean;
  /** Can run while another process runs the embedded database. */
  beside?: boolean;
}

/** Opens the installation and closes it at the end of the command. */
export async function open(
  options: InstallationOptions,
  life: Lifetime,
  say: (line: string) => void,
  { serves = false, listens = serves, ...log }: OpenOptions = {},
): Promise<Prepared> {
  const config = log.beside ? configBeside(options) : configOf(options);
  const installation: Installation = await readInstallation(options.dir);
  const prepared = await prepare(config, installation, {
    ...log,
    drivers,
    say,
    signal: life.signal,
    ...(listens ? { listensOn: config.port } : {}),
  });
  life.onEnd(() => prepared.stop());
  if (serves) prepared.dataDir.writeJson(servedFile, { env: config.env });
  return prepared;
}
