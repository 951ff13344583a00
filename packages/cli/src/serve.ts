import type { InstallationOptions } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { serviceNamed } from './services.ts';

/** Serves in this process, or with `--workers` in several. The process that only supervises loads neither core nor plugins. */
export async function serve(
  options: InstallationOptions & { workers?: string; service?: string; json?: boolean },
  life: Lifetime,
): Promise<number> {
  const { workers } = options;
  if (options.service !== undefined) serviceNamed(options.service);
  if (workers === undefined) return (await import('./start.ts')).start(options, life);
  return (await import('./processes/primary.ts')).startPrimary({ ...options, workers }, life);
}
