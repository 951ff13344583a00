import type { Prepared } from '@storeloom/core';
import type { PlatformCtx } from '@storeloom/plugin-sdk';
import { type InstallationOptions, open } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { say } from './output.ts';

/** Opens the installation beside its serving processes, for a command that prints its result. */
export const openBeside = (options: InstallationOptions, life: Lifetime): Promise<Prepared> =>
  open({ ...options, port: '0' }, life, say, { logToStderr: true, logLevel: 'warn', beside: true });

/** Runs work as the platform, with the context of plugin platform, in a kernel without requests and jobs. */
export async function asPlatform<T>(prepared: Prepared, life: Lifetime, work: (ctx: PlatformCtx) => Promise<T>): Promise<T> {
  const kernel = await prepared.start({ port: 0, host: '127.0.0.1', workers: false });
  life.onEnd(() => kernel.stop({ immediately: true }));
  return kernel.asPlatform('platform', work);
}
