import { resolve } from 'node:path';
import {
  type Config,
  type Installation,
  type LogLevel,
  type Prepared,
  prepare,
  readConfig,
  readInstallation,
} from '@storeloom/core';

export interface InstallationOptions {
  port?: string;
  data?: string;
  databaseUrl?: string;
  dir: string;
}

/** Configuration from the environment, with what the command line says on top. */
export function configOf(options: InstallationOptions): Config {
  const env = { ...process.env };
  if (options.port !== undefined) env.PORT = options.port;
  if (options.data !== undefined) env.STORELOOM_DATA = resolve(options.data);
  if (options.databaseUrl !== undefined) env.DATABASE_URL = options.databaseUrl;
  return readConfig(env);
}

export interface LogOptions {
  logLevel?: LogLevel;
  /** For a command whose answer is on standard output: nothing else may stand there. */
  logToStderr?: boolean;
}

export async function open(
  options: InstallationOptions,
  say: (line: string) => void,
  how: LogOptions & { beside?: boolean } = {},
): Promise<Prepared> {
  const config = configOf(options);
  const installation: Installation = await readInstallation(options.dir);
  return prepare(config, installation, { ...how, say });
}
