import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Config,
  ConfigError,
  type Installation,
  type LogLevel,
  type Prepared,
  prepare,
  readConfig,
  readInstallation,
} from '@storeloom/core';
import { drivers } from './drivers.ts';
import type { Lifetime } from './lifetime.ts';

export interface InstallationOptions {
  port?: string;
  data?: string;
  databaseUrl?: string;
  dir: string;
}

/** Configuration from the environment, with what the command line says on top. */
export function configOf({ port, data: dataDir, databaseUrl }: InstallationOptions): Config {
  return readConfig(process.env, { port, dataDir, databaseUrl });
}

/** In the data directory: the environment that `dev` and `start` served as last. */
const servedFile = 'served.json';

/** That of the processes beside which a command works, unless its own environment says one: a licence is judged as they judge it. */
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
  /** For a command whose answer is on standard output: nothing else may stand there. */
  logToStderr?: boolean;
  /** The command listens on the configured port: it is looked at first. */
  serves?: boolean;
  /** May run beside a process that keeps the embedded database running. */
  beside?: boolean;
}

/** Opens the installation; it is closed when the command is over. */
export async function open(
  options: InstallationOptions,
  life: Lifetime,
  say: (line: string) => void,
  { serves = false, ...log }: OpenOptions = {},
): Promise<Prepared> {
  const config = log.beside ? configBeside(options) : configOf(options);
  const installation: Installation = await readInstallation(options.dir);
  const prepared = await prepare(config, installation, {
    ...log,
    drivers,
    say,
    signal: life.signal,
    ...(serves ? { listensOn: config.port } : {}),
  });
  life.onEnd(() => prepared.stop());
  if (serves) prepared.dataDir.writeJson(servedFile, { env: config.env });
  return prepared;
}

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
