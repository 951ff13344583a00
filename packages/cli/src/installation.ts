import {
  type Config,
  type Installation,
  type LogLevel,
  type Prepared,
  prepare,
  readConfig,
  readInstallation,
} from '@storeloom/core';
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
  const config = configOf(options);
  const installation: Installation = await readInstallation(options.dir);
  const prepared = await prepare(config, installation, {
    ...log,
    say,
    signal: life.signal,
    ...(serves ? { listensOn: config.port } : {}),
  });
  life.onEnd(() => prepared.stop());
  return prepared;
}

export const say = (line: string): void => void process.stderr.write(`${line}\n`);
